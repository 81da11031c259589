"""LogitLens in Chromium: its page shows Python's numbers; key and pointer choose a cell."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from tests.widgets.pages import FRAME, centre, open_page, put, slider, trait

from plainformer.attention import softmax
from plainformer.widgets import LogitLens
from plainformer.widgets.kit.token_words import label, weight

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

WORDS = ["the", " cat", "\n", "<b>", " is", " lovely", "unbelievable"]
SHARES = softmax(2 * np.random.default_rng(1).normal(size=(4, 5, 7)))


def lens(columns: int = 5) -> LogitLens:
    return LogitLens(WORDS[:columns], WORDS, SHARES[:, :columns], [1, 2, 3, 4, None][-columns:])


def check(live: "Locator", shown: LogitLens) -> None:
    """Hold what the page shows of the chosen cell against Python's."""
    values = "all => all.map((each) => Number(each.dataset.value))"
    names = live.locator(".tb-name").all_text_contents()
    right = [(label(word), share) for word, share in shown.likeliest]
    assert names == [*(word for word, _ in right), "2 others"]
    shares = [share for _, share in right]
    found = live.locator(".tb-number").evaluate_all(values)
    np.testing.assert_allclose(found, [*shares, 1 - sum(shares)], rtol=0, atol=1e-12)
    climb = live.locator(".ll-number")
    assert climb.evaluate_all(values)[::-1] == (shown.climb or [0] * 4)
    texts = [weight(each) for each in shown.climb] if shown.climb else [""] * 4
    assert climb.all_text_contents()[::-1] == texts


def test_every_cell_agrees_with_python(page: "Page", tmp_path: Path) -> None:
    shown = lens()
    (live,) = open_page(page, tmp_path, shown)
    for row, column in np.ndindex(4, 5):
        shown.row, shown.column = row, column
        put(page, row=row, column=column)
        check(live, shown)
        best, follows = shown.likeliest[0][0], shown.wanted[column]
        words = live.locator(".ll-map .hm-numbers > span")
        cell = words.nth(5 * (3 - row) + column)
        assert cell.text_content() == label(best)
        underlined = bool(cell.evaluate("e => e.classList.contains('ll-right')"))
        assert underlined == (follows is not None and WORDS[follows] == best)


def test_keyboard_alone(page: "Page", tmp_path: Path) -> None:
    shown = lens()
    shown.row, shown.column = 0, 2
    (live,) = open_page(page, tmp_path, shown)
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    page.evaluate(FRAME)
    assert (trait(page, "row"), trait(page, "column")) == (1, 3)
    shown.row, shown.column = 1, 3
    check(live, shown)
    word, share = shown.likeliest[0]
    said = f"Layer 1, after “<b>”: most likely “{label(word)}”, probability {weight(share)}."
    live.get_by_role("status").get_by_text(said).wait_for()
    page.keyboard.press("End")
    live.get_by_role("status").get_by_text("What really follows is not known.").wait_for()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    page.evaluate(FRAME)
    assert slider(live, "Row:").get_attribute("aria-valuetext") == "layer 2"
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowLeft")
    page.evaluate(FRAME)
    assert slider(live, "Column:").get_attribute("aria-valuetext") == "<b> (3)"


def test_what_really_follows_is_said(page: "Page", tmp_path: Path) -> None:
    shares = [[[0.75, 0.25]], [[0.25, 0.75]]]
    (live,) = open_page(page, tmp_path, LogitLens(["a"], ["a", "cat"], shares, [1]))
    status = live.get_by_role("status")
    status.get_by_text(
        "Embedding, after “a”: most likely “a”, probability 0.75. “cat” really follows: 0.25."
    ).wait_for()
    put(page, row=1)
    status.get_by_text("“cat”, probability 0.75. That is what really follows.").wait_for()


def test_a_pointer_chooses_a_cell(page: "Page", tmp_path: Path) -> None:
    shown = lens()
    (live,) = open_page(page, tmp_path, shown)
    page.mouse.click(*centre(live.locator(".hm-map"), 0, 4, 4, 5))
    page.evaluate(FRAME)
    assert (trait(page, "row"), trait(page, "column")) == (3, 4)


def test_the_tables_have_every_number(page: "Page", tmp_path: Path) -> None:
    shown = lens()
    (live,) = open_page(page, tmp_path, shown)
    live.get_by_role("button", name="Show as table").press("Enter")
    cells, five, climbs = live.get_by_role("table").all()
    first = cells.locator("tbody tr").first.locator("td").all_text_contents()
    top = SHARES[-1]
    assert first == [
        "layer 3",
        *(f"{label(WORDS[row.argmax()])} {weight(float(row.max()))}" for row in top),
    ]
    numbers = five.locator("td.pf-number").all_text_contents()
    np.testing.assert_allclose(
        [float(n) for n in numbers], np.sort(SHARES[0, shown.column])[:1:-1], atol=1e-6
    )
    last = climbs.locator("tbody tr").last.locator("td").all_text_contents()
    assert last[0] == "embedding" and last[5] == "?"
    right = [SHARES[0, t, t + 1] for t in range(4)]
    np.testing.assert_allclose([float(n) for n in last[1:5]], right, atol=1e-6)


def test_on_a_phone_the_chosen_column_comes_into_view(page: "Page", tmp_path: Path) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    words = [f"word{i}" for i in range(16)]
    shown = LogitLens(words, words, np.full((2, 16, 16), 1 / 16), column=0)
    (live,) = open_page(page, tmp_path, shown)
    box = live.locator(".ll-box").bounding_box()
    assert box is not None
    for column in (15, 0, 7):
        put(page, column=column)
        label_ = live.locator(".ll-tokens").last.locator("bdi").nth(column).bounding_box()
        assert label_ is not None
        assert box["x"] <= label_["x"] + 1
        assert label_["x"] + label_["width"] <= box["x"] + box["width"] + 1

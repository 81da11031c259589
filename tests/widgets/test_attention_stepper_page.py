"""AttentionStepper in Chromium: its page shows Python's numbers, and every control works."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from playwright.sync_api import expect
from tests.widgets.pages import FRAME, axe_problems, open_page
from tests.widgets.rotary import slider

from plainformer.attention.example import TOKENS
from plainformer.widgets import AttentionStepper
from plainformer.widgets.attention_stepper import STEPS

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

DRAW = np.random.default_rng(5).normal
LARGE: dict[str, Any] = {
    "q": 20 * DRAW(size=(8, 4)),
    "k": DRAW(size=(8, 4)),
    "v": DRAW(size=(8, 4)),
    "tokens": ["a very long name", *"bcdefgh"],
}
CROSS: dict[str, Any] = {
    "q": DRAW(size=(2, 3)),
    "k": DRAW(size=(5, 3)),
    "v": DRAW(size=(5, 1)),
    "tokens": ["x", "y"],
    "keys": list("abcde"),
}
TRAITS = ["q", "k", "v", "causal", "step", "query", "key", "column"]


def follow(page: "Page", stepper: AttentionStepper) -> None:
    """Give a widget what the page has now, as Jupyter would."""
    page.evaluate(FRAME)
    for name in TRAITS:
        setattr(stepper, name, page.evaluate(f"plainformer.widgets[0].model.get('{name}')"))


def matrix(live: "Locator") -> Any:
    """The matrix on the screen, with all its digits."""
    grid = live.locator(".as-grid[role=slider]")
    values: Any = grid.locator(".as-cell").evaluate_all("all => all.map(c => c.dataset.value)")
    return np.array([float(each.replace("Infinity", "inf")) for each in values])


def check(page: "Page", live: "Locator", stepper: AttentionStepper) -> None:
    """Hold every step's numbers against Python's."""
    for step, name in enumerate(STEPS):
        slider(live, "Step").fill(str(step))
        follow(page, stepper)
        assert stepper.step == step
        expected = getattr(stepper, name).ravel()
        np.testing.assert_allclose(matrix(live), expected, rtol=0, atol=1e-6)


def total(live: "Locator") -> str:
    return live.locator(".as-sum").inner_text().replace("\u00a0", " ")


def grid(live: "Locator") -> "Locator":
    return live.locator(".as-grid[role=slider]")


@pytest.mark.parametrize("options", [{}, LARGE, CROSS, {"q": [[5]], "k": [[-3]], "v": [[0.5]]}])
def test_the_page_agrees_with_python(options: dict[str, Any], page: "Page", tmp_path: Path) -> None:
    stepper = AttentionStepper(**options)
    (live,) = open_page(page, tmp_path, stepper)
    check(page, live, stepper)
    live.get_by_label("Causal mask").check()
    check(page, live, stepper)
    assert stepper.causal


SUMS = [
    (0, "Score of “cat” (1) for “lovely”: 0 · 0 + 2 · 2 = 4"),
    (1, "Scaled score of “cat” (1) for “lovely”: 4 / √2 = 4 / 1.41 = 2.83"),
    (2, "Masked score of “cat” (1) for “lovely”: 2.83 stays 2.83"),
    (
        3,
        "Weight of “lovely” for “cat” (1): exp(2.83) / (exp(0) + exp(0) + exp(0) + exp(0) + "
        "exp(2.83) + exp(0)) = 16.92 / 21.92 = 0.77",
    ),
    (
        4,
        "Output of “cat” (1), column 1: 0.05 · (−2) + 0.05 · 0 + 0.05 · 0 + 0.05 · (−1) + "
        "0.77 · 4 + 0.05 · 0 = 2.95",
    ),
]


@pytest.mark.parametrize(("step", "text"), SUMS)
def test_each_cell_shows_its_sum(step: int, text: str, page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, AttentionStepper(step=step))
    assert total(live) == text
    assert (grid(live).get_attribute("aria-valuetext") or "").replace("\u00a0", " ") == text


def test_the_sources_are_framed(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, AttentionStepper())

    def framed() -> list[str]:
        boxes = live.locator("input.as-source")
        return [str(name) for name in boxes.evaluate_all("all => all.map(b => b.ariaLabel)")]

    def strip() -> list[bool]:
        cells = live.locator(".as-strip .as-cell")
        return [bool(on) for on in cells.evaluate_all("a => a.map(c => c.matches('.as-source'))")]

    row = [f"Q of “cat”, column {d}" for d in (0, 1)]
    assert framed() == [*row, *(f"K of “lovely”, column {d}" for d in (0, 1))]
    assert not live.locator(".as-strip").is_visible()
    slider(live, "Step").fill("1")
    page.evaluate(FRAME)
    assert strip() == [False] * 4 + [True, False]
    slider(live, "Step").fill("3")
    page.evaluate(FRAME)
    assert framed() == row
    assert strip() == [True] * 6
    slider(live, "Step").fill("4")
    page.evaluate(FRAME)
    assert framed() == [f"V of “{t}”, column 1" for t in TOKENS]
    assert strip() == [True] * 6


def test_a_causal_mask_forbids_what_comes_later(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, AttentionStepper(step=2))
    status = live.get_by_role("status")
    live.get_by_label("Causal mask").focus()
    page.keyboard.press("Space")
    status.get_by_text("The causal mask is on: no query sees a later key.").wait_for()
    assert total(live) == "Masked score of “cat” (1) for “lovely”: 2.83 becomes −∞"
    assert grid(live).locator(".as-forbidden").count() == 15
    slider(live, "Step").fill("3")
    page.evaluate(FRAME)
    assert grid(live).locator(".as-forbidden").all_text_contents() == ["0"] * 15
    assert "exp(−∞) / (exp(0) + exp(0) + exp(−∞)" in total(live)
    page.evaluate("plainformer.widgets[0].model.set('causal', false)")
    status.get_by_text("The causal mask is off").wait_for()


def test_more_queries_than_keys_have_no_causal_mask(page: "Page", tmp_path: Path) -> None:
    short = AttentionStepper(np.ones((3, 2)), np.ones((2, 2)), np.ones((2, 2)))
    (live,) = open_page(page, tmp_path, short)
    assert live.get_by_label("Causal mask").is_disabled()


def test_large_scores_do_not_overflow(page: "Page", tmp_path: Path) -> None:
    stepper = AttentionStepper([[100.0]], [[100.0], [99.9]], [[1.0], [2.0]], step=3)
    (live,) = open_page(page, tmp_path, stepper)
    assert total(live).endswith(
        "less the largest, 10,000, everywhere: exp(0) / (exp(0) + exp(−10)) = 1 / 1 = 1"
    )
    check(page, live, stepper)


@pytest.mark.parametrize(
    ("score", "said"),
    [
        (-8, "less the largest, −8, everywhere: exp(0) / (exp(0) + exp(0)) = 1 / 2 = 0.5"),
        (-2, "exp(−2) / (exp(−2) + exp(−2)) = 0.14 / 0.27 = 0.5"),
        (12, "exp(12) / (exp(12) + exp(12)) = 162,754.79 / 325,509.58 = 0.5"),
        (13, "less the largest, 13, everywhere: exp(0) / (exp(0) + exp(0)) = 1 / 2 = 0.5"),
    ],
)
def test_no_weight_is_nothing_over_nothing(
    score: int, said: str, page: "Page", tmp_path: Path
) -> None:
    stepper = AttentionStepper([[1]], [[score], [score]], [[1], [2]], step=3)
    (live,) = open_page(page, tmp_path, stepper)
    assert total(live) == f"Weight of “key 0” for “query 0”: {said}"


def test_no_key_and_no_digit_is_lost_within_a_frame(page: "Page", tmp_path: Path) -> None:
    stepper = AttentionStepper()
    (live,) = open_page(page, tmp_path, stepper)
    grid(live).evaluate(
        """grid => ["Home", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowUp"].forEach(key =>
            grid.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })))"""
    )
    follow(page, stepper)
    assert (stepper.query, stepper.key) == (0, 3)
    live.locator(".as-box-q").evaluate_all(
        """boxes => boxes.slice(0, 2).forEach((box, i) => {
            box.value = 7 + i;
            box.dispatchEvent(new Event("input", { bubbles: true }));
        })"""
    )
    follow(page, stepper)
    assert stepper.q[0] == [7.0, 8.0]


def test_keyboard_alone(page: "Page", tmp_path: Path) -> None:
    stepper = AttentionStepper()
    (live,) = open_page(page, tmp_path, stepper)
    status = live.get_by_role("status")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    status.get_by_text("Step 2 of 5, scaled: a key has K = 2 numbers").wait_for()
    grid(live).focus()
    page.keyboard.press("ArrowUp")
    status.get_by_text("“your” and “lovely”: 0 becomes 0").wait_for()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    status.get_by_text("“your” and “cat” (1): 4 becomes 2.83").wait_for()
    page.keyboard.press("End")
    status.get_by_text("“your” and “cat” (5): 4 becomes 2.83").wait_for()
    page.keyboard.press("ArrowRight")  # at the edge: it stays
    page.keyboard.press("ArrowUp")
    follow(page, stepper)
    assert (stepper.query, stepper.key, stepper.column) == (0, 5, 1)
    slider(live, "Step").press("End")
    page.evaluate(FRAME)
    grid(live).press("ArrowLeft")
    follow(page, stepper)
    assert (stepper.query, stepper.key, stepper.column) == (0, 5, 0)  # a column of its own
    live.get_by_role("button", name="Show as table").press("Enter")
    table = live.get_by_role("table", name="Step 5: output, 6 by 2")
    rows = [row.locator("td").all_text_contents() for row in table.locator("tbody tr").all()]
    shown = np.char.replace(np.array([row[1:] for row in rows]), "−", "-").astype(float)
    np.testing.assert_allclose(shown, stepper.output, rtol=0, atol=1e-6)


def test_a_pointer_shows_a_cell_and_a_click_keeps_it(page: "Page", tmp_path: Path) -> None:
    stepper = AttentionStepper()
    (live,) = open_page(page, tmp_path, stepper)
    cells = grid(live).locator(".as-cell")
    cells.nth(1).hover()
    page.evaluate(FRAME)
    assert total(live) == "Score of “your” for “cat” (1): 2 · 2 + 0 · 0 = 4"
    live.locator(".as-sum").hover()
    page.evaluate(FRAME)
    assert total(live) == SUMS[0][1]  # as before
    cells.nth(1).click()
    live.locator(".as-sum").hover()
    follow(page, stepper)
    assert (stepper.query, stepper.key) == (0, 1)
    assert total(live).startswith("Score of “your” for “cat” (1)")
    cells.nth(8).hover()  # keys go on from what is shown, and win over a mouse that rests
    grid(live).press("ArrowDown")
    follow(page, stepper)
    assert (stepper.query, stepper.key) == (2, 2)
    assert total(live).startswith("Score of “is” for “is”")


def test_numbers_can_be_edited(page: "Page", tmp_path: Path) -> None:
    stepper = AttentionStepper()
    (live,) = open_page(page, tmp_path, stepper)
    first = [stepper.q, stepper.k, stepper.v]
    reset = live.get_by_role("button", name="Back to the first numbers")
    assert not reset.is_visible()
    box = live.get_by_label("K of “lovely”, column 1")
    box.fill("-1,5")
    live.get_by_role("status").get_by_text(
        "K of “lovely”, column 1 is now −1.5. Step 1 of 5, scores"
    ).wait_for()
    follow(page, stepper)
    assert stepper.k[4] == [0.0, -1.5]
    assert total(live).endswith("0 · 0 + 2 · (−1.5) = −3")
    live.get_by_label("Q of “your”, column 0").fill("0.123456789")
    live.get_by_label("V of “is”, column 1").fill("1e1")
    check(page, live, stepper)
    assert (stepper.q[0][0], stepper.v[2][1]) == (0.123456789, 10.0)
    seen = live.get_by_label("Q of “your”, column 0")
    assert seen.input_value() == "0.12"
    seen.focus()
    assert seen.input_value() == "0.123456789"  # nothing of it is lost
    reset.press("Enter")
    follow(page, stepper)
    assert [stepper.q, stepper.k, stepper.v] == first
    assert box.input_value() == "2"
    assert reset.get_attribute("aria-disabled") == "true"
    assert reset.evaluate("button => button === document.activeElement")


BAD = [
    ("2 zoo", "“2 zoo” is no number: K of “lovely”, column 1 stays 2."),
    ("", "The box is empty: K of “lovely”, column 1 stays 2."),
    ("101", "Numbers from −100 to 100 fit here: K of “lovely”, column 1 stays 2."),
    ("Infinity", "“Infinity” is no number"),
    ("0x10", "“0x10” is no number"),
    ("<b>", "“<b>” is no number"),
]


@pytest.mark.parametrize(("text", "message"), BAD)
def test_what_is_no_number_is_kept_and_does_not_count(
    text: str, message: str, page: "Page", tmp_path: Path
) -> None:
    stepper = AttentionStepper()
    (live,) = open_page(page, tmp_path, stepper)
    box = live.get_by_label("K of “lovely”, column 1")
    box.fill(text)
    live.get_by_role("status").get_by_text(message).wait_for()
    assert box.get_attribute("aria-invalid") == "true"
    slider(live, "Step").fill("1")  # it waits for its reader
    follow(page, stepper)
    assert (box.input_value(), stepper.k[4][1]) == (text, 2.0)
    expect(box).to_have_accessible_description(re.compile(re.escape(message)))
    assert live.locator(".as-why").is_visible()
    box.press("Escape")
    assert box.input_value() == "2"
    assert box.get_attribute("aria-invalid") is None
    assert live.locator(".as-why").count() == 0
    expect(box).to_have_accessible_description("")


@pytest.mark.parametrize("mend", ["Escape", "2", "reset"])
def test_a_complaint_ends_when_it_is_settled(mend: str, page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, AttentionStepper())
    status, box = live.get_by_role("status"), live.get_by_label("K of “lovely”, column 1")
    live.get_by_label("Q of “your”, column 0").fill("3")
    box.fill("zoo")
    status.get_by_text("is no number").wait_for()
    if mend == "Escape":
        box.press("Escape")
    elif mend == "2":
        box.fill("2")  # the number that it had
    else:
        live.get_by_role("button", name="Back to the first numbers").click()
    status.get_by_text("Step 1 of 5, scores").wait_for()
    assert "zoo" not in live.inner_text()
    assert box.input_value() == "2"


@pytest.mark.parametrize("width", [342, 900])
def test_no_number_is_cut(width: int, page: "Page", tmp_path: Path) -> None:
    page.set_viewport_size({"width": width, "height": 640})
    small = np.full((2, 4), -0.54)
    open_page(page, tmp_path, AttentionStepper(**LARGE), AttentionStepper(small, small, small))
    page.evaluate("document.querySelectorAll('.as-box').forEach(b => b.classList.add('as-source'))")
    room = """boxes => boxes.map(box => {  // what is left beside the number, which may be bold
        const style = getComputedStyle(box);
        const pen = document.createElement("canvas").getContext("2d");
        pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
        const inside = box.clientWidth - 2 * parseFloat(style.paddingLeft);
        return inside - pen.measureText(box.value).width;
    })"""
    assert min(page.locator(".as-box").evaluate_all(room)) >= 1


def test_arrow_keys_move_between_boxes(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, AttentionStepper())
    here = "document.activeElement.ariaLabel"
    live.get_by_label("Q of “your”, column 0").focus()
    for key, name in [
        ("ArrowDown", "Q of “cat”, column 0"),
        ("ArrowRight", "Q of “cat”, column 1"),
        ("ArrowRight", "Q of “cat”, column 1"),  # the last column
        ("Enter", "Q of “is”, column 1"),
        ("ArrowLeft", "Q of “is”, column 0"),
        ("Tab", "K of “your”, column 0"),
        ("Tab", "V of “your”, column 0"),
        ("Shift+Tab", "K of “your”, column 0"),
        ("Shift+Tab", "Q of “is”, column 0"),  # where the reader was
    ]:
        page.keyboard.press(key)
        assert page.evaluate(here) == name
    live.get_by_label("Q of “is”, column 0").fill("12")
    page.keyboard.press("ArrowLeft")  # inside the text
    assert page.evaluate(here) == "Q of “is”, column 0"


def test_back_next_and_play(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, AttentionStepper(step=3))
    at = live.locator(".pf-card")
    back, forth = live.get_by_role("button", name="Back"), live.get_by_role("button", name="Next")
    forth.click()
    expect(at).to_have_attribute("data-step", "4")
    assert forth.get_attribute("aria-disabled") == "true"
    for _ in range(4):
        back.click()
    expect(at).to_have_attribute("data-step", "0")
    assert back.get_attribute("aria-disabled") == "true"
    live.get_by_text("masked", exact=True).click()
    expect(at).to_have_attribute("data-step", "2")


@pytest.mark.parametrize(("motion", "pace"), [("no-preference", 2600), ("reduce", 5200)])
def test_play_goes_to_the_end_and_starts_over(
    motion: Any, pace: int, page: "Page", tmp_path: Path
) -> None:
    page.emulate_media(reduced_motion=motion)
    page.clock.install(time=0)
    (live,) = open_page(page, tmp_path, AttentionStepper(step=4))
    page.clock.pause_at(3_600_000)
    live.get_by_role("button", name="Play").click()
    steps = []
    for wait in (20, pace - 40, 40, pace, pace, pace):
        page.clock.run_for(wait)
        steps.append(page.evaluate("plainformer.widgets[0].model.get('step')"))
    assert steps == [1, 1, 2, 3, 4, 4]
    assert live.get_by_role("button", name="Play").count() == 1  # it is no longer "Pause"


@pytest.mark.parametrize("act", ["mask", "number", "cell", "step"])
def test_whatever_else_the_reader_does_halts(act: str, page: "Page", tmp_path: Path) -> None:
    page.clock.install(time=0)
    (live,) = open_page(page, tmp_path, AttentionStepper())
    page.clock.pause_at(3_600_000)
    live.get_by_role("button", name="Play").click()
    page.clock.run_for(20)
    live.get_by_role("button", name="Pause").wait_for()
    if act == "mask":
        live.get_by_label("Causal mask").check()
    elif act == "number":
        live.get_by_label("Q of “your”, column 0").fill("9")
    elif act == "cell":
        grid(live).press("ArrowUp")
    else:
        live.get_by_text("scaled", exact=True).click()
    live.get_by_role("button", name="Play").wait_for()
    page.clock.run_for(10_000)
    assert page.evaluate("plainformer.widgets[0].model.get('step')") == 1


def test_what_python_or_jupyter_sets_is_drawn(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, AttentionStepper())
    other = AttentionStepper(*(DRAW(size=(6, 2)) for _ in "qkv"), causal=True, step=3, query=5)
    page.evaluate(
        """(state) => Object.entries(state).forEach(
            ([name, value]) => plainformer.widgets[0].model.set(name, value))""",
        {name: value for name, value in other.state().items() if name != "data"},
    )
    page.evaluate(FRAME)
    assert live.get_by_label("Causal mask").is_checked()
    np.testing.assert_allclose(matrix(live), other.weights.ravel(), rtol=0, atol=1e-6)
    check(page, live, other)


def test_two_on_a_page_are_strangers(page: "Page", tmp_path: Path) -> None:
    first, second = open_page(page, tmp_path, AttentionStepper(), AttentionStepper(step=2))
    first.get_by_label("Q of “your”, column 0").fill("9")
    slider(first, "Step").press("End")
    page.evaluate(FRAME)
    assert second.get_by_label("Q of “your”, column 0").input_value() == "2"
    expect(second.locator(".pf-card")).to_have_attribute("data-step", "2")
    assert page.evaluate(
        "[...document.querySelectorAll('[id]')].map(e => e.id)"
        ".every((id, i, all) => all.indexOf(id) === i)"
    )


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(theme: str, page: "Page", tmp_path: Path) -> None:
    page.set_viewport_size({"width": 420, "height": 800})
    widgets = [AttentionStepper(step=3, causal=True), AttentionStepper(**LARGE, step=4)]
    lives = open_page(page, tmp_path, *widgets)
    page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
    lives[0].get_by_role("button", name="Show as table").click()
    lives[0].get_by_label("K of “lovely”, column 1").fill("2 zoo")
    assert axe_problems(page) == []


@pytest.mark.parametrize("width", [320, 360, 900])
def test_nothing_overflows_and_a_thumb_finds_it(width: int, page: "Page", tmp_path: Path) -> None:
    page.set_viewport_size({"width": width, "height": 640})
    lives = open_page(page, tmp_path, AttentionStepper(), AttentionStepper(**LARGE, step=3))
    for live in lives:
        live.get_by_role("button", name="Show as table").click()
        expect(live.get_by_role("table")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    for live in lives:
        assert live.locator(".pf-card").evaluate("card => card.scrollWidth <= card.clientWidth")
    targets = "button, input[type=range], label:has(input)"
    for target in page.locator(".pf-live").locator(targets).filter(visible=True).all():
        box = target.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44, target.text_content()
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_a_phone_sees_the_whole_sentence(page: "Page", tmp_path: Path) -> None:
    page.set_viewport_size({"width": 342, "height": 640})  # as wide as a page of the book at 360
    (live,) = open_page(page, tmp_path, AttentionStepper(step=3))
    for place in live.locator(".as-scroll").all():
        assert place.evaluate("box => box.scrollWidth <= box.clientWidth")


def test_a_row_that_scrolls_has_a_name(page: "Page", tmp_path: Path) -> None:
    page.set_viewport_size({"width": 342, "height": 640})
    (live,) = open_page(page, tmp_path, AttentionStepper(**LARGE, step=3))
    row = live.get_by_role("group", name="The row one step before")
    expect(row).to_have_attribute("tabindex", "0")
    unnamed = "all => all.filter(e => !e.role || !e.ariaLabel).map(e => e.className)"
    assert live.locator("div[tabindex='0']:visible").evaluate_all(unnamed) == []


def test_a_pointer_rebuilds_nothing(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, AttentionStepper(**LARGE, step=3))
    grid(live).locator(".as-cell").nth(20).hover()
    page.evaluate(FRAME)
    page.evaluate(
        """() => {
            window.made = 0;
            const count = (list) => list.forEach(({ addedNodes: all }) =>
                all.forEach((node) => (window.made += node.nodeType === Node.ELEMENT_NODE)));
            const live = document.querySelector(".pf-live");
            new MutationObserver(count).observe(live, { childList: true, subtree: true });
        }"""
    )
    seen = {total(live)}
    for cell in (21, 22, 30, 40, 20):
        grid(live).locator(".as-cell").nth(cell).hover()
        page.evaluate(FRAME)
        seen.add(total(live))
    assert len(seen) == 5
    assert page.evaluate("window.made") <= 1  # the longest sum has one part more than the first


def test_without_scripts_and_in_print_the_picture_stands(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, AttentionStepper())
    picture = page.locator(".pf-fallback .as-still")
    assert not picture.is_visible()
    page.emulate_media(media="print")
    assert picture.is_visible()
    assert not live.is_visible()
    assert re.search(r"Step 1: scores \(6, 6\)", picture.inner_text())

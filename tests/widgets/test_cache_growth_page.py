"""CacheGrowth in a static page opened as a file, in Chromium: its counts, hands and looks."""

from pathlib import Path
from typing import TYPE_CHECKING

from tests.widgets.pages import FRAME, open_page, put, trait

from plainformer.attention.example import TOKENS
from plainformer.widgets import CacheGrowth

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page


def counts(live: "Locator") -> list[int]:
    """The sums so far, of both sides, and what is kept."""
    values = live.locator(".cg-total, .cg-memory").evaluate_all(
        "all => all.map(e => e.dataset.value)"
    )
    return [int(value) for value in values]


def kinds(live: "Locator", side: int, role: str) -> list[str]:
    """How the cells of a column are drawn, from the first token on."""
    cells = live.locator(".cg-side").nth(side).locator(f".cg-cell.cg-{role}")
    found: list[str] = cells.evaluate_all("all => all.map(e => e.dataset.kind)")
    return found


def test_the_pages_counts_are_pythons(page: "Page", tmp_path: Path) -> None:
    widget = CacheGrowth(TOKENS, d_model=24, n_heads=6)
    (live,) = open_page(page, tmp_path, widget)
    histories = [[], [1], [1, 2, 3, 4, 5, 6], [1, 2, 3, 1, 2, 0, 1], [1, 2, 1, 2, 1, 0]]
    for d_model, groups in ((24, 6), (96, 2), (768, 1)):
        for history in histories:
            widget.d_model, widget.n_kv_heads, widget.history = d_model, groups, history
            put(page, d_model=d_model, n_kv_heads=groups, history=history)
            assert counts(live) == [*widget.without, *widget.with_cache, widget.kept]


def test_the_slider_follows_a_width_of_pythons(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, CacheGrowth(TOKENS, d_model=64, n_heads=8))
    slider = live.get_by_label("Width D")
    assert slider.get_attribute("max") == "5"  # 64, 128, ... 2048
    for width, place in ((4096, "6"), (72, "1"), (64, "0"), (8, "0")):
        put(page, d_model=width)
        assert live.get_by_text(f"Width D: {width:,}").is_visible()
        found = (slider.input_value(), slider.get_attribute("aria-valuetext"))
        assert found == (place, f"D = {width}")
    for width in (64, 72, 128):  # up from 8, by all that there are
        slider.press("ArrowRight")
        assert trait(page, "d_model") == width


def test_a_screen_reader_gets_the_counts_as_tables(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, CacheGrowth(TOKENS, step=4))
    table = live.get_by_role("table", name="Computed without a cache")
    assert table.get_by_role("columnheader").all_inner_texts() == ["this step", "so far"]
    row = table.get_by_role("row", name="tokens projected").get_by_role("cell")
    assert row.all_inner_texts() == ["4", "10"]
    assert live.get_by_role("table", name="Computed with a cache").is_visible()


def test_a_step_a_rewind_and_a_reset(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, CacheGrowth(TOKENS, d_model=64, step=4))
    status = live.get_by_role("status")
    live.get_by_role("button", name="Next").click()
    status.get_by_text(
        "Token 5, “lovely”: without a cache all 5 tokens are projected, with one only this."
    ).wait_for()
    assert live.locator(".cg-memory").inner_text().endswith(" = 640 numbers")
    assert kinds(live, 0, "k") == ["now"] * 5 + [""]
    assert kinds(live, 1, "k") == ["kept"] * 4 + ["now", ""]
    assert kinds(live, 1, "q") == [""] * 4 + ["now", ""]
    assert kinds(live, 0, "s").count("masked") == 10
    assert kinds(live, 1, "s").count("now") == 5
    before = counts(live)
    live.get_by_role("button", name="Rewind one token").press("Enter")
    status.get_by_text("Rewound from 5 to 4 tokens: nothing is computed").wait_for()
    assert kinds(live, 1, "v") == ["kept"] * 4 + ["stale", ""]
    assert counts(live) == [*before[:-1], 512]
    live.get_by_role("button", name="Reset the cache").press("Space")
    status.get_by_text("Reset: the cache is empty; no work is given back.").wait_for()
    assert counts(live) == [*before[:-1], 0]
    live.get_by_role("button", name="Next").click()
    status.get_by_text("Token 1, “your”: both project it.").wait_for()
    for _ in range(3):
        live.get_by_role("button", name="Back").click()
    page.evaluate(FRAME)
    assert trait(page, "history") == [1, 2, 3, 4, 5]
    live.get_by_label("Tokens written").press("Home")
    status.get_by_text("Nothing is written yet.").wait_for()
    assert counts(live) == [0] * 7


def test_the_table_tells_the_history(page: "Page", tmp_path: Path) -> None:
    widget = CacheGrowth(TOKENS, step=2)
    widget.history = [1, 2, 1, 0]
    (live,) = open_page(page, tmp_path, widget)
    live.get_by_role("button", name="Show as table").click()
    rows = live.get_by_role("table", name="Step by step").locator("tbody tr")
    what = [row.locator("td").nth(1).inner_text() for row in rows.all()]
    assert what == ["start", "write “your”", "write “cat”", "rewind", "reset"]
    last = rows.nth(4).locator("td").all_inner_texts()
    assert last[5:7] == [f"{n.multiplications:,}" for n in (widget.without, widget.with_cache)]

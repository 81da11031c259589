"""EmbeddingLookup in Python, and in a static page opened as a file, in Chromium."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.widgets.pages import FRAME, open_page, open_still

from plainformer.inputs import embed, one_hot
from plainformer.widgets import EmbeddingLookup

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

TOKENS = ["your", "cat", "is", "a", "lovely", "cat"]
TABLE = np.random.default_rng(3).normal(size=(5, 4))
VALUES = "cells => cells.map(cell => Number(cell.dataset.value))"


def test_ids_are_places_in_the_vocabulary() -> None:
    widget = EmbeddingLookup(TOKENS, TABLE)
    assert widget.vocabulary == ["a", "cat", "is", "lovely", "your"]
    assert widget.ids == [4, 1, 2, 0, 3, 1]
    other = EmbeddingLookup(["b", "a"], TABLE[:3], ["c", "b", "a"])
    assert other.ids == [1, 2]


def test_the_vector_is_what_embed_returns() -> None:
    widget = EmbeddingLookup(TOKENS, TABLE)
    for place, row in enumerate(embed(widget.ids, TABLE)):
        widget.place = place
        assert widget.vector == row.tolist()


def test_a_new_table_keeps_the_columns_that_a_page_has_drawn() -> None:
    widget = EmbeddingLookup(TOKENS, TABLE)
    for table in (TABLE[:, :3], np.hstack([TABLE, TABLE])):
        with pytest.raises(ValueError, match="table must keep its 4 columns; got "):
            widget.table = table
    assert widget.table == TABLE.tolist()


def test_the_picture_says_what_it_shows() -> None:
    widget = EmbeddingLookup(TOKENS, TABLE, place=1)
    html = widget.fallback()
    assert "“cat” at position 1 has the ID 1 and lights row 1 of 5" in html
    assert "So it does at position 5." in html
    assert html.count("look-lit") == 2 + 4
    assert "So it does" not in EmbeddingLookup(TOKENS, TABLE, place=0).description()
    assert "&lt;b&gt;" in EmbeddingLookup(["<b>"], [[1.0]]).picture()
    assert "−0.00" not in EmbeddingLookup(["a"], [[-0.001, -0.0, 1.0]]).picture()


def lit(live: "Locator") -> list[str]:
    return live.locator(".look-name.look-lit").all_text_contents()


def test_the_pages_numbers_are_pythons(page: "Page", tmp_path: Path) -> None:
    widget = EmbeddingLookup(TOKENS, TABLE)
    (live,) = open_page(page, tmp_path, widget)
    columns = TABLE.shape[1]
    for place, number in enumerate(widget.ids):
        live.get_by_role("radio").nth(place).check()
        page.evaluate(FRAME)
        weights = one_hot(number, 5)
        cells = np.array(live.locator(".look-value").evaluate_all(VALUES)).reshape(-1, columns)
        np.testing.assert_allclose(cells[:-1], TABLE, rtol=0, atol=1e-6)
        np.testing.assert_allclose(cells[-1], embed(number, TABLE), rtol=0, atol=1e-6)
        assert live.locator(".look-weight").evaluate_all(VALUES) == weights.tolist()
        assert lit(live) == [f"{number} {TOKENS[place]}"]
    live.get_by_text("Times 0 or 1").click()
    page.evaluate(FRAME)
    cells = np.array(live.locator(".look-value").evaluate_all(VALUES)).reshape(-1, columns)
    np.testing.assert_allclose(cells[:-1], weights[:, None] * TABLE, rtol=0, atol=1e-6)
    np.testing.assert_allclose(cells[-1], cells[:-1].sum(0), rtol=0, atol=1e-6)


def test_the_same_token_lights_the_same_row(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, EmbeddingLookup(TOKENS, TABLE, place=1))
    twin = live.locator(".look-twin")
    assert twin.count() == 1
    assert (
        live.get_by_role("radio")
        .nth(5)
        .evaluate("input => input.closest('label').classList.contains('look-twin')")
    )
    before = lit(live)
    live.get_by_role("radio").nth(5).check()
    live.get_by_role("status").get_by_text(
        "“cat” at position 5 has ID 1: row 1 lights up, the same as at position 1."
    ).wait_for()
    assert lit(live) == before == ["1 cat"]


def test_keyboard_alone(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, EmbeddingLookup(TOKENS, TABLE))
    status = live.get_by_role("status")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    status.get_by_text("“cat” at position 1").wait_for()
    live.get_by_role("slider").focus()
    page.keyboard.press("End")
    value = f"{TABLE[1, 3]:.2f}".replace("-", "−")
    status.get_by_text(f"Column 3 adds up to {value}.").wait_for()
    assert live.get_by_role("slider").get_attribute("aria-valuetext") == "column 3"
    live.get_by_role("radio", name="As they are").focus()
    page.keyboard.press("ArrowRight")
    status.get_by_text("times 0, 4 of the 5 rows become zeros").wait_for()
    live.get_by_role("button", name="Show as table").focus()
    page.keyboard.press("Space")
    table = live.get_by_role("table", name="One-hot row of “cat” times the table")
    table.wait_for()
    rows = [row.locator("td").all_text_contents() for row in table.locator("tbody tr").all()]
    assert [row[:3] for row in rows[:2]] == [["0", "a", "0"], ["1", "cat", "1"]]
    shown = [float(text.replace("−", "-")) for text in rows[-1][3:]]
    np.testing.assert_allclose(shown, TABLE[1], rtol=0, atol=1e-6)


def test_the_table_has_no_idle_zeros(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, EmbeddingLookup(["a"], [[-0.4, 0.0, 1 / 3, -1e-9]]))
    live.get_by_role("button", name="Show as table").click()
    cells = live.get_by_role("table").locator("tbody tr").first.locator("td")
    assert cells.all_text_contents()[3:] == ["−0.4", "0", "0.333333", "0"]


def test_a_click_chooses_the_column(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, EmbeddingLookup(TOKENS, TABLE))
    for cell, column in ((".look-head.look-column", 2), (".look-result", 1), (".look-value", 3)):
        live.locator(cell).nth(column).click()
        live.get_by_text(f"Add up column: {column}").wait_for()
        assert live.get_by_role("slider").input_value() == str(column)


def test_the_sum_is_written_out(page: "Page", tmp_path: Path) -> None:
    widget = EmbeddingLookup(["b", "a"], [[0.5], [-0.25]])
    (live,) = open_page(page, tmp_path, widget)
    assert live.locator(".look-sum").inner_text() == "Column 0: 0 × 0.50 + 1 × −0.25 = −0.25"
    assert not live.get_by_role("slider").is_visible()  # one column: nothing to choose


def test_play_walks_to_the_end(page: "Page", tmp_path: Path) -> None:
    (live,) = open_still(page, tmp_path, EmbeddingLookup(TOKENS, TABLE, place=4))
    live.get_by_role("button", name="Play").click()
    page.clock.run_for(1000)
    live.get_by_role("status").get_by_text("at position 5").wait_for()
    live.get_by_role("button", name="Play").click()  # from the end: starts over
    live.get_by_role("button", name="Pause").click()
    live.get_by_role("button", name="Play").wait_for()


def test_a_new_table_is_drawn(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, EmbeddingLookup(TOKENS, TABLE))
    page.evaluate("rows => plainformer.widgets[0].model.set('table', rows)", (2 * TABLE).tolist())
    page.evaluate(FRAME)
    found = live.locator(".look-result").evaluate_all(VALUES)
    np.testing.assert_allclose(found, 2 * TABLE[4], rtol=0, atol=1e-6)


def test_the_picture_has_the_colours_of_the_live_widget(page: "Page", tmp_path: Path) -> None:
    open_page(page, tmp_path, EmbeddingLookup(TOKENS, TABLE, place=1))
    colours = "cells => cells.map(c => [c.style.backgroundColor, c.style.color, c.textContent])"
    live = page.locator(".pf-live .look-value").evaluate_all(colours)
    picture = page.locator(".pf-fallback .look-value").evaluate_all(colours)
    assert len(live) == 24
    assert live == picture


def test_a_phone_sees_the_whole_grid(page: "Page", tmp_path: Path) -> None:
    page.set_viewport_size({"width": 342, "height": 640})  # as wide as a page of the book at 360
    (live,) = open_page(page, tmp_path, EmbeddingLookup(TOKENS, TABLE))
    assert live.locator(".look-box").evaluate("box => box.scrollWidth <= box.clientWidth")
    assert live.locator(".look-box").get_attribute("tabindex") is None

"""AttentionMap in a static page opened as a file, in Chromium: by pointer, keyboard and touch.

Its numbers are in `test_attention_map_numbers.py`, its looks in `test_attention_map_looks.py`.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from tests.widgets.attention_maps import (
    HEADS,
    arcs,
    numbers,
    pieces_of_words,
    running,
    status,
    temperature,
    words,
)
from tests.widgets.pages import FRAME, open_page, put, trait

from plainformer.widgets import AttentionMap

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def test_pointing_shows_and_pressing_keeps(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, running())
    sentence = live.locator(".pf-sentence")
    sentence.get_by_text("“cat” at position 1 gives 0.77 of its attention to “lovely”.").wait_for()
    words(live).nth(3).hover()
    sentence.get_by_text("“a” gives 0.34 of its attention to “cat” at position 1 and").wait_for()
    assert numbers(live)[1] == "0.34"
    assert trait(page, "query") == 1
    page.mouse.move(3, 3)
    sentence.get_by_text("“cat” at position 1 gives").wait_for()
    words(live).nth(3).click()
    page.mouse.move(3, 3)
    page.evaluate(FRAME)
    assert trait(page, "query") == 3
    live.locator(".am-thumb").nth(1).click()
    sentence.get_by_text("Head 2: “a” gives the same share to all 6 tokens").wait_for()
    assert len(set(arcs(live))) == 1


def test_everything_works_by_keyboard(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, running())
    words(live).nth(1).locator("input").focus()
    for key, query in [("ArrowRight", 2), ("ArrowDown", 3), ("ArrowLeft", 2), ("ArrowUp", 1)]:
        page.keyboard.press(key)
        page.evaluate(FRAME)
        assert trait(page, "query") == query, key
    page.keyboard.press("ArrowLeft")
    status(live, "Head 1: “your” gives 0.45 of its attention to “cat” at position 1")
    live.get_by_role("radio", name="head 2").press("Space")
    status(live, "Head 2: “your” gives the same share to all 6 tokens, 0.17 each.")
    live.get_by_label("Causal mask").press("Space")
    status(live, "Causal mask on: no token sees a later one. Head 2: “your” can see only itself")
    live.get_by_label("Padding mask").press("Space")
    status(live, "Padding mask on “cat” at position 5.")
    live.locator("summary", has_text="Settings").press("Enter")
    temperature(live).press("End")
    status(live, "Temperature 10.")
    assert trait(page, "temperature") == 10
    live.get_by_label("Scores divided by √2").press("Space")
    status(live, "Scores not divided by √2.")
    live.get_by_role("group", name="Tokens that are padding").get_by_label("your").press("Space")
    status(live, "Padding mask on “your”, “cat” at position 5.")
    live.get_by_label("Padding mask").press("Space")
    status(live, "Padding mask off.")
    live.get_by_label("Padding mask").press("Space")
    status(live, "Padding mask on “your”, “cat” at position 5.")  # it remembers which
    live.get_by_role("button", name="Reset").press("Enter")
    page.evaluate(FRAME)
    state = [trait(page, name) for name in ("causal", "scaled", "temperature")]
    assert state == [False, True, 1]
    assert trait(page, "padding") == [False] * 6


def test_a_row_with_nothing_left_says_so(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, running(query=0, causal=True))
    live.locator("summary", has_text="Settings").click()
    pads = live.get_by_role("group", name="Tokens that are padding").get_by_role("checkbox")
    for j in range(6):
        pads.nth(j).click()
    status(live, "“your” has no token left to attend to: all of them are masked.")
    assert numbers(live) == ["–"] * 6 and not any(arcs(live))
    live.get_by_role("button", name="Show as table").click()
    assert "NaN" not in live.inner_text()


def test_where_the_model_gave_nothing_it_says_so(page: "Page", tmp_path: Path) -> None:
    hard = AttentionMap(["a", "b", "c"], np.eye(3)[[1, 2, 0]], causal=True)
    (live,) = open_page(page, tmp_path, hard)
    status(live, "“a” has nothing left to attend to: all tokens that no mask hides had")


def test_the_causal_mask_is_offered_where_it_makes_sense(page: "Page", tmp_path: Path) -> None:
    cross = AttentionMap(["a", "b"], np.full((2, 3), 1 / 3), keys=["x", "y", "y"], query=1)
    crossed, causal = open_page(page, tmp_path, cross, pieces_of_words())
    assert crossed.get_by_label("Causal mask").count() == 0
    assert crossed.locator(".am-already").count() == 0
    crossed.locator("summary", has_text="Settings").click()
    assert crossed.get_by_label("Scores divided").count() == 0
    assert crossed.locator(".am-thumb:visible").count() == 0  # one head: nothing to choose
    assert words(crossed).count() == 2
    status(crossed, "“b” gives the same share to all 3 tokens, 0.33 each.")
    assert not causal.get_by_label("Causal mask").is_visible()
    assert causal.get_by_text("Causal mask: already in these weights.").is_visible()
    assert numbers(causal)[1:] == ["–"] * 4


def test_what_python_sets_is_drawn(page: "Page", tmp_path: Path) -> None:
    widget = running()
    (live,) = open_page(page, tmp_path, widget)
    widget.weights = HEADS[::-1]
    put(page, data=widget.data)
    status(live, "Head 1: “cat” at position 1 gives 0.68 of its attention to “your”")
    put(page, padding=[False, True, False, False, False, True], temperature=0.25)
    assert live.get_by_label("Padding mask").is_checked()
    live.locator("summary", has_text="Settings").click()
    assert temperature(live).get_attribute("aria-valuetext") == "0.25"


def test_touch_chooses(browser: "Browser", tmp_path: Path) -> None:
    size: Any = {"width": 360, "height": 740}
    context = browser.new_context(viewport=size, has_touch=True, is_mobile=True)
    page = context.new_page()
    (live,) = open_page(page, tmp_path, running())
    words(live).nth(3).tap()
    page.wait_for_function("plainformer.widgets[0].model.get('query') === 3")
    live.locator(".am-thumb").nth(1).tap()
    page.wait_for_function("plainformer.widgets[0].model.get('head') === 1")
    context.close()


def test_a_phone_sees_all_sixteen_heads_of_a_model(page: "Page", tmp_path: Path) -> None:
    page.set_viewport_size({"width": 342, "height": 740})  # as wide as a page of the book at 360
    (live,) = open_page(page, tmp_path, pieces_of_words(layers=4))
    page.add_style_tag(content="html { font-size: 17px }")  # the book's
    page.evaluate(FRAME)
    assert live.locator(".am-thumb").count() == 16
    assert live.locator(".am-heads").evaluate("e => e.scrollHeight <= e.clientHeight")

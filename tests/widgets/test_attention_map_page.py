"""AttentionMap in a static page opened as a file, in Chromium: by pointer, keyboard and touch.

Its numbers are in `test_attention_map_numbers.py`, its looks in `test_attention_map_looks.py`.
"""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from tests.widgets.attention_maps import HEADS, map_of, running, slider, status, wide
from tests.widgets.pages import FRAME, centre, open_page, put, trait

from plainformer.widgets import AttentionMap

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def test_pointing_shows_and_pressing_keeps(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, running())
    sentence = live.locator(".pf-sentence")
    page.mouse.move(*centre(map_of(live), 3, 1, 6, 6))
    sentence.get_by_text("“a” at position 3 looks most at “cat” at position 1, 0.34").wait_for()
    assert trait(page, "query") == 1
    page.mouse.move(3, 3)
    sentence.get_by_text("“cat” at position 1 looks").wait_for()
    page.mouse.click(*centre(map_of(live), 3, 5, 6, 6))
    page.mouse.move(3, 3)
    page.evaluate(FRAME)
    assert (trait(page, "query"), trait(page, "key")) == (3, 5)
    live.locator(".am-queries .am-label").nth(4).hover()  # the tokens beside the map, too
    sentence.get_by_text("“lovely” at position 4 looks").wait_for()
    live.locator(".am-from").nth(2).click()  # and those of the flow
    page.evaluate(FRAME)
    assert (trait(page, "query"), trait(page, "key")) == (2, 5)
    live.locator(".am-to").nth(0).click()
    page.evaluate(FRAME)
    assert trait(page, "key") == 0


def test_everything_works_by_keyboard(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, running())
    map_of(live).focus()
    for key, cell in [
        ("ArrowDown", (2, 4)), ("ArrowRight", (2, 5)), ("ArrowRight", (2, 5)), ("Home", (2, 0)),
        ("ArrowUp", (1, 0)), ("End", (1, 5)), ("PageDown", (5, 5)), ("PageUp", (0, 5)),
    ]:  # fmt: skip
        page.keyboard.press(key)
        page.evaluate(FRAME)
        assert (trait(page, "query"), trait(page, "key")) == cell, key
    said = map_of(live).get_attribute("aria-valuetext") or ""
    assert re.fullmatch(r"“your”, position 0, to “cat”, position 5: weight 0\.\d{3}", said)
    status(live, "Head 0: “your” at position 0 looks most at “cat” at position 1, 0.45; entropy")
    slider(live, "Query").press("End")
    status(live, "“cat” at position 5 looks most at “lovely”, 0.77")
    slider(live, "Key").press("Home")
    status(live, "of at most 1.79 nats. At “your”: 0.05.")
    live.get_by_role("radio", name="1").press("Space")
    status(live, "Head 1: “cat” at position 5 looks most at “your”")
    slider(live, "Temperature").press("End")
    status(live, "Temperature 10.")
    assert trait(page, "temperature") == 10
    live.get_by_label("Causal mask").press("Space")
    status(live, "Causal mask on: no query sees a later key.")
    live.get_by_label("Scores divided by √2").press("Space")
    status(live, "Scores not divided by √2.")
    live.get_by_label("Numbers").press("Space")
    status(live, "Numbers in the cells hidden.")
    assert live.locator(".hm-numbers span").count() == 0
    live.get_by_label("Padding mask").press("Space")
    status(live, "Padding mask on “cat” at position 5.")
    live.get_by_role("group", name="Keys that are padding").get_by_label("your").press("Space")
    status(live, "Padding mask on “your”, “cat” at position 5.")
    live.get_by_label("Padding mask").press("Space")
    status(live, "Padding mask off.")
    live.get_by_role("button", name="Reset").press("Enter")
    page.evaluate(FRAME)
    state = [trait(page, name) for name in ("causal", "scaled", "temperature")]
    assert state == [False, True, 1]
    assert trait(page, "padding") == [False] * 6


def test_a_row_with_nothing_left_says_so(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, running(query=0, causal=True))
    pads = live.get_by_role("group", name="Keys that are padding").get_by_role("checkbox")
    live.get_by_label("Padding mask").click()
    for j in range(5):
        pads.nth(j).click()
    status(live, "“your” at position 0 has no key left to look at: all are masked")
    assert live.get_by_text("nothing left to look at", exact=True).is_visible()
    assert live.locator(".am-weight").all_text_contents() == ["masked"] * 6
    live.get_by_role("button", name="Show as table").click()
    assert "NaN" not in live.inner_text()
    for j in range(6):
        pads.nth(j).click()
    page.evaluate(FRAME)
    assert pads.first.is_visible()  # no focus is lost when the last of them goes
    assert not live.get_by_text("nothing left to look at", exact=True).is_visible()


def test_where_the_model_gave_nothing_it_says_so(page: "Page", tmp_path: Path) -> None:
    hard = AttentionMap(["a", "b", "c"], np.eye(3)[[1, 2, 0]], causal=True)
    (live,) = open_page(page, tmp_path, hard)
    status(live, "“a” at position 0 has nothing left to look at: the keys that no mask hides had")


def test_the_causal_mask_is_offered_where_it_makes_sense(page: "Page", tmp_path: Path) -> None:
    cross = AttentionMap(["a", "b"], np.full((2, 3), 1 / 3), keys=["x", "y", "y"], query=1)
    (live,) = open_page(page, tmp_path, cross)
    assert live.get_by_label("Causal mask").count() == 0
    assert live.get_by_label("Scores divided").count() == 0
    assert live.get_by_role("radio").count() == 0  # one head: nothing to choose
    slider(live, "Key").press("End")
    status(live, "At “y” at position 2: 0.33.")


def test_what_python_sets_is_drawn(page: "Page", tmp_path: Path) -> None:
    widget = running()
    (live,) = open_page(page, tmp_path, widget)
    widget.weights = HEADS[::-1]
    put(page, data=widget.data)
    status(live, "Head 0: “cat” at position 1 looks most at “your”")
    put(page, padding=[False, True, False, False, False, True], temperature=0.25)
    assert live.get_by_label("Padding mask").is_checked()
    assert slider(live, "Temperature").get_attribute("aria-valuetext") == "0.25"


def test_touch_chooses(browser: "Browser", tmp_path: Path) -> None:
    size: Any = {"width": 360, "height": 740}
    context = browser.new_context(viewport=size, has_touch=True, is_mobile=True)
    page = context.new_page()
    (live,) = open_page(page, tmp_path, running())
    page.touchscreen.tap(*centre(map_of(live), 3, 2, 6, 6))
    page.wait_for_function("plainformer.widgets[0].model.get('query') === 3")
    live.locator(".am-from").nth(4).tap()
    page.wait_for_function("plainformer.widgets[0].model.get('query') === 4")
    context.close()


def test_a_pointer_rebuilds_nothing(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, wide(40))
    page.evaluate(
        """window.made = 0;
        const root = document.querySelector(".pf-live");
        new MutationObserver((all) => {
          for (const { addedNodes } of all) {
            window.made += [...addedNodes].filter((n) => n.nodeType === 1).length;
          }
        }).observe(root, { childList: true, subtree: true });"""
    )
    for row in range(20, 30):
        page.mouse.move(*centre(map_of(live), row, row // 2, 40, 40))
        page.evaluate(FRAME)
    slider(live, "Query").press("End")
    slider(live, "Temperature").press("ArrowLeft")
    page.evaluate(FRAME)
    assert page.evaluate("window.made") == 0

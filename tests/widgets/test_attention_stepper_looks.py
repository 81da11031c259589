"""AttentionStepper in Chromium: at every width, in both modes, in print, and what it redraws."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from playwright.sync_api import expect
from tests.widgets.pages import FRAME, open_page
from tests.widgets.steppers import LARGE, grid

from plainformer.widgets import AttentionStepper

if TYPE_CHECKING:
    from playwright.sync_api import Page


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


def test_a_phone_sees_the_whole_sentence(page: "Page", tmp_path: Path) -> None:
    page.set_viewport_size({"width": 342, "height": 640})  # as wide as a page of the book at 360
    (live,) = open_page(page, tmp_path, AttentionStepper(step=3))
    page.add_style_tag(content="html { font-size: 17px }")  # the book's
    page.evaluate(FRAME)
    for place in live.locator(".as-scroll").all():
        assert place.evaluate("box => box.scrollWidth <= box.clientWidth")


def test_a_row_that_scrolls_has_a_name(page: "Page", tmp_path: Path) -> None:
    page.set_viewport_size({"width": 342, "height": 640})
    (live,) = open_page(page, tmp_path, AttentionStepper(**LARGE, step=3))
    row = live.get_by_role("group", name="The row one step before")
    expect(row).to_have_attribute("tabindex", "0")
    unnamed = "all => all.filter(e => !e.role || !e.ariaLabel).map(e => e.className)"
    assert live.locator("div[tabindex='0']:visible").evaluate_all(unnamed) == []


@pytest.mark.parametrize(("motion", "moves"), [("no-preference", True), ("reduce", False)])
def test_numbers_flow_at_every_step(motion: Any, moves: bool, page: "Page", tmp_path: Path) -> None:
    page.emulate_media(reduced_motion=motion)
    page.add_init_script("window.passed = 0; performance.now = () => passed;")
    (live,) = open_page(page, tmp_path, AttentionStepper())
    source, result = live.locator("input.as-source").first, grid(live).locator(".as-chosen")
    name = "e => getComputedStyle(e).animationName"
    seen = [(source.evaluate(name), result.evaluate(name))]
    for _ in range(3):
        page.evaluate("passed += 1000")
        live.get_by_role("button", name="Next").click()
        page.evaluate(FRAME)
        seen.append((source.evaluate(name), result.evaluate(name)))
    still, *flows = [("none", "none")] * 4
    if moves:  # another name at each step: the motion begins anew
        flows = [(f"as-give-{i}", f"as-take-{i}") for i in (1, 0, 1)]
    assert seen == [still, *flows]
    live.get_by_role("button", name="Back").click()  # at once, as while a key is held
    page.evaluate(FRAME)
    assert source.evaluate(name) == "none"
    grid(live).press("ArrowUp")  # another cell
    page.evaluate(FRAME)
    assert result.evaluate(name) == "none"

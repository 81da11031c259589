"""AttentionStepper in Chromium: at every width, in both modes, in print, and what it redraws."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from playwright.sync_api import expect
from tests.widgets.pages import FRAME, axe_problems, open_page
from tests.widgets.steppers import LARGE, grid, total

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

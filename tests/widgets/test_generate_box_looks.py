"""GenerateBox in Chromium for every reader: two on a page, axe, small windows, print."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.widgets.generate_box import make, press, unfold, wait_for_tokens
from tests.widgets.pages import axe_problems, open_page, trait

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_two_on_a_page_are_strangers(page: "Page", tmp_path: Path) -> None:
    first, second = open_page(page, tmp_path, make(), make(prompt="your cat"))
    shown = second.locator(".gen-text, .gen-panel, .pf-sentence")
    before = shown.all_inner_texts()
    press(first, "Continue")
    wait_for_tokens(page, 40)
    assert shown.all_inner_texts() == before
    assert trait(page, "output", 1) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(theme: str, page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, make(seed=3))
    page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
    press(live, "Continue")
    wait_for_tokens(page, 40)
    unfold(live)
    press(live, "Show as table")
    live.locator(".gen-token").nth(3).click()
    page.wait_for_timeout(200)
    assert axe_problems(page) == []


@pytest.mark.parametrize("width", [320, 360, 900])
def test_nothing_overflows_and_a_thumb_finds_it(width: int, page: "Page", tmp_path: Path) -> None:
    page.set_viewport_size({"width": width, "height": 640})
    long = make(prompt="supercalifragilistic" * 40, temperature=3, repetition=2)
    for live in open_page(page, tmp_path, make(), long):
        press(live, "Continue")
        live.get_by_role("button", name="Continue", exact=True).wait_for()
        unfold(live)
        press(live, "Show as table")
        page.wait_for_timeout(150)
        assert live.locator(".pf-card").evaluate("card => card.scrollWidth <= card.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    targets = page.locator(".pf-live").locator("button, input, textarea, summary")
    for target in targets.filter(visible=True).all():
        box = target.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44, target.text_content()


def test_without_scripts_and_in_print_the_picture_stands(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, make())
    picture = page.locator(".pf-fallback .gen-text")
    assert not picture.is_visible()
    page.emulate_media(media="print")
    assert picture.is_visible()
    assert not live.is_visible()

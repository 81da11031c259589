"""GenerateBox in Chromium for every reader: two on a page, axe, small windows, print."""

from pathlib import Path
from typing import TYPE_CHECKING

from tests.widgets.generate_box import make, press, wait_for_tokens
from tests.widgets.pages import open_page, trait

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

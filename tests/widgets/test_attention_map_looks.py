"""AttentionMap on a page: hidden and shown again, on a narrow screen, in both themes, for axe."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.widgets.attention_maps import (
    arcs,
    crossing,
    pieces_of_words,
    running,
    status,
    wide,
    words,
)
from tests.widgets.pages import FRAME, open_page

from plainformer.widgets import AttentionMap

if TYPE_CHECKING:
    from playwright.sync_api import Page

LETTERS = """live => {
  const walker = document.createTreeWalker(live, NodeFilter.SHOW_TEXT);
  const sizes = [];
  while (walker.nextNode()) {
    const at = walker.currentNode.parentElement;
    const seen = walker.currentNode.data.trim() && at.checkVisibility();
    if (seen && !at.closest(".pf-sr-only")) sizes.push(parseFloat(getComputedStyle(at).fontSize));
  }
  return sizes;
}"""


def test_a_long_token_is_cut_and_one_without_a_space_joins_the_word_before(
    page: "Page", tmp_path: Path
) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    long, whole, pieces = open_page(page, tmp_path, wide(40), running(), pieces_of_words())
    widths = words(long).evaluate_all("all => all.map((e) => e.offsetWidth)")
    assert max(widths) <= long.locator(".am-words").evaluate("e => e.clientWidth")
    assert whole.locator(".am-glued").count() == 0  # no token brings a space: each is a word
    assert pieces.locator(".am-glued bdi").all_text_contents() == ["ly", "."]
    assert words(pieces).locator("bdi").all_text_contents() == ["a", "love", "ly", "cat", "."]


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1920, 1080)])
@pytest.mark.parametrize("make", [running, crossing, partial(pieces_of_words, layers=4)])
def test_on_a_projector_nothing_is_small_and_nothing_is_cut_off(
    width: int, height: int, make: Callable[[], AttentionMap], page: "Page", tmp_path: Path
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    (live,) = open_page(page, tmp_path, make())
    live.get_by_role("button", name="Full screen", exact=True).press("Enter")
    live.get_by_role("button", name="Leave full screen").wait_for()
    page.evaluate(FRAME)
    page.evaluate(FRAME)
    assert min(live.evaluate(LETTERS)) >= height / 45
    letters = live.locator(".am-word").evaluate_all(
        "all => all.map((e) => Number.parseFloat(getComputedStyle(e).fontSize))"
    )
    assert len(set(letters)) == 1 and letters[0] > height / 25  # the words are what is large
    assert live.locator(".pf-card").evaluate("c => c.scrollHeight <= innerHeight")
    assert live.locator(".am-words").evaluate("e => e.clientWidth") > 0.9 * width


@pytest.mark.parametrize("how", ["display", "print"])
def test_hidden_it_still_follows_python(how: str, page: "Page", tmp_path: Path) -> None:
    """JupyterLab hides a notebook whose tab is behind another; once that hung the browser's tab."""
    (live,) = open_page(page, tmp_path, running())
    show = "hidden => document.querySelector('main').style.display = hidden ? 'none' : ''"

    def hide(hidden: bool) -> None:
        if how == "display":
            page.evaluate(show, hidden)
        else:
            page.emulate_media(media="print" if hidden else "screen")
        page.evaluate(FRAME)
        page.evaluate(FRAME)  # the map learns of its new size a frame later

    hide(True)
    assert not live.is_visible()
    page.evaluate("plainformer.widgets[0].model.set('query', 3)")
    page.wait_for_function("document.querySelector('.am-query bdi').textContent === 'a'")
    hide(False)
    status(live, "“a” gives 0.34 of its attention to “cat” at position 1")
    assert max(arcs(live)) > 0

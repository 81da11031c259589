"""AttentionMap on a page: hidden and shown again, on a narrow screen, in both themes, for axe."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.widgets.attention_maps import running, status, wide
from tests.widgets.pages import FRAME, open_page

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_the_position_beside_a_long_token_stays_whole(page: "Page", tmp_path: Path) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    (live,) = open_page(page, tmp_path, wide(40))
    heights = live.locator(".am-flow small").evaluate_all("all => all.map(e => e.offsetHeight)")
    shown = [each for each in heights if each]
    assert len(shown) == 12 and max(shown) < 1.5 * min(shown)  # the query, and eleven keys


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
    page.wait_for_function("document.querySelector('.am-queries .am-marked').textContent === '3a'")
    hide(False)
    status(live, "“a” at position 3 looks most at “cat” at position 1")
    assert live.locator(".am-keys .am-label:visible").count() == 6

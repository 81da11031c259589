"""AttentionMap on a page: hidden and shown again, on a narrow screen, in both themes, for axe."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.widgets.attention_maps import running, softmax_maps, status, wide
from tests.widgets.pages import FRAME, axe_problems, open_page

from plainformer.widgets import AttentionMap

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
        page.wait_for_timeout(200)  # the map learns of its new size a little later

    hide(True)
    assert not live.is_visible()
    page.evaluate("plainformer.widgets[0].model.set('query', 3)")
    page.wait_for_function("document.querySelector('.am-queries .am-marked').textContent === '3a'")
    hide(False)
    status(live, "“a” at position 3 looks most at “cat” at position 1")
    assert live.locator(".am-keys .am-label:visible").count() == 6


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(theme: str, page: "Page", tmp_path: Path) -> None:
    masked = running(causal=True, padding=[True] + [False] * 5, query=0, names=["one", "two"])
    lives = open_page(page, tmp_path, running(), masked, wide(40))
    page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
    for live in lives[:2]:
        live.get_by_role("button", name="Show as table").click()
    page.evaluate(FRAME)
    assert axe_problems(page) == []


@pytest.mark.parametrize("width", [320, 360, 900])
def test_nothing_overflows_and_every_target_fits_a_thumb(
    width: int, page: "Page", tmp_path: Path
) -> None:
    page.set_viewport_size({"width": width, "height": 740})
    tokens = [f"{i}-internationalization" for i in range(14)]
    long = AttentionMap(tokens, softmax_maps(1, 9, 14, 14), padding=[True] * 2 + [False] * 12)
    lives = open_page(page, tmp_path, running(), wide(), long)
    for live in lives:
        live.get_by_role("button", name="Show as table").click()
    page.wait_for_timeout(150)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    for target in page.locator(".pf-live").locator("button:visible, input:visible").all():
        box = target.evaluate("t => (t.closest('label') ?? t).getBoundingClientRect().height")
        assert box >= 44, target.evaluate("t => t.outerHTML.slice(0, 90)")
    page.evaluate(
        "document.querySelectorAll('.pf-widget').forEach(w => w.removeAttribute('data-pf-ready'))"
    )
    assert page.evaluate("document.documentElement.scrollWidth") == width

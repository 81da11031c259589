"""PositionalWaves on a page: in a fold, on a narrow screen, for axe, and with little motion."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.widgets.pages import FRAME, axe_problems, open_page, small_targets
from tests.widgets.waves import slider

from plainformer.widgets import PositionalWaves

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_a_closed_fold_draws_when_it_opens(page: "Page", tmp_path: Path) -> None:
    open_page(
        page,
        tmp_path,
        f"<details><summary>More</summary>{PositionalWaves().html()}</details>",
    )
    page.wait_for_timeout(100)
    assert page.locator("[data-pf-ready]").count() == 0
    page.get_by_text("More").click()
    page.locator("details [data-pf-ready]").wait_for()
    box = page.locator(".hm-map").bounding_box()
    assert box is not None and box["width"] > 200 and box["height"] > 200


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(theme: str, page: "Page", tmp_path: Path) -> None:
    widgets = [PositionalWaves(), PositionalWaves(3, 4, view="similarity"), PositionalWaves(3, 4)]
    lives = open_page(page, tmp_path, *widgets)
    page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
    for live in lives:
        live.get_by_role("button", name="Show as table").click()
    slider(lives[0], "d_model").fill("4")  # a pin beyond it
    page.evaluate(FRAME)
    assert axe_problems(page) == []


@pytest.mark.parametrize("width", [320, 360, 900])
def test_nothing_overflows_and_every_target_fits_a_thumb(
    width: int, page: "Page", tmp_path: Path
) -> None:
    page.set_viewport_size({"width": width, "height": 640})
    large = PositionalWaves(128, 64, 100000.0, 127, 63, pinned=[61, 62, 60])
    lives = open_page(page, tmp_path, large, PositionalWaves(view="similarity"))
    for live in lives:
        live.get_by_role("button", name="Show as table").click()
    page.wait_for_timeout(100)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert small_targets(page.locator(".pf-live").locator("button:visible, input:visible")) == []
    page.evaluate(
        "document.querySelectorAll('.pf-widget').forEach(w => w.removeAttribute('data-pf-ready'))"
    )
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_the_walk_takes_its_time_where_motion_is_unwelcome(page: "Page", tmp_path: Path) -> None:
    page.emulate_media(reduced_motion="reduce")
    page.add_init_script(
        "window.waits = []; const set = setTimeout;"
        "window.setTimeout = (f, ms, ...rest) => (window.waits.push(ms), set(f, ms, ...rest));"
    )
    (live,) = open_page(page, tmp_path, PositionalWaves())
    live.get_by_role("button", name="Walk").click()
    page.wait_for_function("window.waits.includes(900)")
    live.get_by_role("button", name="Pause").click()

"""PositionalWaves on a page: in a fold, on a narrow screen, for axe, and with little motion."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.widgets.pages import FRAME, open_page, put
from tests.widgets.test_full_screen import enter

from plainformer.widgets import PositionalWaves
from plainformer.widgets.positional_waves.widget import VIEWS

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_a_closed_fold_draws_when_it_opens(page: "Page", tmp_path: Path) -> None:
    open_page(
        page,
        tmp_path,
        f"<details><summary>More</summary>{PositionalWaves(view='matrix').html()}</details>",
    )
    page.evaluate(FRAME)
    page.evaluate(FRAME)  # an observer of sizes has reported by now
    assert page.locator("[data-pf-ready]").count() == 0
    page.get_by_text("More").click()
    page.locator("details [data-pf-ready]").wait_for()
    box = page.locator(".hm-map").bounding_box()
    assert box is not None and box["width"] > 200 and box["height"] > 100


def test_every_view_fits_a_projected_screen(page: "Page", tmp_path: Path) -> None:
    page.set_viewport_size({"width": 1280, "height": 640})
    html = PositionalWaves().html()
    (live,) = open_page(page, tmp_path, f'<div style="width: 735px">{html}</div>')
    page.evaluate("() => { document.documentElement.style.fontSize = '17px'; }")  # as in the book
    for view in VIEWS:
        put(page, view=view)
        page.evaluate(FRAME)
        box = live.bounding_box()
        assert box is not None and box["height"] <= 640, view


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


def test_on_dark_ground_zero_does_not_glare(page: "Page", tmp_path: Path) -> None:
    open_page(page, tmp_path, PositionalWaves(view="matrix"))
    cell = """() => {
        const cells = document.querySelector("canvas.hm-cells").getContext("2d");
        const strip = document.querySelector(".hm-strip").style.background;
        return [[...cells.getImageData(0, 0, 1, 1).data].slice(0, 3), strip];
    }"""  # the sine of 0
    light, strip = page.evaluate(cell)
    page.evaluate("() => { document.documentElement.dataset.theme = 'dark'; }")
    page.evaluate(FRAME)
    page.evaluate(FRAME)
    dark, other = page.evaluate(cell)
    assert min(light) > 230 and max(dark) < 50
    assert strip != other


SMALL = """() => {
  const small = new Set();
  const card = document.querySelector(".pf-card");
  const walker = document.createTreeWalker(card, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const at = walker.currentNode.parentElement;
    if (!at.checkVisibility() || at.closest(".pf-sr-only")) continue;
    const size = Number.parseFloat(getComputedStyle(at).fontSize);
    if (size < innerHeight / 45) small.add(`${walker.currentNode.data}: ${size}`);
  }
  return [...small];
}"""


@pytest.mark.parametrize("view", VIEWS)
def test_on_a_projector_all_of_it_is_large(view: str, page: "Page", tmp_path: Path) -> None:
    above = f"<p>{30 * 'many words '}</p>"
    cell = f'<div class="cell">{PositionalWaves(view=view, position=9).html()}</div>'
    for size in ((1280, 720), (1920, 1080)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        (live,) = open_page(page, tmp_path, above + cell)
        enter(page, live)
        page.evaluate(FRAME)
        assert page.evaluate(SMALL) == []
        card = live.locator(".pf-card")
        assert card.evaluate("c => [c.scrollWidth, c.scrollHeight]") == [*size]
        page.keyboard.press("Escape")

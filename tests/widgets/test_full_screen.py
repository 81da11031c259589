"""A card alone on the screen: its title large, by keyboard in and out, in Jupyter too."""

from pathlib import Path
from typing import TYPE_CHECKING

from tests.site.axe import axe_problems
from tests.widgets.cases import Case, every
from tests.widgets.pages import FRAME, open_page

from plainformer.inputs import BPETokenizer
from plainformer.widgets import GradientFlow, SamplerLab
from plainformer.widgets.kit.front_end import bundle

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

IS_FULL = "() => document.fullscreenElement?.matches('.pf-card') ?? false"
SIZE = "e => Number.parseFloat(getComputedStyle(e).fontSize)"


NO_LENGTH = """live => [...live.querySelectorAll("path[d]")].flatMap((path) => {
  const parts = path.getAttribute("d").split(/(?=M)/).filter(Boolean);
  const alone = path.cloneNode();
  return parts.filter((d) => (alone.setAttribute("d", d), alone.getTotalLength() === 0));
})"""


def enter(page: "Page", live: "Locator") -> None:
    """Show a widget alone, by keyboard."""
    live.get_by_role("button", name="Full screen", exact=True).press("Enter")
    page.wait_for_function(IS_FULL)
    live.get_by_role("button", name="Leave full screen").wait_for()
    page.evaluate(FRAME)


@every
def test_every_card_goes_full_screen_and_back(
    case: Case, tokenizer: BPETokenizer, page: "Page", tmp_path: Path
) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    (live,) = open_page(page, tmp_path, case.usual(tokenizer))
    title = live.locator(".pf-title").first
    assert not title.is_visible()
    enter(page, live)
    assert title.is_visible()
    card = live.locator(".pf-card")
    assert title.inner_text() == card.get_attribute("aria-label")
    assert live.evaluate(NO_LENGTH) == []  # Firefox, once zoomed, draws these as bars
    assert title.evaluate(SIZE) >= 1.4 * live.locator(".pf-sentence").evaluate(SIZE)
    box = card.bounding_box()
    assert box is not None
    assert (box["x"], box["y"], round(box["width"]), round(box["height"])) == (0, 0, 1280, 720)
    assert card.evaluate("c => c.scrollWidth <= c.clientWidth")
    page.keyboard.press("Escape")
    page.wait_for_function(f"!({IS_FULL})()")
    live.get_by_role("button", name="Full screen", exact=True).wait_for()
    assert not title.is_visible()
    assert card.evaluate("c => c.style.zoom") == ""


def test_it_is_larger_on_a_large_screen_and_axe_finds_nothing(page: "Page", tmp_path: Path) -> None:
    page.set_viewport_size({"width": 1920, "height": 1080})
    (live,) = open_page(page, tmp_path, GradientFlow())
    cell = live.locator(".gf-cell").first
    before = cell.bounding_box()
    enter(page, live)
    after = cell.bounding_box()
    assert before is not None and after is not None
    assert after["height"] > 1.3 * before["height"]
    assert axe_problems(page) == []
    live.get_by_role("button", name="Leave full screen").press("Enter")
    page.wait_for_function(f"!({IS_FULL})()")


def test_on_a_small_projector_nothing_is_cut_off_below(page: "Page", tmp_path: Path) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    above = f"<p>{20 * 'many words '}</p>"
    (live,) = open_page(page, tmp_path, f'{above}<div class="cell">{SamplerLab().html()}</div>')
    enter(page, live)
    button = live.get_by_role("button", name="Draw 100").bounding_box()
    assert button is not None
    assert button["y"] + button["height"] <= 720


def test_the_line_above_it_on_the_page_stands_below_its_title(page: "Page", tmp_path: Path) -> None:
    question = "<p>What <em>moves</em>?</p>"
    (live,) = open_page(
        page, tmp_path, f'{question}<div class="cell">{GradientFlow().html()}</div>'
    )
    enter(page, live)
    assert live.locator(".pf-asks").inner_text() == "What moves?"


RENDER = """async ([code, state]) => {
  const model = { get: (name) => state[name], set() {}, on() {}, off() {}, save_changes() {} };
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const el = document.body.appendChild(document.createElement("div"));
  (await import(url)).default.render({ model, el });
  return [...el.querySelectorAll(".pf-tools button")].map((each) => each.ariaLabel);
}"""


def test_without_a_host_there_is_full_screen_and_no_link(page: "Page") -> None:
    given = [bundle("gradient_flow/view"), GradientFlow().state()]
    assert page.evaluate(RENDER, given) == ["Show as table", "Full screen"]


def test_where_it_is_refused_there_is_no_button(page: "Page", tmp_path: Path) -> None:
    script = "Object.defineProperty(document, 'fullscreenEnabled', { value: false });"
    page.add_init_script(script)
    (live,) = open_page(page, tmp_path, GradientFlow())
    live.get_by_role("button", name="Copy link").wait_for()
    assert live.get_by_role("button", name="Full screen").count() == 0


def test_a_button_that_is_refused_goes(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, GradientFlow())
    page.evaluate("() => { Element.prototype.requestFullscreen = () => Promise.reject('no'); }")
    live.get_by_role("button", name="Full screen").click()
    live.get_by_role("button", name="Full screen").wait_for(state="hidden")

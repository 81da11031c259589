"""Formulas on a page: there without scripts, as large as the text, scrolling where wide, copied."""

import io
from typing import TYPE_CHECKING

from PIL import Image
from tests.site.conftest import Open
from tests.site.report import expect_none

if TYPE_CHECKING:
    from playwright.sync_api import Locator

PAGE = "book/attention/self_attention.html"
NARROW = {"viewport": {"width": 240, "height": 700}}
WIDE = """() => [...document.querySelectorAll("div.math")].findIndex(box =>
  box.checkVisibility() && box.scrollWidth > box.clientWidth + 20)"""


def edge(box: "Locator") -> int:
    """Return how far the right edge of a box is from the ground of its middle, in grey levels."""
    around = box.bounding_box()  # box.screenshot() would scroll it
    shot = box.page.screenshot(clip=around)  # type: ignore[arg-type]
    picture = Image.open(io.BytesIO(shot)).convert("L")
    # In the top row there is nothing of the formula: the box has room above it.
    ground, last = (picture.getpixel((x, 1)) for x in (picture.width // 2, picture.width - 2))
    return abs(int(ground) - int(last))  # type: ignore[arg-type]


def test_a_wide_formula_scrolls_from_the_keyboard_and_shows_that_there_is_more(
    open_http: Open,
) -> None:
    with open_http(PAGE, **NARROW) as visit:
        number = visit.page.evaluate(WIDE)
        assert number >= 0, "no formula of this page is wider than a very small screen"
        box = visit.page.locator("div.math").nth(number)
        box.evaluate("box => box.scrollIntoView({ behavior: 'instant', block: 'center' })")
        box.evaluate("box => { box.style.scrollBehavior = 'auto'; box.scrollLeft = 0; }")
        assert edge(box) > 20, "nothing says that it goes on"
        assert box.get_attribute("tabindex") == "0"
        box.focus()
        visit.page.keyboard.press("ArrowRight")
        visit.page.wait_for_function("box => box.scrollLeft > 0", arg=box.element_handle())
        box.evaluate("box => { box.blur(); box.scrollLeft = box.scrollWidth; }")
        assert edge(box) < 6, "it says that it goes on at its end"
        expect_none(visit.problems)


def test_a_formula_is_as_large_as_the_text_and_on_its_line(open_http: Open) -> None:
    """The middle of a letter without stem is where the middle of the text's own letters is."""
    with open_http(PAGE) as visit:
        off = visit.page.evaluate(
            """() => {
              const formula = [...document.querySelectorAll("p math")]
                .find(each => each.checkVisibility() && !each.querySelector("mfrac, msqrt"));
              const mark = document.createElement("span");
              mark.style.cssText = "display: inline-block; width: 1px; height: 0";
              formula.before(mark);
              const line = mark.getBoundingClientRect().bottom;
              const { top, bottom } = formula.getBoundingClientRect();
              return { above: line - top, below: bottom - line,
                size: parseFloat(getComputedStyle(mark.parentElement).fontSize) };
            }"""
        )
        assert 0.4 * off["size"] < off["above"] < 1.5 * off["size"], off
        assert 0 <= off["below"] < 0.6 * off["size"], off


def test_formulas_are_drawn_without_scripts_and_the_page_says_what_needs_them(
    open_http: Open,
) -> None:
    with open_http(PAGE, java_script_enabled=False) as visit:
        formula = visit.page.locator("p math").first
        box = formula.bounding_box()
        assert box and box["width"] > 5 and box["height"] > 5
        told = visit.page.locator("noscript")
        assert "JavaScript is off" in told.inner_text() and told.is_visible()


def test_what_is_copied_is_tex(open_http: Open) -> None:
    with open_http(PAGE) as visit:
        copied = visit.page.evaluate(
            """() => {
              const paragraph = [...document.querySelectorAll("article p")]
                .find(each => each.checkVisibility() && each.querySelector("math"));
              getSelection().selectAllChildren(paragraph);
              const data = new DataTransfer();
              const event = new ClipboardEvent("copy",
                { clipboardData: data, bubbles: true, cancelable: true });
              paragraph.dispatchEvent(event);
              const [tex] = [...paragraph.querySelectorAll("annotation")].map(n => n.textContent);
              return { text: data.getData("text/plain"), tex, done: event.defaultPrevented };
            }"""
        )
        assert copied["done"]
        assert f"${copied['tex']}$" in copied["text"]
        assert "\n" not in copied["text"].strip()


def test_copying_a_whole_page_changes_no_choice_and_no_line_of_code(open_http: Open) -> None:
    """On a phone, where each line of code is a block, and with code and choices in the copy."""
    with open_http(PAGE, viewport={"width": 390, "height": 700}) as visit:
        visit.unfold()
        found = visit.page.evaluate(
            """() => {
              const chosen = () => [...document.querySelectorAll("input:checked")].length;
              const before = chosen();
              getSelection().selectAllChildren(document.querySelector("main"));
              const data = new DataTransfer();
              document.querySelector("main").dispatchEvent(new ClipboardEvent("copy",
                { clipboardData: data, bubbles: true, cancelable: true }));
              const code = [...document.querySelectorAll("div.cell_input pre")]
                .map(pre => pre.textContent.trim()).find(text => text.includes("\\n"));
              return { before, after: chosen(), code, text: data.getData("text/plain") };
            }"""
        )
        assert found["after"] == found["before"] > 0
        assert found["code"] in found["text"]

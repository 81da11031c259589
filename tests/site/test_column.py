"""Text, boxes, code and figures stand in one column, and no code is cut off, on a phone neither."""

from typing import TYPE_CHECKING

import pytest
from tests.site import page_checks
from tests.site.conftest import Open
from tests.site.report import expect_none

if TYPE_CHECKING:
    from playwright.sync_api import Page

LAPTOP = {"viewport": {"width": 1280, "height": 800}}
PAGES = ["book/inputs/positions.html", "book/attention/self_attention.html", "index.html"]
LONGEST = 77  # characters of a line of code, by the course's own rule

# What stands at the left or the right edge of the column, and what does not; lists are indented.
EDGES = """() => {
  const article = document.querySelector("article.bd-article"), style = getComputedStyle(article);
  const box = article.getBoundingClientRect();
  const left = box.left + parseFloat(style.paddingLeft);
  const right = box.right - parseFloat(style.paddingRight);
  const kinds = ["p", "h2", "h3", ".pf-box", ".admonition", ".pf-widget", ".pf-map", ".pf-toys",
    "figure", "div.cell_input pre", "div.cell_output pre", ".pst-scrollable-table-container",
    "div.math"];
  const inside = ".pf-box, .admonition, .pf-widget, .pf-map, .pf-toys, .pf-route, figure, table,"
    + "li, blockquote, .citation, .pf-way";
  const found = {}, problems = [];
  for (const kind of kinds) {
    for (const el of article.querySelectorAll(kind)) {
      if (!el.checkVisibility() || el.parentElement.closest(inside)) continue;
      const at = el.getBoundingClientRect();
      found[kind] = (found[kind] ?? 0) + 1;
      if (Math.abs(at.left - left) > 1 || Math.abs(at.right - right) > 1)
        problems.push(`${kind} from ${at.left} to ${at.right}, the column is ${left} to ${right}: `
          + el.textContent.slice(0, 40));
    }
  }
  return { found, problems, width: right - left };
}"""

CUT = """() => [...document.querySelectorAll("article pre")].filter(pre => pre.checkVisibility())
  .filter(pre => pre.scrollWidth > pre.clientWidth + 1).map(pre => {
    const style = getComputedStyle(pre);
    return { output: Boolean(pre.closest(".cell_output")), scrolls: style.overflowX === "auto",
      shaded: style.backgroundImage.split("linear-gradient").length - 1,
      text: `${pre.scrollWidth} px in ${pre.clientWidth}: ${pre.textContent.slice(0, 60)}` };
  })"""

FITS = """columns => {
  const all = [...document.querySelectorAll("article div.cell_input pre")];
  const code = all.find((each) => each.checkVisibility()); // a folded one has no width
  code.textContent = "m".repeat(columns);
  return code.scrollWidth <= code.clientWidth;
}"""


@pytest.mark.parametrize("name", PAGES)
def test_everything_shares_one_left_and_one_right_edge(open_http: Open, name: str) -> None:
    with open_http(name, **LAPTOP) as visit:
        visit.unfold()
        measured = visit.page.evaluate(EDGES)
        assert measured["found"]["p"] > 5 and len(measured["found"]) > 3, "little was measured"
        expect_none(measured["problems"])


def test_a_line_of_code_fits_beside_both_menus(open_http: Open) -> None:
    """In type that is not much smaller than the text; one that is much too long does not."""
    with open_http(PAGES[0], **LAPTOP) as visit:
        page = visit.page
        assert page.locator(".bd-sidebar-primary:visible").count() == 1
        assert page.locator(".bd-sidebar-secondary:visible").count() == 1
        sizes = [size_of(page, each) for each in ("div.cell_input pre", "section > section > p")]
        assert sizes[0] >= 0.8 * sizes[1], sizes
        assert page.evaluate(FITS, LONGEST)
        assert not page.evaluate(FITS, LONGEST + 10), "the check would pass whatever the width"


def size_of(page: "Page", selector: str) -> float:
    """Return the size, in pixels, of the type of the first element that is selected."""
    script = "el => parseFloat(getComputedStyle(el).fontSize)"
    return float(page.locator(f"article {selector}").first.evaluate(script))


def test_no_code_is_cut_beside_both_menus(open_http: Open, page_name: str) -> None:
    with open_http(page_name, **LAPTOP, reduced_motion="reduce") as visit:
        visit.unfold()
        expect_none([each["text"] for each in visit.page.evaluate(CUT)])


def test_no_code_is_cut_on_a_phone(open_http: Open, page_name: str) -> None:
    """What is typed goes on in the next line; what is printed scrolls, and its edge shows it."""
    with open_http(page_name, **page_checks.PHONE, reduced_motion="reduce") as visit:
        visit.unfold()
        for each in visit.page.evaluate(CUT):
            assert each["output"] and each["scrolls"] and each["shaded"] == 4, each

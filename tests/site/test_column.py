"""Text, boxes, code and figures stand in one column, in which a line of code has room.

That no code is cut off, on a phone neither, is looked at in the visits of `test_pages.py`.
"""

from typing import TYPE_CHECKING

import pytest
from tests.site import page_checks
from tests.site.conftest import Open
from tests.site.report import expect_none

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

LAPTOP = {"viewport": {"width": 1280, "height": 800}}
PAGES = ["book/inputs/positions.html", "book/attention/self_attention.html", "index.html"]
LONGEST = 77  # characters of a line of code, by the course's own rule

# What stands at the left or the right edge of the column, and what does not: lists and claims
# are indented, and a heading that folds stands behind its mark.
EDGES = """() => {
  const article = document.querySelector("article.bd-article"), style = getComputedStyle(article);
  const box = article.getBoundingClientRect();
  const left = box.left + parseFloat(style.paddingLeft);
  const right = box.right - parseFloat(style.paddingRight);
  const kinds = ["p", "h2", "h3", ".pf-box:not(.pf-margin-note)", ".admonition", ".pf-widget",
    ".pf-map", ".pf-toys", "figure", "div.cell_input pre", "div.cell_output pre",
    ".pst-scrollable-table-container", "div.math"];
  const inside = ".pf-box, .admonition, .pf-widget, .pf-map, .pf-toys, .pf-route, figure, table,"
    + "li, blockquote, .citation, .pf-way, .pf-claims, summary";
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

FITS = """columns => {
  const code = [...document.querySelectorAll("article div.cell_input pre")]
    .find(pre => pre.checkVisibility() && !pre.closest(".pf-box, .pf-claims"));
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
        visit.unfold()
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


@pytest.mark.parametrize(
    ("style", "reported"),
    [("width: 200px; overflow: hidden", True), ("width: 900px", False), ("width: 9em", True)],
)
@pytest.mark.parametrize("narrow", [False, True])
def test_code_that_is_cut_off_is_reported(
    browser: "Browser", style: str, reported: bool, narrow: bool
) -> None:
    page = browser.new_page()
    page.set_content(f"<article><pre style='{style}'>{'m' * 60}</pre></article>")
    assert bool(page_checks.cut_code_problems(page, narrow=narrow)) is reported
    page.close()


@pytest.mark.parametrize(("shades", "reported"), [(4, False), (3, True)])
def test_what_is_printed_may_scroll_on_a_phone_where_a_shade_says_so(
    browser: "Browser", shades: int, reported: bool
) -> None:
    page = browser.new_page()
    shade = ", ".join(["linear-gradient(red, blue)"] * shades)
    style = f"width: 9em; overflow-x: auto; background-image: {shade}"
    printed = f"<pre style='{style}'>{'m' * 60}</pre>"
    page.set_content(f"<article><div class='cell_output'>{printed}</div></article>")
    assert bool(page_checks.cut_code_problems(page, narrow=True)) is reported
    assert page_checks.cut_code_problems(page, narrow=False)
    page.set_content(f"<article>{printed}</article>")
    assert page_checks.cut_code_problems(page, narrow=True)
    page.close()

"""On a phone: a bar for fingers, and code that shows where a line goes on."""

from typing import TYPE_CHECKING

import pytest
from tests.site.conftest import Open
from tests.site.report import expect_none

if TYPE_CHECKING:
    from playwright.sync_api import Page

CHAPTER = "book/decoding/temperature.html"
FINGERTIP = 44  # CSS pixels: WCAG 2.5.5

BAR = """least => {
  const bar = document.querySelector(".bd-header-article");
  const targets = [...bar.querySelectorAll("button, summary, label")].map(el => {
    const { left, right, top, bottom } = el.getBoundingClientRect();
    const name = el.textContent.trim() || el.getAttribute("aria-label") || el.title || el.className;
    return { name, left, right, top, bottom, segment: el.matches("label") };
  }).filter(one => one.right > one.left);
  const problems = [];
  if (targets.length < 5) problems.push(`only ${targets.length} targets in the bar`);
  for (const one of targets) {
    const wide = one.right - one.left, high = one.bottom - one.top;
    if (Math.min(wide, high) < least)
      problems.push(`${one.name} is ${wide} by ${high} pixels; a fingertip needs ${least}`);
    if (one.left < 0 || one.right > innerWidth)
      problems.push(`${one.name} is from ${one.left} to ${one.right} on a screen of ${innerWidth}`);
    for (const other of targets) {
      const apart = Math.max(other.left - one.right, one.left - other.right,
        other.top - one.bottom, one.top - other.bottom);
      if (other !== one && !(one.segment && other.segment) && apart < 0)
        problems.push(`${one.name} and ${other.name} overlap by ${-apart} pixels`);
    }
  }
  return problems;
}"""

# The first two rows of each wrapped line of code, and where the letters in them begin.
WRAPPED = """() => [...document.querySelectorAll("div.cell_input .pf-line")]
  .filter(line => line.checkVisibility()).map(line => {
    const range = document.createRange(), rows = [];
    for (const walk = document.createTreeWalker(line, NodeFilter.SHOW_TEXT); walk.nextNode();) {
      const { data } = walk.currentNode;
      for (let i = 0; i < data.length; i++) {
        if (!data[i].trim()) continue;
        range.setStart(walk.currentNode, i);
        range.setEnd(walk.currentNode, i + 1);
        const { left, top } = range.getBoundingClientRect();
        if (!rows.length || top > rows.at(-1).top + 8) rows.push({ left, top });
      }
    }
    // A word that is too long for the first row has moved down as a whole, below its margin.
    if (rows.length && rows[0].top > line.getBoundingClientRect().top + 12) rows.length = 0;
    return [line.textContent.trim(), ...rows.slice(0, 2).map(row => row.left)];
  }).filter(row => row.length === 3)"""


def small(width: int) -> dict[str, object]:
    return {"viewport": {"width": width, "height": 700}, "reduced_motion": "reduce"}


@pytest.mark.parametrize("width", [320, 390])
def test_the_bar_is_made_for_fingers(open_http: Open, width: int) -> None:
    with open_http(CHAPTER, **small(width)) as visit:
        expect_none(visit.page.evaluate(BAR, FINGERTIP))


def test_the_choice_of_a_view_scrolls_away_unless_it_has_the_focus(open_http: Open) -> None:
    with open_http(CHAPTER, **small(390)) as visit:
        page = visit.page
        page.evaluate("scrollTo({ top: 2000, behavior: 'instant' })")
        assert bottom_of(page, ".pf-views") <= 0
        assert bottom_of(page, ".pf-launch") > FINGERTIP
        page.keyboard.press("Alt+v")
        page.locator(".pf-views input:checked").focus()
        page.wait_for_function(
            "document.querySelector('.pf-views').getBoundingClientRect().top >= 0"
        )


def bottom_of(page: "Page", selector: str) -> float:
    found: float = page.locator(selector).evaluate("el => el.getBoundingClientRect().bottom")
    return found


def test_a_wrapped_line_of_code_goes_on_further_right_than_it_began(open_http: Open) -> None:
    with open_http(CHAPTER, **small(360)) as visit:
        visit.unfold()
        wrapped = visit.page.evaluate(WRAPPED)
        assert len(wrapped) > 10, "hardly a line was wrapped"
        expect_none([text for text, first, second in wrapped if second < first + 8])

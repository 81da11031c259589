"""The margin: notes and full-width figures stand there on wide screens, and nothing overlaps."""

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from tests.site.conftest import Open
from tests.site.report import expect_none

if TYPE_CHECKING:
    from playwright.sync_api import Page

CHAPTERS = ["inputs/tokenization", "attention/self_attention", "blocks/residual_norm"]
WIDTHS = [1280, 1440, 1920]
HIGH = 900

# Where the column ends, and what of the page reaches beyond it.
PLACES = """() => {
  const column = document.querySelector("article > section > p").getBoundingClientRect();
  const seen = (selector) => [...document.querySelectorAll(`article ${selector}`)]
    .filter((each) => each.checkVisibility())
    .map((each) => each.getBoundingClientRect())
    .map((box) => ({
      left: box.left, right: box.right, top: box.top + scrollY, bottom: box.bottom + scrollY,
    }));
  const figures = seen(".tag_full-width > .cell_output");
  return { column: [column.left, column.right], notes: seen(".pf-margin-note"), figures };
}"""
CONTENTS = """() => {
  const nav = document.querySelector(".bd-sidebar-secondary nav.page-toc");
  return [Number(getComputedStyle(nav).opacity), nav.getBoundingClientRect().left];
}"""


def to_first(page: "Page", selector: str) -> None:
    """Scroll until the first element that is selected is near the top of the window."""
    page.locator(selector).first.evaluate("el => scrollTo(0, el.getBoundingClientRect().top - 100)")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", CHAPTERS)
def test_nothing_overlaps_in_the_margin(open_http: Open, name: str, width: int) -> None:
    viewport = {"width": width, "height": HIGH}
    with open_http(f"book/{name}.html", viewport=viewport) as visit:
        found = visit.page.evaluate(PLACES)
        left, right = found["column"]
        assert found["notes"] and found["figures"]
        problems = [f"a note begins at {n['left']}" for n in found["notes"] if n["left"] < right]
        for figure in found["figures"]:
            if figure["left"] > left + 1 or figure["right"] < right + 150:
                problems.append(f"a figure is from {figure['left']} to {figure['right']}")
        every = sorted(found["notes"] + found["figures"], key=lambda each: each["top"])
        problems += [f"it reaches to {e['right']}" for e in every if e["right"] > width]
        problems += [
            f"one ends at {a['bottom']}, the next begins at {b['top']}"
            for a, b in pairwise(every)
            if b["top"] < a["bottom"]
        ]
        expect_none(problems)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_contents_make_room_where_there_is_none_for_both(open_http: Open, width: int) -> None:
    """They open again for the mouse, and for somebody who comes by keyboard."""
    viewport = {"width": width, "height": HIGH}
    with open_http(f"book/{CHAPTERS[1]}.html", viewport=viewport, reduced_motion="reduce") as visit:
        page = visit.page
        to_first(page, ".pf-margin-note")
        note = page.locator(".pf-margin-note").first.bounding_box()
        assert note is not None
        if width >= 1800:
            opacity, left = page.evaluate(CONTENTS)
            assert opacity == 1 and left > note["x"] + note["width"]
            return
        page.wait_for_function(f"({CONTENTS})()[0] === 0")
        page.locator(".bd-sidebar-secondary nav a").first.focus()
        assert page.evaluate(CONTENTS)[0] == 1
        page.locator(".bd-sidebar-secondary nav a").first.blur()
        page.wait_for_function(f"({CONTENTS})()[0] === 0")
        page.locator(".bd-sidebar-secondary").hover()
        assert page.evaluate(CONTENTS)[0] == 1


@pytest.mark.parametrize("width", [360, 1100])
def test_without_a_margin_a_note_is_a_paragraph(open_http: Open, width: int) -> None:
    """And the panels of a full-width figure stay in the column, on a phone one below the other."""
    viewport = {"width": width, "height": HIGH}
    with open_http(f"book/{CHAPTERS[1]}.html", viewport=viewport) as visit:
        found = visit.page.evaluate(PLACES)
        left, right = found["column"]
        for each in found["notes"] + found["figures"]:
            assert each["left"] >= left - 1 and each["right"] <= right + 1
        panels = visit.page.locator(".tag_full-width .pf-picture")
        tops = [round(box["y"]) for box in (each.bounding_box() for each in panels.all()) if box]
        assert len(set(tops)) == (3 if width == 360 else 1)

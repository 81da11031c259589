"""A term's definition where the term stands: by pointer, by keyboard, by touch, on paper."""

import re
from pathlib import Path

import pytest
from tests.site import page_checks
from tests.site.axe import axe_problems
from tests.site.conftest import Open
from tests.site.report import expect_none
from tests.site.walk import find_chapters, parse

PAGE = "book/attention/masking.html"
TERM, SAID = "article a.pf-term", "#pf-definition"
SHORT = "book/appendix/notation.html"  # a page that axe-core has soon seen


def test_it_shows_for_a_pointer_which_may_go_over_to_it(open_either: Open) -> None:
    """And stays while the pointer is on either of them."""
    with open_either(PAGE) as visit:
        page = visit.page
        said = page.locator(SAID)
        assert said.is_hidden()
        term = page.locator(TERM).nth(1)
        term.hover()
        assert said.is_visible()
        assert said.inner_text().startswith("token")
        said.hover()
        assert said.is_visible()
        page.locator("article h1").hover()
        assert said.is_hidden()
        expect_none(visit.problems)


def test_it_shows_for_the_focus_and_escape_sends_it_away(open_http: Open) -> None:
    with open_http(SHORT) as visit:
        page = visit.page
        term, said = page.locator(TERM).first, page.locator(SAID)
        term.focus()
        assert said.is_visible()
        assert term.get_attribute("aria-describedby") == said.get_attribute("id")
        expect_none(axe_problems(page, rules="structure"))
        page.keyboard.press("Escape")
        assert said.is_hidden()
        assert term.evaluate("term => term === document.activeElement"), "the focus stays"
        assert term.get_attribute("aria-describedby") is None
        term.hover()
        page.keyboard.press("Escape")
        assert said.is_hidden()


def test_a_first_tap_shows_it_a_second_follows_the_link(open_http: Open) -> None:
    with open_http(PAGE, **page_checks.PHONE) as visit:
        page = visit.page
        term, said = page.locator(TERM).first, page.locator(SAID)
        term.tap()  # the click comes after the finger has gone
        said.wait_for()
        expect_none(page_checks.overflow_problems(page))
        page.locator("article h1").tap()
        said.wait_for(state="hidden")
        term.tap()
        said.wait_for()
        assert page.url.endswith(PAGE)
        term.tap()
        page.wait_for_url("**/glossary.html#term-attention")


@pytest.mark.parametrize("width", [320, 360, 1280])
def test_it_lies_within_the_window(open_file: Open, width: int) -> None:
    """Wherever in its line the term is, and at the foot of the window, too."""
    with open_file(PAGE, viewport={"width": width, "height": 500}) as visit:
        outside = visit.page.evaluate(
            """([term, said]) => [...document.querySelectorAll(term)]
              .filter((each) => each.checkVisibility()).slice(0, 12).flatMap((each) =>
                ["start", "end"].map((block) => {
                  each.blur();
                  each.scrollIntoView({ block, behavior: "instant" });
                  each.focus({ preventScroll: true });
                  const box = document.querySelector(said).getBoundingClientRect();
                  const inside = box.left >= 0 && box.right <= document.documentElement.clientWidth
                    && box.bottom <= innerHeight && box.width > 100;
                  return inside ? null : `${each.textContent}: ${JSON.stringify(box)}`;
                })).filter((each) => each !== null)""",
            [TERM, SAID],
        )
        expect_none(outside)


def test_on_paper_a_term_is_a_word_like_others(open_http: Open) -> None:
    with open_http(PAGE) as visit:
        visit.page.locator(TERM).first.focus()
        visit.page.emulate_media(media="print")
        assert visit.page.locator(SAID).is_hidden()
        line = "term => getComputedStyle(term).textDecorationLine"
        assert visit.page.locator(TERM).first.evaluate(line) == "none"


LINK = re.compile(r'<a class="pf-term reference internal" href="([^"]+)"')
BOX = re.compile(
    r'<div class="pf-box pf-misconception(?: pf-slide-\d+)?"[^>]* aria-labelledby="([^"]+)"'
)


def test_every_chapter_has_terms_and_each_of_them_once(site: Path) -> None:
    """Each leads to its entry, which `test_html.py` looks for."""
    for page in find_chapters(site):
        terms = LINK.findall((site / page).read_text(encoding="utf-8"))
        assert len(terms) > 5, page
        assert len(set(terms)) == len(terms), page


def test_every_misconception_of_a_chapter_is_collected(site: Path) -> None:
    """And each entry leads to its box."""
    boxes = [
        f"../{page.removeprefix('book/')}#{name}"
        for page in find_chapters(site)
        for name in BOX.findall((site / page).read_text(encoding="utf-8"))
    ]
    page = parse(site / "book/appendix/misconceptions.html")
    links = [str(each["href"]) for each in page.select(".pf-misconceptions > dd > p:last-child a")]
    assert sorted(links) == sorted(boxes)
    assert len(links) > 100
    heard = [each.text for each in page.select(".pf-sr-only")]
    assert not [text for text in heard if "\\" in text], "TeX is not read aloud"

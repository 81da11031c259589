"""Search, as a reader uses it, from a web server and from the disk, without a network."""

from pathlib import Path
from urllib.parse import quote

import pytest
from tests.site import page_checks
from tests.site.axe import axe_problems
from tests.site.conftest import Open
from tests.site.html_checks import anchors
from tests.site.report import expect_none
from tests.site.search_questions import ASKED, HELD_OUT
from tests.site.visits import Visit
from tests.site.walk import find_pages, has_content, parse

from book_engine.search_index import words

HITS = "#search-results li"
SAID = "#search-said"
# All questions are asked of one page, by the script that answers a reader: the first three hits of
# each, as page, title, and the title of the section around it.
ASK = """questions => questions.map(question => pfSearch.rank(question).slice(0, 3).map(number => {
  const [page, , title, up] = pfSearch.index.sections[number];
  return [pfSearch.index.pages[page][0].replace(/.*[/]|[.]html$/g, ""), title, up];
}))"""
EVERY = """() => pfSearch.index.sections.map(
  ([page, anchor]) => [pfSearch.index.pages[page][0], anchor])"""


def answers(hit: list[str], expected: tuple[str, ...]) -> bool:
    """True where a hit is one of the sections that answer, or stands in one."""
    page, title, up = hit
    wanted = [answer.removeprefix(f"{page}: ") for answer in expected if answer.startswith(page)]
    return any(title.startswith(each) or up.startswith(each) for each in wanted)


def look_for(visit: Visit, question: str) -> list[str]:
    """Ask a question on the page of results; return the addresses of the hits."""
    page = visit.page
    page.goto(f"{visit.home}search.html?q={quote(question)}")
    page.wait_for_function(f"() => document.querySelector('{SAID}').textContent")
    return [str(link.evaluate("a => a.href")) for link in page.locator(f"{HITS} a").all()]


def test_what_readers_ask_is_answered_within_three_hits(open_either: Open) -> None:
    assert len(ASKED) >= 30
    asked = {**ASKED, **HELD_OUT}
    with open_either("search.html") as visit:
        found = dict(zip(asked, visit.page.evaluate(ASK, list(asked)), strict=True))
        expect_none(visit.problems)
    missed = {q: found[q] for q in asked if not any(answers(hit, asked[q]) for hit in found[q])}
    assert missed == {}


def test_the_page_takes_a_text_to_pieces_as_the_index_does(open_http: Open) -> None:
    texts = ["Self-attention’s √d_k", "top-p, top_p", "ＫＶ-Cache é 语言", "<b>&amp; --x__y-", ""]
    with open_http("search.html") as visit:
        found = visit.page.evaluate(
            "texts => texts.map(each => pfSearch.words(each).flat())", texts
        )
    assert found == [words(text) for text in texts]


def test_every_section_that_can_be_found_is_there(open_http: Open, site: Path) -> None:
    with open_http("search.html") as visit:
        places = visit.page.evaluate(EVERY)
    assert {page for page, _ in places} == set(filter(has_content, find_pages(site)))
    assert [place for place in places if place[1] not in anchors(site / place[0])] == []


def test_a_word_is_found_from_the_keyboard(open_either: Open) -> None:
    """Ctrl+K, a word, Enter; a hit has a line with that word, and leads to its section."""
    with open_either("index.html") as visit:
        page = visit.page
        page.keyboard.press("Control+k")
        page.wait_for_function("() => document.activeElement?.name === 'q'")
        page.keyboard.type("merges")
        page.keyboard.press("Enter")
        page.wait_for_url("**/search.html?q=merges*")
        page.locator(HITS).first.locator("mark").first.wait_for()
        hits = page.locator(f"{HITS} a").evaluate_all("all => all.slice(0, 3).map(a => a.href)")
        assert any("tokenization.html" in hit for hit in hits)
        assert page.locator(SAID).inner_text().startswith("Found in ")
        # Typing on finds other things, and the address says what is looked for.
        page.locator("#search-page-input").fill("causal_mask")
        page.wait_for_url("**/search.html?q=causal_mask")
        hit = page.locator(f"{HITS} a", has_text="causal_mask in").first
        place = str(hit.get_attribute("href")).split("#")[1]
        hit.press("Enter")
        page.wait_for_url("**/masking.html*")
        assert page.locator(f"[id='{place}']").evaluate(
            "el => el.checkVisibility() && el.closest('details').open"
        ), "the fold that the hit leads into is open"
        page.locator(f"details:has([id='{place}']) .highlighted").first.wait_for()
        listings = page.locator("details.pf-listing")
        assert listings.evaluate_all("all => all.filter(each => each.open).length") == 1
        visit.settle()
        expect_none(visit.problems)


def test_every_page_is_found_by_its_title(open_http: Open, site: Path) -> None:
    with open_http("search.html") as visit:
        names = list(filter(has_content, find_pages(site)))
        titles = []
        for name in names:
            heading = parse(site / name).find("h1")
            assert heading is not None
            titles.append(heading.get_text(" ", strip=True).rstrip("# "))
        found = visit.page.evaluate(ASK, titles)
        expect_none(visit.problems)
    for name, title, hits in zip(names, titles, found, strict=True):
        assert Path(name).stem in [page for page, *_ in hits], (title, hits)


def test_a_word_that_is_nowhere_is_said_to_be_nowhere_and_what_to_try(open_either: Open) -> None:
    with open_either("search.html") as visit:
        assert look_for(visit, "zzyzxqw") == []
        assert "Nothing in the book" in visit.page.locator(SAID).inner_text()
        visit.page.locator("#search-hint a").first.click()
        visit.page.locator(HITS).first.wait_for()
        assert visit.page.locator("#search-hint").is_hidden()
        expect_none(visit.problems)


@pytest.mark.parametrize(
    "hostile",
    [
        "<img src=x onerror=alert(1)>",
        "%",
        "((",
        "__proto__ constructor",
        "\\",
        "é ½ √ 语言",
        "a" * 9_999,
    ],
)
def test_whatever_is_typed_is_only_text(open_http: Open, hostile: str) -> None:
    with open_http("search.html") as visit:
        page = visit.page
        page.evaluate(
            "typed => { const box = document.getElementById('search-page-input');"
            " box.value = typed; box.dispatchEvent(new Event('input')); }",
            hostile,
        )
        assert page.locator(SAID).inner_text()
        assert page.locator("#search-results").locator("img, script").count() == 0
        expect_none(visit.problems)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_results_fit_a_phone_and_axe_finds_nothing(open_http: Open, scheme: str) -> None:
    with open_http("search.html", **{**page_checks.PHONE, "color_scheme": scheme}) as visit:
        assert len(look_for(visit, "why divide by sqrt")) > 3
        visit.page.locator(f"{HITS} mark").first.wait_for()
        width = visit.page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
        assert width <= 0
        assert axe_problems(visit.page, "main") == []
        expect_none(visit.problems)

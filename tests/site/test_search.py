"""Search, as a reader uses it, from a web server and from the disk, without a network."""

from pathlib import Path
from urllib.parse import quote

from tests.site.conftest import Open
from tests.site.report import expect_none
from tests.site.visits import Visit
from tests.site.walk import find_pages, has_content, parse

RESULTS = "#search-results ul.search li a"


def results(visit: Visit) -> list[str]:
    """Return the addresses of the hits once the search has ended."""
    visit.page.wait_for_function(
        """() => {
          const said = document.querySelector("#search-results .search-summary")?.textContent ?? "";
          return /\\d|not match/.test(said);
        }"""
    )
    links = visit.page.locator(RESULTS).all()
    return [str(link.evaluate("a => a.href")) for link in links]


def test_a_word_is_found_from_the_keyboard(open_either: Open) -> None:
    """Ctrl+K, a word, Enter; then the first hit opens, and nothing complains on the way."""
    with open_either("index.html") as visit:
        page = visit.page
        page.keyboard.press("Control+k")
        page.wait_for_function("() => document.activeElement?.name === 'q'")
        page.keyboard.type("merge")
        page.keyboard.press("Enter")
        page.wait_for_url("**/search.html?q=merge*")
        found = results(visit)
        assert any("tokenization.html" in address for address in found), found
        page.locator(RESULTS).first.click()
        page.wait_for_url("**/book/**")
        visit.settle()
        expect_none(visit.problems)


def test_every_page_is_found_by_its_title(open_http: Open, site: Path) -> None:
    with open_http("search.html") as visit:
        for name in filter(has_content, find_pages(site)):
            heading = parse(site / name).find("h1")
            assert heading is not None
            for link in heading.select(".headerlink"):
                link.extract()
            visit.page.goto(f"{visit.home}search.html?q={quote(heading.get_text(' ', strip=True))}")
            found = [address.split("?")[0].split("#")[0] for address in results(visit)]
            assert visit.home + name in found, (heading.get_text(), found)
        expect_none(visit.problems)


def test_a_word_that_is_nowhere_is_said_to_be_nowhere(open_either: Open) -> None:
    with open_either("search.html?q=zzyzxqw") as visit:
        assert results(visit) == []
        assert "not match" in visit.page.locator("#search-results").inner_text()
        expect_none(visit.problems)

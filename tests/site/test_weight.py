"""What a visit costs: the bytes that come over the wire, compressed, as a browser asks for them."""

from typing import TYPE_CHECKING

from tests.site.server import SiteServer
from tests.site.visits import PATIENCE, SETTLED
from tests.site.walk import has_content

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FIRST_VISIT = 900_000  # bytes
NEXT_PAGE = 150_000


def cost(page: "Page", server: SiteServer, address: str) -> tuple[int, str]:
    """Go to ``address``; return the bytes sent for it and, for a report, what was heaviest.

    No request may be intercepted here: a browser whose requests are intercepted keeps no cache.
    """
    server.responses.clear()
    page.goto(server.url + address)
    page.evaluate(SETTLED, PATIENCE)
    page.wait_for_load_state("networkidle")
    heaviest = sorted(server.responses, key=lambda response: -response.size)[:8]
    return server.weight(), ", ".join(f"{each.path} {each.size:,}" for each in heaviest)


def test_a_first_visit_is_light(browser: "Browser", server: SiteServer, page_name: str) -> None:
    context = browser.new_context()
    try:
        weight, heaviest = cost(context.new_page(), server, page_name)
    finally:
        context.close()
    assert weight > 5_000, "nothing was measured"
    assert weight <= FIRST_VISIT, heaviest


def test_the_next_page_is_lighter(browser: "Browser", server: SiteServer, page_name: str) -> None:
    """From the index to the page; to the index itself, from the search."""
    before = "search.html" if page_name == "book/index.html" else "book/index.html"
    context = browser.new_context()
    try:
        page = context.new_page()
        first, _ = cost(page, server, before)
        weight, heaviest = cost(page, server, page_name)
    finally:
        context.close()
    assert 0 < weight < first or not has_content(page_name), "the browser kept nothing"
    assert weight <= NEXT_PAGE, heaviest

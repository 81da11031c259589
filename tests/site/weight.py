"""What going to a page costs: the bytes that come over the wire, as a browser asks for them.

Every page's first visit is measured while it is open for other reasons (`test_pages.py`). What the
next page costs follows: all that comes, but for what the browser has kept of the page before.
"""

from __future__ import annotations

import gzip
from collections.abc import Set
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page
from tests.site import visits
from tests.site.server import SiteServer
from tests.site.walk import find_pages, has_content, parse

FIRST_VISIT = 450_000  # bytes, the most for a reader who comes for the first time
NEXT_PAGE = 150_000  # bytes, the most for a reader who comes from another page
INDEX = "index.html"

STATE = 50_000  # bytes, gzipped: the most that the state of a widget weighs
MODELS = {"training_run", "attention_map"}  # what a model brings: its record, its heads


@dataclass(frozen=True)
class Cost:
    """The bytes sent for a page, and for a report which answers were the heaviest."""

    size: int
    heaviest: str


def cost(page: Page, server: SiteServer, address: str) -> Cost:
    """Go to ``address`` and return what was sent until nothing more comes.

    The context must not intercept requests: a browser whose requests are intercepted keeps no
    cache, and every page would look like a first visit.
    """
    server.responses.clear()
    page.goto(server.url + address)
    page.evaluate(visits.SETTLED, visits.PATIENCE)
    return cost_so_far(page, server)


def cost_so_far(page: Page, server: SiteServer, known: Set[str] = frozenset()) -> Cost:
    """Wait until nothing more comes, and return what was sent, as `sent` does.

    The page has settled; pictures are waited for, and what it puts off until it is idle.
    """
    count = -1
    while count < (count := len(server.responses)):
        page.wait_for_function(visits.LOADED)
        page.evaluate("() => new Promise(requestIdleCallback)")
    return sent(server, known)


def sent(server: SiteServer, known: Set[str]) -> Cost:
    """Return what was sent since the server's list was cleared, but for files that are ``known``.

    ``known`` are paths that the browser would have kept.
    """
    counted = [each for each in server.responses if each.path not in known]
    heaviest = sorted(counted, key=lambda response: -response.size)[:8]
    said = ", ".join(f"{each.path} {each.size:,}" for each in heaviest)
    return Cost(sum(each.size for each in counted), said)


def state_weights(folder: Path, page_name: str) -> list[tuple[str, int]]:
    """Return each widget of a page, by name, with what its state weighs, gzipped."""
    found = []
    for element in parse(folder / page_name).select("[data-pf-widget]"):
        script = element.find("script", attrs={"type": "application/json"})
        text = "" if script is None else str(script.string)
        found.append((str(element["data-pf-widget"]), len(gzip.compress(text.encode()))))
    return found


def granted(folder: Path, page_name: str) -> int:
    """Return how much more a page may weigh for what a trained model brings along."""
    return sum(size for name, size in state_weights(folder, page_name) if name in MODELS)


def first_visit(browser: Browser, server: SiteServer, page_name: str) -> Cost:
    """Return what the page costs a browser that has never been on the site."""
    context = browser.new_context()
    try:
        return cost(context.new_page(), server, page_name)
    finally:
        context.close()


def page_before(folder: Path, page_name: str) -> str:
    """Return where a reader is taken to come from: the index; to the index, from a chapter."""
    chapters = [page for page in find_pages(folder) if has_content(page) and page != INDEX]
    return INDEX if page_name != INDEX or not chapters else chapters[0]


def next_page(browser: Browser, server: SiteServer, page_name: str) -> Cost:
    """Return what the page costs a reader who comes from the page before."""
    before = page_before(server.folder, page_name)
    context = browser.new_context()
    try:
        page = context.new_page()
        cost(page, server, before)
        return cost(page, server, page_name)
    finally:
        context.close()


def kept_after(browser: Browser, server: SiteServer, address: str) -> frozenset[str]:
    """Return the paths that a browser has kept once it has been at ``address``."""
    first_visit(browser, server, address)
    return frozenset(each.path for each in server.responses)


def problems(page: Page, server: SiteServer, page_name: str, known: Set[str]) -> list[str]:
    """Report a page too heavy for who comes for the first time, or knows the first page.

    The server's list was cleared before the page was opened, in a browser that keeps nothing;
    ``known`` is what it would have kept from the page before.
    """
    first, following = cost_so_far(page, server), sent(server, known)
    heavy = first.size > FIRST_VISIT or following.size > NEXT_PAGE
    more = granted(server.folder, page_name) if heavy else 0  # to parse the page takes its time
    found = [] if first.size > 5_000 else [f"only {first.size} bytes were measured"]
    for what, came, limit in (
        ("a first visit", first, FIRST_VISIT + more),
        ("the next page", following, NEXT_PAGE + more),
    ):
        if came.size > limit:
            found.append(f"{what} takes {came.size:,} bytes of {limit:,}: {came.heaviest}")
    return found

"""What going to a page costs: the bytes that come over the wire, as a browser asks for them."""

from __future__ import annotations

import gzip
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
    page.wait_for_load_state("networkidle")
    heaviest = sorted(server.responses, key=lambda response: -response.size)[:8]
    return Cost(server.weight(), ", ".join(f"{each.path} {each.size:,}" for each in heaviest))


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


def next_page(browser: Browser, server: SiteServer, page_name: str) -> Cost:
    """Return what the page costs after the index; for the index itself, after a chapter."""
    chapters = [page for page in find_pages(server.folder) if has_content(page) and page != INDEX]
    before = INDEX if page_name != INDEX or not chapters else chapters[0]
    context = browser.new_context()
    try:
        page = context.new_page()
        cost(page, server, before)
        return cost(page, server, page_name)
    finally:
        context.close()

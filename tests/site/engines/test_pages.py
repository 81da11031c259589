"""Every page in Firefox or in WebKit: what engines may judge differently, and no more.

One test holds all of `laws.py` on a page in one engine, at two widths. Where a kind of widget comes
first, both engines visit the page, and hands try the widget; the other pages, which are made of the
same parts, the engines share by turns. In Chromium the same laws, and all else that pages and
widgets promise, are held by the tests in the folder above and in `tests/widgets`.
"""

from functools import cache
from pathlib import Path

import pytest
from tests.site.conftest import MISSING
from tests.site.engines import laws
from tests.site.engines.tab import Tab
from tests.site.report import expect_none
from tests.site.server import SiteServer
from tests.site.visits import file_home
from tests.site.walk import WidgetPlace, find_pages, find_widgets, site_folder

ENGINES = ("firefox", "webkit")


@cache
def firsts(folder: Path) -> list[WidgetPlace]:
    """Return the first widget of each kind."""
    return list({place.name: place for place in reversed(find_widgets(folder))}.values())


def visits(folder: Path) -> list[tuple[str, str]]:
    """Return each page with the engine that visits it."""
    pages = (find_pages(folder) if folder.is_dir() else []) or [MISSING]
    both = {place.page for place in firsts(folder)}
    shared = [page for page in pages if page not in both]
    taken = {(page, engine) for page in both for engine in ENGINES}
    return sorted(taken | {(page, ENGINES[turn % 2]) for turn, page in enumerate(shared)})


@pytest.mark.parametrize(("page", "tab"), visits(site_folder()), indirect=["tab"])
def test_it_obeys_the_laws(
    tab: Tab, watched_server: SiteServer, watched_site: Path, page: str
) -> None:
    tried = {place.number for place in firsts(watched_site) if place.page == page}
    home = file_home(watched_site)
    expect_none(laws.problems_of(tab, watched_server.url, home, page, tried))

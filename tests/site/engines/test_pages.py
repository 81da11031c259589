"""Every page in Firefox and in WebKit: what engines may judge differently, and no more.

One test holds all of `laws.py` on a page in one engine, at two widths, and hands try each kind of
widget on the first page that has one. In Chromium the same laws, and all else that pages and
widgets promise, are held by the tests in the folder above and in `tests/widgets`.
"""

from functools import cache
from pathlib import Path

import pytest
from tests.site.engines import laws
from tests.site.engines.tab import Tab
from tests.site.report import expect_none
from tests.site.server import SiteServer
from tests.site.visits import file_home
from tests.site.walk import WidgetPlace, find_widgets


@cache
def firsts(folder: Path) -> list[WidgetPlace]:
    """Return the first widget of each kind."""
    return list({place.name: place for place in reversed(find_widgets(folder))}.values())


@pytest.mark.parametrize("tab", ["firefox", "webkit"], indirect=True)
def test_it_obeys_the_laws(
    tab: Tab, watched_server: SiteServer, watched_site: Path, page_name: str
) -> None:
    tried = {place.number for place in firsts(watched_site) if place.page == page_name}
    home = file_home(watched_site)
    expect_none(laws.problems_of(tab, watched_server.url, home, page_name, tried))

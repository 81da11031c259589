"""Every page in Firefox and in WebKit: what engines may judge differently, and no more.

One test holds all of `laws.py` on a page in one engine, at three widths. In Chromium the same laws,
and all else that pages and widgets promise, are held by the tests in the folder above and in
`tests/widgets`.
"""

from pathlib import Path

import pytest
from tests.site.engines import laws
from tests.site.engines.tab import Tab
from tests.site.report import expect_none
from tests.site.server import SiteServer
from tests.site.visits import file_home


@pytest.mark.parametrize("tab", ["firefox", "webkit"], indirect=True)
def test_it_obeys_the_laws(
    tab: Tab, watched_server: SiteServer, watched_site: Path, page_name: str
) -> None:
    expect_none(laws.problems_of(tab, watched_server.url, file_home(watched_site), page_name))

"""The engines of this run: each is started when it is first asked for, and kept to the end."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.browser import required
from tests.site.engines.chromium import Chromium
from tests.site.engines.firefox import Firefox
from tests.site.engines.tab import Tab
from tests.site.engines.watched import watched
from tests.site.engines.webkit import WebKit
from tests.site.server import SiteServer

from browsers import FIREFOX, WEBKIT

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def chromium(browser: "Browser") -> Iterator[Tab]:
    """The browser of all other tests."""
    with closing(Chromium(browser)) as running:
        yield running


@pytest.fixture(scope="session")
def firefox() -> Iterator[Tab]:
    """The system's Firefox; without one the test is skipped, or fails with ``CI=true``."""
    with closing(Firefox(required(FIREFOX))) as running:
        yield running


@pytest.fixture(scope="session")
def webkit() -> Iterator[Tab]:
    """The system's WebKit; without one the test is skipped, or fails with ``CI=true``."""
    with closing(WebKit(required(WEBKIT))) as running:
        yield running


@pytest.fixture(params=["chromium", "firefox", "webkit"])
def tab(request: pytest.FixtureRequest) -> Iterator[Tab]:
    """The tab of one engine after the other."""
    found: Tab = request.getfixturevalue(request.param)
    yield found
    found.goto("about:blank")  # a model that is being trained on a page would go on to the end


@pytest.fixture(scope="session")
def watched_site(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site, whose pages write down what goes wrong on them."""
    return watched(site, tmp_path_factory.mktemp("watched") / "site")


@pytest.fixture(scope="session")
def watched_server(watched_site: Path) -> Iterator[SiteServer]:
    """The same on a web server."""
    with SiteServer(watched_site) as running:
        yield running

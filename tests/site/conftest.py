"""What the tests of the built site share: the folder, a server, and one test for every page.

A test that takes ``page_name`` runs once for each page found in the built site, one that takes
``toy_page`` once for each with widgets, ``chapter`` once for each chapter, ``deck`` once for each
deck of slides, ``widget_place`` once for each widget. Where no site is built they fail and say what
to do.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.site import weight
from tests.site.server import SiteServer
from tests.site.visits import STALLED, Visit, file_home, open_page
from tests.site.walk import (
    find_chapters,
    find_decks,
    find_pages,
    find_toy_pages,
    find_widgets,
    site_folder,
)

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MISSING = "no site"
Open = Callable[..., AbstractContextManager[Visit]]
Kept = Callable[[str], frozenset[str]]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one test for every page and one for every widget of the built site."""
    folder = site_folder()
    every: dict[str, Callable[[Path], list[Any]]] = {
        "page_name": find_pages,
        "toy_page": find_toy_pages,
        "chapter": find_chapters,
        "deck": find_decks,
        "widget_place": find_widgets,
    }
    for name, find in every.items():
        if name in metafunc.fixturenames:
            found = find(folder) if folder.is_dir() else []
            metafunc.parametrize(name, found or [MISSING], ids=str, scope="module")


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[None]:
    """Begin a test again, once, whose browser stopped drawing: see `visits.STALLED`."""
    try:
        return (yield)  # type: ignore[return-value]
    except Exception as error:
        if STALLED not in str(error):
            raise
    names = pyfuncitem._fixtureinfo.argnames
    pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names})
    return True  # type: ignore[return-value]


@pytest.fixture(scope="session")
def site() -> Path:
    """The folder of the built site; fails where there is none."""
    folder = site_folder()
    if not (folder / "index.html").is_file():
        pytest.fail(f"there is no site in {folder}: run make book first", pytrace=False)
    return folder


@pytest.fixture(scope="session")
def server(site: Path) -> Iterator[SiteServer]:
    """The built site on a web server that compresses, as hosts do."""
    with SiteServer(site) as running:
        yield running


@pytest.fixture(scope="session")
def kept(browser: "Browser", server: SiteServer) -> Kept:
    """What a browser has kept when it comes to a page from the one before."""

    @cache
    def after(address: str) -> frozenset[str]:
        return weight.kept_after(browser, server, address)

    return lambda page_name: after(weight.page_before(server.folder, page_name))


@pytest.fixture
def open_http(browser: "Browser", server: SiteServer) -> Open:
    """Open a page of the site from the web server: ``open_http(page, **context_options)``."""

    def opened(page: str, **options: Any) -> AbstractContextManager[Visit]:
        return open_page(browser, server.url, page, **options)

    return opened


@pytest.fixture
def open_file(browser: "Browser", site: Path) -> Open:
    """Open a page of the site from the disk: ``open_file(page, **context_options)``."""

    def opened(page: str, **options: Any) -> AbstractContextManager[Visit]:
        return open_page(browser, file_home(site), page, **options)

    return opened


@pytest.fixture(params=["http", "file"])
def open_either(request: pytest.FixtureRequest) -> Open:
    """Open a page from the server in one test, from the disk in another."""
    found: Open = request.getfixturevalue(f"open_{request.param}")
    return found

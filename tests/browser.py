"""The browser that every test of a page shares: one Chromium for the whole run.

A test asks for ``browser`` and makes its own context in it (`browser.new_context()`), which is as
fresh as a new profile and costs some milliseconds, where a new browser costs a second.

Without a Chromium such tests are skipped with one reason; with ``CI=true`` they fail instead, for
there a silent skip would hide that nothing was checked.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from browsers import CHROMIUM, Kind, find_browser, is_ci, launch

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def required(kind: Kind) -> Path:
    """Return the path of a browser; skip the test without one, or fail it with ``CI=true``."""
    found = find_browser(kind)
    if found is None and is_ci():
        pytest.fail(f"{kind.missing}, and CI=true: run python tools/browsers.py", pytrace=False)
    if found is None:
        pytest.skip(kind.skipped)
    return found


@pytest.fixture(scope="session")
def chromium_path() -> Path:
    """The path of the Chromium that the browser tests use."""
    return required(CHROMIUM)


@pytest.fixture(scope="session")
def browser(chromium_path: Path) -> "Iterator[Browser]":
    """A running headless Chromium; close what you open in it, but not the browser itself."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=60_000)  # milliseconds: it knows of no page's own patience
    with sync_playwright() as playwright:
        running = launch(playwright, chromium_path)
        yield running
        running.close()

"""Chromium as one engine of three: the browser that Playwright drives for all other tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.site.engines import tab

if TYPE_CHECKING:
    from playwright.sync_api import Browser


class Chromium:
    """A tab of the browser that the tests share; to close it leaves the browser running."""

    def __init__(self, browser: Browser) -> None:
        permissions = ["clipboard-read", "clipboard-write"]
        self._context = browser.new_context(permissions=permissions, reduced_motion="reduce")
        self._context.set_default_timeout(tab.PATIENCE)
        self._page = self._context.new_page()

    def goto(self, address: str) -> None:
        self._page.goto(address)

    def evaluate(self, script: str, given: Any = None, /) -> Any:
        return self._page.evaluate(script, given)

    def resize(self, width: int, height: int) -> None:
        self._page.set_viewport_size({"width": width, "height": height})

    def click(self, x: float, y: float) -> None:
        self._page.mouse.click(x, y)

    def press(self, *keys: str) -> None:
        self._page.keyboard.press("+".join(keys))

    def screenshot(self) -> bytes:
        return self._page.screenshot()

    def close(self) -> None:
        self._context.close()

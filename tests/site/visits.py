"""Opening a page in a browser while everything that goes wrong is written down."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from playwright.sync_api import Browser, BrowserContext, Page

PATIENCE = 60_000  # milliseconds, so many that only a widget that never draws comes to their end

# Chromium's headless shell stops drawing for good now and then, once in some hundred visits: it
# stands still within a scroll, and asks for no frame any more. Who waits for a frame is told so
# (`Stalled`), and conftest.py lets the test begin again, in a page of its own.
STALLED = "the browser draws no frames any more"
FRAME = """(() => {
  const later = window.setTimeout.bind(window);
  window.pfFrame = () => new Promise((go, fail) => {
    const late = later(() => fail(new Error("STALLED")), PATIENCE);
    requestAnimationFrame(() => { clearTimeout(late); go(); });
  });
})();"""
NEXT_FRAME = "(window.pfFrame?.() ?? new Promise(requestAnimationFrame))"  # in any page

# Wait until nothing more is going to happen by itself: fonts, widgets that are in sight.
SETTLED = """
async patience => {
  await document.fonts.ready;
  const waiting = () => [...document.querySelectorAll("[data-pf-widget]")].filter(el =>
    el.checkVisibility() && !el.dataset.pfReady && !el.hasAttribute("data-pf-ready")
    && !el.hasAttribute("data-pf-error"));
  for (const end = performance.now() + patience; waiting().length && performance.now() < end;)
    await new Promise(done => setTimeout(done, 20));
  if (waiting().length) throw new Error(`${waiting()[0].dataset.pfWidget} is never drawn`);
  for (let i = 0; i < 2; i++) await NEXT_FRAME;
}
""".replace("NEXT_FRAME", NEXT_FRAME)

# Whether all pictures are there, or known to be missing; a lazy one waits until it is near.
LOADED = "() => [...document.images].every(each => each.complete || each.loading === 'lazy')"

# Wait until nothing slides or changes colour any more.
AT_REST = """
async () => {
  await NEXT_FRAME; // what a press begins, begins with the next frame
  const moving = () => document.getAnimations().filter(each => each.playState === "running"
    && each.effect.getComputedTiming().endTime !== Infinity);
  while (moving().length) await Promise.allSettled(moving().map(each => each.finished));
}
""".replace("NEXT_FRAME", NEXT_FRAME)

# Show what is folded away, so that it is looked at, too.
UNFOLD = """
() => {
  document.querySelectorAll("details:not([open])").forEach(each => each.open = true);
  document.querySelectorAll("button.toggle-button.toggle-button-hidden").forEach(b => b.click());
}
"""


class Scripted(Protocol):
    """What runs a script and returns its answer: a page, an element, a tab of another engine."""

    def evaluate(self, script: str, given: Any = None, /) -> Any:
        """Return the value of an expression, or what a function answers."""


@dataclass
class Visit:
    """A page that is open, and what went wrong on it so far.

    ``home`` is the beginning of every address that belongs to the site.
    """

    page: Page
    home: str
    strays: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    @property
    def problems(self) -> list[str]:
        """Everything that went wrong: requests off the site, failed requests, console messages."""
        return self.strays + self.failures + self.complaints

    def settle(self) -> None:
        """Wait for fonts and the widgets in sight."""
        self.page.evaluate(SETTLED, PATIENCE)

    def unfold(self) -> None:
        """Open everything that is folded, and wait for what that brings."""
        self.page.evaluate(UNFOLD)
        self.settle()


def listen(visit: Visit) -> None:
    """Write down in ``visit`` every request off the site, failure and console complaint."""
    page, home = visit.page, visit.home

    def on_request(address: str) -> None:
        if not address.startswith((home, "data:", "blob:", "about:")):
            visit.strays.append(f"request off the site: {address}")

    def on_failure(request: Any) -> None:
        if request.url.startswith(home) and "ERR_ABORTED" not in (request.failure or ""):
            visit.failures.append(f"request failed: {request.url} ({request.failure})")

    def on_console(message: Any) -> None:
        if message.type in {"error", "warning"}:
            place = message.location.get("url", "") if message.location else ""
            visit.complaints.append(f"console {message.type}: {message.text} ({place})")

    page.on("request", lambda request: on_request(request.url))
    page.on("websocket", lambda socket: visit.strays.append(f"web socket: {socket.url}"))
    page.on("requestfailed", on_failure)
    page.on(
        "response",
        lambda response: (
            visit.failures.append(f"status {response.status}: {response.url}")
            if response.status >= 400
            else None
        ),
    )
    page.on("console", on_console)
    page.on("pageerror", lambda error: visit.complaints.append(f"uncaught: {error}"))


def bound_frames(context: BrowserContext) -> None:
    """Give every page of ``context`` a wait for the next frame that has an end, `pfFrame`."""
    script = FRAME.replace("STALLED", STALLED).replace("PATIENCE", str(PATIENCE))
    context.add_init_script(script)


def block_strays(context: BrowserContext, home: str) -> None:
    """Make every request of ``context`` that leads off the site fail at once."""
    elsewhere = re.compile(rf"^(?!{re.escape(home)}|data:|blob:|about:)")
    context.route(elsewhere, lambda route: route.abort("internetdisconnected"))


@contextmanager
def open_page(browser: Browser, home: str, address: str, **options: Any) -> Iterator[Visit]:
    """Open ``home + address`` in a context of its own, settled; ``options`` go to the context.

    ``home`` is a folder's address, of a web server or ``file://``, and ends in a slash.
    """
    context = browser.new_context(**options)
    context.set_default_timeout(60_000)
    bound_frames(context)
    block_strays(context, home)
    visit = Visit(context.new_page(), home)
    listen(visit)
    try:
        visit.page.goto(home + address)
        if options.get("java_script_enabled", True):
            visit.settle()
        yield visit
    finally:
        context.close()


def file_home(folder: Path) -> str:
    """Return the address of ``folder`` as a person's browser opens it from the disk."""
    return folder.resolve().as_uri() + "/"

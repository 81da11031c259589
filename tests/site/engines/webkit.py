"""The system's WebKit, as GTK's MiniBrowser, driven by WebDriver on a screen that nobody sees."""

from __future__ import annotations

import base64
import json
import os
import socket
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from tests.site.engines import tab

# MiniBrowser's tool bar keeps a window 447 pixels wide; with buttons of no size it may be narrow.
NARROW = "* { min-width: 0; min-height: 0; margin: 0; padding: 0; border: 0; font-size: 1px; }"
STILL = "[Settings]\ngtk-enable-animations=0\n"  # a reader who wants no motion
CALL = """const answer = arguments[arguments.length - 1];
(SCRIPT)(arguments[0]).then((value) => answer({ value }), (error) => answer({ error: `${error}` }));
"""


class WebKit:
    """A MiniBrowser of its own X server, with a fresh profile."""

    def __init__(self, driver: Path) -> None:
        with ExitStack() as ends:  # where one of these fails, those before it end
            self._home = tab.home("webkit")
            ends.callback(self._home.cleanup)
            settings = Path(self._home.name) / "gtk-3.0"
            settings.mkdir()
            (settings / "gtk.css").write_text(NARROW, encoding="utf-8")
            (settings / "settings.ini").write_text(STILL, encoding="utf-8")
            self._screen, display = start_screen()
            ends.callback(tab.end, self._screen)
            port = free_port()
            self._process = tab.started(
                [driver, f"--port={port}"],
                env=tab.environment(
                    DISPLAY=display, GDK_BACKEND="x11", NO_AT_BRIDGE="1", HOME=self._home.name,
                    WEBKIT_DISABLE_COMPOSITING_MODE="1",  # there is no graphics card to be had
                    XDG_CONFIG_HOME=self._home.name, XDG_CACHE_HOME=self._home.name,
                    XDG_DATA_HOME=self._home.name,
                ),
            )  # fmt: skip
            ends.callback(tab.end, self._process)
            tab.wait_for("a port", lambda: True if is_open(port) else None, self._process)
            self._line = HTTPConnection("127.0.0.1", port, timeout=2 * tab.SECONDS)
            ends.callback(self._line.close)
            self._session = ""
            session = self._ask("POST", "session", {"capabilities": {}})["sessionId"]
            self._session = f"session/{session}/"
            ends.callback(self._ask, "DELETE", "")
            # WebKit counts by the page's clock, which may run fast (`reactions.hurry`).
            self._ask("POST", "timeouts", {"script": None, "pageLoad": tab.PATIENCE})
            self._bar = 0  # the height of what is above the page
            self._bar = self.evaluate("outerHeight - innerHeight")
            self._ends = ends.pop_all()

    def _ask(self, method: str, path: str, given: Any = None) -> Any:
        """Send a command and return its result.

        Raises:
            RuntimeError: WebKit says that it failed.
        """
        body = None if method == "GET" else json.dumps(given or {})
        self._line.request(method, f"/{self._session}{path}".rstrip("/"), body)
        answer = json.loads(self._line.getresponse().read())["value"]
        if isinstance(answer, dict) and "error" in answer and "stacktrace" in answer:
            raise RuntimeError(f"{path}: {answer['error']}: {answer['message']}")
        return answer

    def goto(self, address: str) -> None:
        self._ask("POST", "url", {"url": address})

    def evaluate(self, script: str, given: Any = None, /) -> Any:
        call = CALL.replace("SCRIPT", tab.value_of(script))
        answer = self._ask("POST", "execute/async", {"script": call, "args": [json.dumps(given)]})
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return json.loads(answer["value"])

    def resize(self, width: int, height: int) -> None:
        self._ask("POST", "window/rect", {"width": width, "height": height + self._bar})

    def click(self, x: float, y: float) -> None:
        self._ask("POST", "actions", {"actions": tab.clicking(x, y)})

    def press(self, *keys: str) -> None:
        self._ask("POST", "actions", {"actions": tab.pressing(keys)})

    def screenshot(self) -> bytes:
        return base64.b64decode(self._ask("GET", "screenshot"))

    def close(self) -> None:
        self._ends.close()


def start_screen() -> tuple[Any, str]:
    """Start an X server that draws into memory; return it and the name of its display."""
    answers, writes = os.pipe()
    command = ["Xvfb", "-displayfd", str(writes), "-screen", "0", "1280x720x24", "-nolisten", "tcp"]
    process = tab.started(command, pass_fds=[writes])
    os.close(writes)
    with os.fdopen(answers) as lines:
        number = lines.readline().strip()
    if not number:
        raise RuntimeError(f"Xvfb must name its display; it ended with {process.wait()}")
    return process, f":{number}"


def free_port() -> int:
    """Return a port of this machine on which nobody listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def is_open(port: int) -> bool:
    """True if somebody listens on a port of this machine."""
    with socket.socket() as caller:
        return caller.connect_ex(("127.0.0.1", port)) == 0

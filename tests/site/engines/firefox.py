"""The system's Firefox, driven by WebDriver BiDi: JSON over a web socket that it opens itself."""

from __future__ import annotations

import base64
import json
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

from tests.site.engines import tab
from websocket import create_connection

# Firefox sets most of what a test wants by itself when it is driven. What is left: no request of
# its own, one process for pages, no motion, and scroll bars over the page, as on a phone.
PREFERENCES: dict[str, bool | int | str] = {
    "app.normandy.enabled": False,
    "app.update.disabledForTesting": True,
    "browser.safebrowsing.downloads.enabled": False,
    "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False,
    "browser.search.update": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "dom.ipc.processCount": 1,
    "dom.ipc.processPrelaunch.enabled": False,
    "extensions.update.enabled": False,
    "full-screen-api.transition-duration.enter": "0 0",
    "full-screen-api.transition-duration.leave": "0 0",
    "full-screen-api.warning.timeout": 0,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "services.settings.server": "data:,#remote-settings-dummy/v1",
    "toolkit.telemetry.server": "",
    "ui.prefersReducedMotion": 1,
    "ui.useOverlayScrollbars": 1,
}


class Firefox:
    """A headless Firefox with a fresh profile."""

    def __init__(self, program: Path) -> None:
        with ExitStack() as ends:  # where one of these fails, those before it end
            self._home = tab.home("firefox")
            ends.callback(self._home.cleanup)
            profile = Path(self._home.name)
            (profile / "user.js").write_text(preferences(), encoding="utf-8")
            driven = ["--headless", "--no-remote", "--remote-debugging-port=0"]
            self._process = tab.started(
                [program, *driven, "--profile", profile],
                # The screen that it may fill; and no crash reporter, which would outlive the tests.
                env=tab.environment(
                    HOME=self._home.name, MOZ_CRASHREPORTER_DISABLE="1",
                    MOZ_HEADLESS_WIDTH="1280", MOZ_HEADLESS_HEIGHT="720",
                ),
            )  # fmt: skip
            ends.callback(tab.end, self._process)
            note = profile / "WebDriverBiDiServer.json"
            server = tab.wait_for("an address", lambda: read(note), self._process)
            address = f"ws://{server['ws_host']}:{server['ws_port']}/session"
            self._socket = create_connection(
                address, timeout=2 * tab.SECONDS, suppress_origin=True, enable_multithread=False
            )
            ends.callback(self._socket.close)
            self._numbers = count(1)
            self._ask("session.new", capabilities={})
            [first] = self._ask("browsingContext.getTree")["contexts"]
            # Only a tab that was opened so has the focus, without which none goes full screen.
            self._tab = self._ask("browsingContext.create", type="tab")["context"]
            self._ask("browsingContext.close", context=first["context"])
            self._ends = ends.pop_all()

    def _ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command and return its result.

        Raises:
            RuntimeError: Firefox says that it failed.
        """
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while (answer := json.loads(self._socket.recv())).get("id") != number:
            pass  # an event
        if answer["type"] == "error":
            raise RuntimeError(f"{method}: {answer['error']}: {answer['message']}")
        result: dict[str, Any] = answer["result"]
        return result

    def goto(self, address: str) -> None:
        self._ask("browsingContext.navigate", context=self._tab, url=address, wait="complete")

    def evaluate(self, script: str, given: Any = None, /) -> Any:
        answer = self._ask(
            "script.callFunction",
            functionDeclaration=tab.value_of(script),
            arguments=[{"type": "string", "value": json.dumps(given)}],
            target={"context": self._tab},
            awaitPromise=True,
        )
        if answer["type"] == "exception":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])

    def resize(self, width: int, height: int) -> None:
        size = {"width": width, "height": height}
        self._ask("browsingContext.setViewport", context=self._tab, viewport=size)

    def click(self, x: float, y: float) -> None:
        self._ask("input.performActions", context=self._tab, actions=tab.clicking(x, y))

    def press(self, *keys: str) -> None:
        self._ask("input.performActions", context=self._tab, actions=tab.pressing(keys))

    def screenshot(self) -> bytes:
        picture = self._ask("browsingContext.captureScreenshot", context=self._tab)
        return base64.b64decode(picture["data"])

    def close(self) -> None:
        self._ends.close()


def preferences() -> str:
    """Return the text of a profile's user.js."""
    lines = (f"user_pref({json.dumps(k)}, {json.dumps(v)});" for k, v in PREFERENCES.items())
    return "\n".join(lines)


def read(path: Path) -> Any:
    """Return what a file of JSON holds; None while it is not there, or half written."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None

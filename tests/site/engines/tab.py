"""What the tests ask of a browser, so little that a hundred lines offer it in any engine.

Playwright drives Chromium and takes its own builds of Firefox and WebKit alone. The engines that
readers have come from the system's packages, and are spoken to in the standards' own words:
`firefox.py` in WebDriver BiDi, `webkit.py` in WebDriver.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from tempfile import TemporaryDirectory
from typing import Any, Protocol, TypeVar

SECONDS = 60  # far more than any answer takes: only what will never come is given up
PATIENCE = 1000 * SECONDS
T = TypeVar("T")


class Tab(Protocol):
    """The one tab of a running browser, which shows one page after another."""

    def goto(self, address: str) -> None:
        """Open an address, and wait until the page and its pictures are loaded."""

    def evaluate(self, script: str, given: Any = None, /) -> Any:
        """Return the value of an expression, or what a function, also an async one, answers."""

    def resize(self, width: int, height: int) -> None:
        """Give the page a window of so many CSS pixels."""

    def click(self, x: float, y: float) -> None:
        """Press the mouse at a point of the window, as a hand would."""

    def press(self, *keys: str) -> None:
        """Press a key, or several at once; their names are those of `KeyboardEvent.key`."""

    def screenshot(self) -> bytes:
        """Return a picture of the window, as PNG."""

    def close(self) -> None:
        """End the browser and all that it started."""


# The names of keys, and what WebDriver calls them (section 17.4.2 of its standard).
KEYS = {
    "Tab": "\ue004", "Enter": "\ue007", "Control": "\ue009", "Escape": "\ue00c", "End": "\ue010",
    "Home": "\ue011", "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014",
    "ArrowDown": "\ue015",
}  # fmt: skip


def pressing(keys: Sequence[str]) -> list[dict[str, Any]]:
    """Return the actions, in both protocols, that press all ``keys`` and let them go.

    >>> [(each["type"], each["value"]) for each in pressing(["a"])[0]["actions"]]
    [('keyDown', 'a'), ('keyUp', 'a')]
    """
    values = [KEYS.get(key, key) for key in keys]
    steps = [{"type": "keyDown", "value": value} for value in values]
    steps += [{"type": "keyUp", "value": value} for value in reversed(values)]
    return [{"type": "key", "id": "keyboard", "actions": steps}]


def clicking(x: float, y: float) -> list[dict[str, Any]]:
    """Return the actions, in both protocols, that press the mouse at a point of the window."""
    steps = [
        {"type": "pointerMove", "x": round(x), "y": round(y)},
        {"type": "pointerDown", "button": 0},
        {"type": "pointerUp", "button": 0},
    ]
    mouse = {"pointerType": "mouse"}
    return [{"type": "pointer", "id": "mouse", "parameters": mouse, "actions": steps}]


def value_of(script: str) -> str:
    """Return a function of JSON that gives the value of ``script``, as `Tab.evaluate` says."""
    return f"""async (given) => {{
      const script = ({script.strip().rstrip(";")});
      const value = await (typeof script === "function" ? script(JSON.parse(given)) : script);
      return JSON.stringify(value ?? null);
    }}"""


def home(engine: str) -> TemporaryDirectory[str]:
    """Return an empty home folder for a browser, which also takes its profile."""
    return TemporaryDirectory(prefix=f"plainformer-{engine}-", ignore_cleanup_errors=True)


def started(command: Sequence[str | os.PathLike[str]], **options: Any) -> subprocess.Popen[bytes]:
    """Start a program in a process group of its own, silent."""
    if shutil.which("setpriv"):  # on every Linux: it ends also when these tests are killed
        command = ["setpriv", "--pdeathsig", "TERM", *command]
    silent = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
    given = silent | {"stderr": subprocess.DEVNULL, "start_new_session": True} | options
    return subprocess.Popen(command, **given)


def end(process: subprocess.Popen[bytes]) -> None:
    """End a program and all that it started: kindly at first."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, how)
            process.wait(timeout=10)
        except ProcessLookupError:  # nothing of it is left
            return
        except subprocess.TimeoutExpired:
            continue


def wait_for(what: str, ask: Callable[[], T | None], process: subprocess.Popen[bytes]) -> T:
    """Return the first answer of ``ask`` that is not None.

    Raises:
        RuntimeError: the program ended, or a minute went by.
    """
    deadline = time.monotonic() + SECONDS
    while (answer := ask()) is None:
        if process.poll() is not None or time.monotonic() > deadline:
            status = "is silent" if process.returncode is None else "has ended"
            raise RuntimeError(f"{process.args} must give {what}, but it {status}")
        time.sleep(0.02)
    return answer


def environment(**changes: str) -> Mapping[str, str]:
    """Return the variables of this process with some changed."""
    return {**os.environ, **changes}

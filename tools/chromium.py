"""Find a Chromium for the browser tests, or install one the way the platform offers.

Run as a program it prints the path on stdout, and everything else on stderr:

    python tools/chromium.py

The order is: the file named in ``PLAINFORMER_CHROMIUM``; ``chromium-headless-shell``, ``chromium``,
``chromium-browser`` and ``google-chrome`` on the path; Chrome's place on a Mac; playwright's own
download. The headless shell comes first: it draws with the same engine, but has no windows with
menus and tabs, which the others make for every page even where nobody sees them. A new page costs
it a fifth of their time. When none of all these is there, `main` installs one: as root on Debian
from its packages, anywhere else through playwright. Where that is impossible it says so in one
line, and fails only with ``CI=true``.

It does not update a Chromium that is already there, and does not ask which version it is.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

PACKAGE = "chromium-headless-shell"  # Debian's; also the name of the program in it
NAMES = (PACKAGE, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
SKIPPED = "no Chromium was found or could be installed: the browser tests will be skipped"


def is_root() -> bool:
    """True where the process may do anything; Windows has no such number, so never there."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def launch_args(*, root: bool) -> tuple[str, ...]:
    """Return the switches for a Chromium that is quiet, and talks to nobody of its own accord.

    ``root`` says whether the process runs as root, where Chromium refuses to start inside its
    sandbox; everybody else keeps the sandbox.

    >>> "--no-sandbox" in launch_args(root=True), "--no-sandbox" in launch_args(root=False)
    (True, False)
    """
    quiet = (
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-default-apps",
        "--disable-dev-shm-usage",
        "--disable-sync",
        "--no-default-browser-check",
        "--no-first-run",
    )
    return ("--no-sandbox", *quiet) if root else quiet


LAUNCH_ARGS = launch_args(root=is_root())


def runs(path: Path) -> bool:
    """True if ``path`` is a program that can state its version.

    Being on the path is not enough: Ubuntu's ``chromium-browser`` is a script that asks for a snap.
    """
    if not (path.is_file() and os.access(path, os.X_OK)):
        return False
    try:
        done = subprocess.run([path, "--version"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def playwright_chromium() -> Path | None:
    """Return where playwright keeps its own Chromium, or None without playwright or download.

    It asks in a process of its own, for playwright starts only once in a process.
    """
    code = (
        "from playwright.sync_api import sync_playwright\n"
        "with sync_playwright() as p: print(p.chromium.executable_path)"
    )
    try:
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    path = Path(done.stdout.strip())
    return path if done.returncode == 0 and path.is_file() else None


def find_chromium() -> Path | None:
    """Return the path of a Chromium that runs, or None.

    Raises:
        ValueError: ``PLAINFORMER_CHROMIUM`` names something that does not run. A setting that is
            wrong is reported; nothing else is taken in its place.
    """
    named = os.environ.get("PLAINFORMER_CHROMIUM")
    if named:
        if not runs(Path(named)):
            raise ValueError(f"PLAINFORMER_CHROMIUM must name a Chromium that runs; got {named!r}")
        return Path(named)
    on_path = (Path(found) for name in NAMES if (found := shutil.which(name)))
    for path in (*on_path, MAC):
        if runs(path):
            return path
    own = playwright_chromium()
    return own if own and runs(own) else None


def is_debian(os_release: Path = Path("/etc/os-release")) -> bool:
    """True on Debian itself, not on its relatives: Ubuntu's package of Chromium is a snap."""
    try:
        return "ID=debian" in os_release.read_text(encoding="utf-8").splitlines()
    except OSError:
        return False


def install_commands(*, root: bool, debian: bool) -> list[list[list[str]]]:
    """Return the ways to install a Chromium here, best first; each is a list of commands.

    >>> [way[-1][0] for way in install_commands(root=True, debian=True)][0]
    'apt-get'
    >>> len(install_commands(root=False, debian=True))
    1
    """
    playwright = [sys.executable, "-m", "playwright", "install", "chromium"]
    ways = [[[*playwright, "--with-deps"] if root and debian else playwright]]
    if root and debian:
        ways.insert(0, [["apt-get", "update"], ["apt-get", "install", "-y", PACKAGE]])
    return ways


def run_all(commands: Sequence[Sequence[str]]) -> bool:
    """Run ``commands`` in turn until one fails, with their output on stderr; True if none did."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in commands:
        try:
            done = subprocess.run(command, stdout=sys.stderr, env=environment, check=False)
        except OSError:
            return False
        if done.returncode != 0:
            return False
    return True


def find_or_install(run: Callable[[Sequence[Sequence[str]]], bool] = run_all) -> Path | None:
    """Return a Chromium that runs, installing one where none is found; None where that fails.

    ``run`` carries out one way's commands and says whether they all succeeded.
    """
    found = find_chromium()
    if found:
        return found
    print("no Chromium found: installing one for the browser tests", file=sys.stderr)
    for way in install_commands(root=is_root(), debian=is_debian()):
        if run(way) and (found := find_chromium()):
            return found
    return None


def launch(playwright: Playwright, path: Path) -> Browser:
    """Start the Chromium at ``path``, headless; ``playwright`` is the running sync API.

    It starts in its sandbox unless root asks for it. Where the system forbids a sandbox (many
    containers, Ubuntu since 24.04), it starts without: the pages it opens are our own.

    Raises:
        playwright.sync_api.Error: the browser does not start in either way.
    """
    from playwright.sync_api import Error

    start = playwright.chromium.launch
    try:
        return start(executable_path=path, args=list(LAUNCH_ARGS), chromium_sandbox=not is_root())
    except Error:
        if is_root():
            raise
        return start(executable_path=path, args=list(LAUNCH_ARGS), chromium_sandbox=False)


def main() -> int:
    """Print the path of a Chromium; return 1 where there is none and ``CI=true``, 0 otherwise."""
    try:
        found = find_or_install()
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if found:
        print(found)
        return 0
    if os.environ.get("CI") == "true":
        print("error: no Chromium was found or could be installed, and CI=true", file=sys.stderr)
        return 1
    print(SKIPPED, file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Find the browsers that the tests drive, or install the ones that are missing.

As a program, it prints the path of each browser on stdout, and everything else on stderr:

    python tools/browsers.py

It looks for each browser in this order: the file named by its environment variable
(``PLAINFORMER_CHROMIUM``, ``PLAINFORMER_FIREFOX``, ``PLAINFORMER_WEBKIT``); its usual names on the
PATH; its usual place on a Mac; and, for Chromium only, playwright's own download. If it finds none,
`main` tries to install the browser: from Debian's packages, if it runs as root or may use ``sudo``
because ``CI=true``, or, for Chromium only, through playwright. If that is impossible, it says so in
one line, and fails only if ``CI=true``.

Chromium's headless shell is preferred to the full browser. It has the same rendering engine but
does not create a window with menus and tabs for every page, so it opens a page in a fifth of the
time. Firefox and WebKit are the ones that the system installs, as readers have them. WebKit means
GTK's MiniBrowser, so what is looked for is its WebDriver, and Xvfb, which provides a virtual
screen.

A browser that is already installed is not updated, and its version is not checked.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright


@dataclass(frozen=True)
class Kind:
    """A browser that the tests drive: its name, where to find it, and how to install it.

    Attributes:
        name: its usual name.
        names: the names of its program, the best first.
        packages: the Debian packages that install it.
        mac: its usual place on a Mac.
        needs: other programs that it cannot run without.
        proof: the option that it is called with to see whether it runs.
        on_ubuntu: whether these packages also work on Ubuntu and other derivatives of Debian,
            where some browsers are only available as a snap.
    """

    name: str
    names: tuple[str, ...]
    packages: tuple[str, ...]
    mac: Path | None = None
    needs: tuple[str, ...] = ()
    proof: str = "--version"
    on_ubuntu: bool = False

    @property
    def setting(self) -> str:
        """The environment variable that says which program to use."""
        return f"PLAINFORMER_{self.name.upper()}"

    @property
    def missing(self) -> str:
        """The message if the browser is missing."""
        return f"{self.name} was not found and could not be installed"

    @property
    def skipped(self) -> str:
        """The message if the browser is missing and its tests can be skipped."""
        return f"{self.missing}, so the tests that need it will be skipped"


APPLICATIONS = Path("/Applications")
CHROMIUM = Kind(
    "Chromium",
    ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome",
     "google-chrome-stable"),
    packages=("chromium-headless-shell",),
    mac=APPLICATIONS / "Google Chrome.app/Contents/MacOS/Google Chrome",
)  # fmt: skip
FIREFOX = Kind(
    "Firefox",
    ("firefox-esr", "firefox"),
    packages=("firefox-esr",),
    mac=APPLICATIONS / "Firefox.app/Contents/MacOS/firefox",
)
WEBKIT = Kind(
    "WebKit",
    ("WebKitWebDriver",),
    packages=("webkit2gtk-driver", "xvfb"),
    needs=("Xvfb",),
    proof="--help",
    on_ubuntu=True,
)
KINDS = (CHROMIUM, FIREFOX, WEBKIT)


def is_root() -> bool:
    """True if this process runs as root; always False on Windows, which has no user ids."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def is_ci() -> bool:
    """True if a missing browser is a failure and not just a reason to skip tests."""
    return os.environ.get("CI") == "true"


def launch_args(*, root: bool) -> tuple[str, ...]:
    """Return the switches for a Chromium that makes no network requests of its own.

    ``root`` says whether the process runs as root, because Chromium's sandbox does not work there;
    for all other users the sandbox stays on.

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


def runs(path: Path, proof: str = "--version") -> bool:
    """True if ``path`` is a program that succeeds when it is called with ``proof``.

    Being on the PATH is not enough: Ubuntu's ``chromium-browser`` and ``firefox`` are scripts that
    ask for a snap, and a snap cannot read the profile and the pages that tests keep in /tmp.
    """
    if not (path.is_file() and os.access(path, os.X_OK)) or is_snap(path):
        return False
    try:
        done = subprocess.run([path, proof], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def is_snap(path: Path) -> bool:
    """True for a program that is in a snap, or for a script that starts one."""
    with path.open("rb") as program:
        begins = program.read(4096)
    return "snap" in path.resolve().parts or (begins[:2] == b"#!" and b"/snap/" in begins)


def playwright_chromium() -> Path | None:
    """Return the path of playwright's own Chromium, or None if it has not been downloaded.

    A separate process asks, because playwright can be started only once in each process.
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


def find_browser(kind: Kind) -> Path | None:
    """Return the path of a browser of this kind that runs, or None.

    Raises:
        ValueError: its environment variable names something that does not run. This is reported,
            and no other browser is used in its place.
    """
    named = os.environ.get(kind.setting)
    if named and not runs(Path(named), kind.proof):
        raise ValueError(f"{kind.setting} must name a {kind.name} that runs; got {named!r}")
    if not all(shutil.which(name) for name in kind.needs):
        return None
    if named:
        return Path(named)
    on_path = (Path(found) for name in kind.names if (found := shutil.which(name)))
    for path in (*on_path, *([kind.mac] if kind.mac else [])):
        if runs(path, kind.proof):
            return path
    own = playwright_chromium() if kind is CHROMIUM else None
    return own if own and runs(own) else None


def is_debian(os_release: Path = Path("/etc/os-release")) -> bool:
    """True on Debian itself, but not on derivatives such as Ubuntu, whose Chromium is a snap."""
    try:
        return "ID=debian" in os_release.read_text(encoding="utf-8").splitlines()
    except OSError:
        return False


def rights(*, root: bool) -> list[str] | None:
    """Return what to put before a command that needs root: nothing for root, ``sudo`` in CI.

    None for all others, so that a cached sudo password never changes somebody's own machine.
    """
    if root:
        return []
    return ["sudo", "-n"] if is_ci() and shutil.which("sudo") else None


def install_commands(kind: Kind, *, root: bool, debian: bool) -> list[list[list[str]]]:
    """Return the ways to install a browser here, best first; each is a list of commands.

    >>> [way[-1][0] for way in install_commands(CHROMIUM, root=True, debian=True)][0]
    'apt-get'
    >>> len(install_commands(CHROMIUM, root=False, debian=True))
    1
    """
    ways = []
    ours = debian or (kind.on_ubuntu and shutil.which("apt-get") is not None)
    if ours and (before := rights(root=root)) is not None:
        apt = [*before, "apt-get"]
        ways.append([[*apt, "update"], [*apt, "install", "-y", *kind.packages]])
    if kind is CHROMIUM:
        playwright = [sys.executable, "-m", "playwright", "install", "chromium"]
        ways.append([[*playwright, "--with-deps"] if root and debian else playwright])
    return ways


def run_all(commands: Sequence[Sequence[str]]) -> bool:
    """Run commands in turn until one fails, with their output on stderr; True if none does."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in commands:
        try:
            done = subprocess.run(command, stdout=sys.stderr, env=environment, check=False)
        except OSError:
            return False
        if done.returncode != 0:
            return False
    return True


def find_or_install(
    kind: Kind, run: Callable[[Sequence[Sequence[str]]], bool] = run_all
) -> Path | None:
    """Return a working browser, installing one if none is found; None if that fails.

    ``run`` executes the commands of one way to install it and says whether all succeeded.
    """
    found = find_browser(kind)
    if found:
        return found
    for way in install_commands(kind, root=is_root(), debian=is_debian()):
        print(f"no {kind.name} found: installing one for the tests", file=sys.stderr)
        if run(way) and (found := find_browser(kind)):
            return found
    return None


def launch(playwright: Playwright, path: Path) -> Browser:
    """Start the Chromium at ``path`` headless, using playwright's sync API.

    It runs in its sandbox except as root. If the system does not allow a sandbox (as in many
    containers, and on Ubuntu since 24.04), it runs without one, since all pages are our own.

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
    """Print the path of each browser; return 1 if a setting is wrong, or one is missing in CI."""
    status = 0
    for kind in KINDS:
        try:
            found = find_or_install(kind)
        except ValueError as error:
            print(f"error: {error}", file=sys.stderr)
            status = 1
            continue
        if found:
            print(found)
        elif is_ci():
            print(f"error: {kind.missing}, and CI=true", file=sys.stderr)
            status = 1
        else:
            print(kind.skipped, file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())

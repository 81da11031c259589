"""Find the browsers that the tests drive, or install them the way the platform offers.

Run as a program it prints the path of each on stdout, and everything else on stderr:

    python tools/browsers.py

The order is, for each: the file that its setting names (``PLAINFORMER_CHROMIUM``,
``PLAINFORMER_FIREFOX``, ``PLAINFORMER_WEBKIT``); its names on the path; its place on a Mac; for
Chromium, playwright's own download. When none of all these is there, `main` installs one: as root
on Debian from its packages, with ``CI=true`` also by ``sudo``, a Chromium anywhere else through
playwright. Where that is impossible it says so in one line, and fails only with ``CI=true``.

Chromium's headless shell comes first among its names: it draws with the same engine, but has no
windows with menus and tabs, which the others make for every page even where nobody sees them. A new
page costs it a fifth of their time. Firefox and WebKit are the system's own, as readers have them.
WebKit is GTK's MiniBrowser: what is looked for is its WebDriver, and Xvfb, which gives it a screen
that nobody sees.

It does not update a browser that is already there, and does not ask which version it is.
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
    """A browser that the tests drive: what it is called, where it is, and what brings it.

    Attributes:
        name: what people call it.
        names: its programs, best first.
        packages: Debian's packages that bring it.
        mac: its place on a Mac.
        needs: other programs without which it does not run.
        proof: what it is asked, to see that it runs.
        on_ubuntu: whether they bring it on Debian's relatives, too, and no snap.
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
        """The variable that names the program to take."""
        return f"PLAINFORMER_{self.name.upper()}"

    @property
    def missing(self) -> str:
        """What is said where there is none."""
        return f"no {self.name} was found or could be installed"

    @property
    def skipped(self) -> str:
        """What is said where there is none, and nobody insists."""
        return f"{self.missing}: the tests in it will be skipped"


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
    """True where the process may do anything; Windows has no such number, so never there."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def is_ci() -> bool:
    """True where a browser that is missing is a failure, and no reason to skip."""
    return os.environ.get("CI") == "true"


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


def runs(path: Path, proof: str = "--version") -> bool:
    """True if ``path`` is a program that answers ``proof``.

    Being on the path is not enough: Ubuntu's ``chromium-browser`` and ``firefox`` are scripts that
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


def find_browser(kind: Kind) -> Path | None:
    """Return the path of a browser of this kind that runs, or None.

    Raises:
        ValueError: its setting names something that does not run. A setting that is wrong is
            reported; nothing else is taken in its place.
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
    """True on Debian itself, not on its relatives: Ubuntu's package of Chromium is a snap."""
    try:
        return "ID=debian" in os_release.read_text(encoding="utf-8").splitlines()
    except OSError:
        return False


def rights(*, root: bool) -> list[str] | None:
    """Return what makes a command root's: nothing for root itself, ``sudo`` with ``CI=true``.

    None for everybody else: nobody's own machine is changed by a password that was given before.
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


def find_or_install(
    kind: Kind, run: Callable[[Sequence[Sequence[str]]], bool] = run_all
) -> Path | None:
    """Return a browser that runs, installing one where none is found; None where that fails.

    ``run`` carries out one way's commands and says whether they all succeeded.
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
    """Print the path of each browser; return 1 where ``CI=true`` and one is missing, else 0."""
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

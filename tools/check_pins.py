"""Check that every pin in ``requirements.txt`` allows every Python that the course supports.

The supported versions are those that ``requires-python`` in ``pyproject.toml`` allows. Which
versions a pinned package needs is read from the metadata of the installed package, so nothing is
downloaded. If ``requires-python`` has no upper limit, the check takes it literally: a package that
excludes Python 3.20 is then reported as well.

Usage: ``python tools/course.py lint``, or ``python tools/check_pins.py``
"""

import sys
import tomllib
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.specifiers import SpecifierSet
from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent
# Python 3.0.0 to 3.99.29, which is more than any pin will live to see.
PYTHONS = [Version(f"3.{minor}.{micro}") for minor in range(100) for micro in range(30)]
# Printed if the installed version is not the pinned one, whose requirements are then unknown.
AGAIN = "run `.venv/bin/python -m pip install -r requirements.txt` and check again"


def pins(requirements: str) -> dict[str, str]:
    """Return the versions that a requirements file pins, by the name of the package.

    >>> pins("# direct and indirect\\nnumpy==2.4.6\\ntorch==2.13.0")
    {'numpy': '2.4.6', 'torch': '2.13.0'}
    """
    lines = [line for line in requirements.splitlines() if not line.startswith("#")]
    return {name: version for name, _, version in (line.partition("==") for line in lines)}


@cache
def refused(needs: str, promise: str) -> Version | None:
    """Return the oldest Python that we support and the package does not, or None.

    >>> refused(">=3.9", ">=3.11") is None, str(refused(">=3.11.5", ">=3.11"))
    (True, '3.11.0')
    """
    wanted, ours = SpecifierSet(needs), SpecifierSet(promise)
    return next((one for one in PYTHONS if one in ours and one not in wanted), None)


def problems(pinned: dict[str, str], promise: str) -> list[str]:
    """Return a sentence for each pin that cannot be installed on some supported Python."""
    found = []
    for name, version in pinned.items():
        try:
            package = distribution(name)
        except PackageNotFoundError:
            found.append(f"{name}=={version} is pinned but not installed: {AGAIN}")
            continue
        if Version(package.version).public != Version(version).public:
            this = package.version
            found.append(f"{name}=={version} is pinned, but {this} is installed: {AGAIN}")
            continue
        needs = str(package.metadata.json.get("requires_python", ""))
        if without := refused(needs, promise):
            found.append(
                f"{name}=={version} needs Python {needs}, but pyproject.toml supports {promise}, "
                f"so it cannot be installed on Python {without}. Pin an earlier version: run "
                "`make lock`, or pin it in pyproject.toml with a comment that says why"
            )
    return found


def main() -> int:
    """Print what is wrong; return 1 if anything is."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pinned = pins((ROOT / "requirements.txt").read_text(encoding="utf-8"))
    found = problems(pinned, project["requires-python"])
    for sentence in found:
        print(f"error: {sentence}.", file=sys.stderr)
    if not found:
        print(f"All {len(pinned)} pins allow every Python {project['requires-python']}.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

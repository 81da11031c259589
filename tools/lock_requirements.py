"""Update all pins: write ``requirements.txt`` from the dependencies in ``pyproject.toml``.

pip resolves the dependencies of the package, with all extras, for the oldest Python that we
support, so that every pinned version can be installed there. It ignores what is installed already,
and installs nothing. torch stays at the version in ``requirements.txt``; to change it, edit that
line by hand and run this again. (``pyproject.toml`` allows a range, from which pip would choose the
newest version, with gigabytes of GPU libraries.)

The script must also be run with that oldest Python, because pip evaluates conditions such as
``python_version < "3.12"`` for the Python that runs it.

Usage: ``make PYTHON=python3.11 lock``
"""

import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from course import OLDEST
from setup_venv import CPU_BUILDS, torch_pin

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "requirements.txt"
EXTRAS = ("torch", "book", "test")
HEADER = """\
# Every version that the book and the tests run with, direct and indirect, so that a clone
# made in a year builds the same pages. Made by `make lock` from the extras in pyproject.toml,
# where each direct dependency is explained; but torch's version is chosen here.
"""


def wanted() -> list[str]:
    """Return the package's dependencies with all extras, as in pyproject.toml, and torch's pin."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [one for name in EXTRAS for one in project["optional-dependencies"][name]]
    return [*project["dependencies"], *extras, torch_pin()]


def resolve(requirements: list[str], folder: Path) -> dict[str, Any]:
    """Ask pip what it would install on the oldest Python; return its report."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    if sys.platform == "linux":
        # The CPU build needs no GPU libraries; the ordinary one would have them pinned as well.
        cpu_only = ["--no-deps", "--retries=0", "--extra-index-url", CPU_BUILDS, torch_pin()]
        subprocess.run([*pip, "download", "--dest", str(folder), *cpu_only], capture_output=True)
    report = folder / "report.json"
    command = [
        *pip, "install", "--quiet", "--dry-run", "--ignore-installed",
        "--python-version", ".".join(map(str, [*OLDEST, 0])), "--only-binary=:all:",
        "--target", str(folder / "nowhere"),  # required by pip together with --python-version
        "--find-links", str(folder), "--report", str(report), *requirements,
    ]  # fmt: skip
    subprocess.run(command, check=True)
    found: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    return found


def pins(report: dict[str, Any]) -> list[str]:
    """Return the packages of pip's report as sorted pins, without tags such as ``+cpu``.

    >>> pins({"install": [{"metadata": {"name": "torch", "version": "2.13.0+cpu"}},
    ...                   {"metadata": {"name": "numpy", "version": "2.4.6"}}]})
    ['numpy==2.4.6', 'torch==2.13.0']
    """
    each = [one["metadata"] for one in report["install"]]
    lines = [f"{one['name']}=={one['version'].split('+')[0]}" for one in each]
    return sorted(lines, key=str.lower)


def main() -> int:
    """Resolve the dependencies and write requirements.txt."""
    if sys.version_info[:2] != OLDEST:
        oldest = ".".join(map(str, OLDEST))
        this = ".".join(map(str, sys.version_info[:3]))
        print(
            f"The pins must be resolved with the oldest supported Python, {oldest}, but this is "
            f"{this}. Run `make PYTHON=python{oldest} lock`.",
            file=sys.stderr,
        )
        return 1
    with tempfile.TemporaryDirectory() as folder:
        found = pins(resolve(wanted(), Path(folder)))
    TARGET.write_text(HEADER + "\n".join(found) + "\n", encoding="utf-8")
    print(f"wrote {TARGET.name}: {len(found)} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The package's own tests, without the book: where they are, and what pip installs for them.

    python tools/package_tests.py folders
    python tools/package_tests.py requirements             # the versions of requirements.txt
    python tools/package_tests.py requirements --newest    # the ranges of pyproject.toml

The last one tells once a week whether a release of somebody else's breaks what a reader would
install today. `.github/workflows/test.yml` calls all three.
"""

from __future__ import annotations

import argparse
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PARTS = (
    "assistant", "attention", "blocks", "data", "decoding", "exercises", "inputs", "training",
    "widgets",
)  # fmt: skip
# What those tests import besides the package and what it brings.
TESTED_WITH = (
    "pytest", "pytest-xdist", "hypothesis", "playwright", "beautifulsoup4", "tokenizers",
    "tiktoken", "scikit-learn", "transformers", "sacrebleu", "array-api-strict",
)  # fmt: skip


def folders(root: Path) -> list[str]:
    """Return what pytest is pointed at: the package's doctests, its parts, what they share."""
    shared = [
        path.relative_to(root).as_posix() for path in sorted((root / "tests").glob("test_*.py"))
    ]
    return ["src", *(f"tests/{part}" for part in PARTS), *shared]


def name_of(requirement: str) -> str:
    """Return the name that a requirement begins with, as package indexes compare names.

    >>> name_of("PyYAML>=6,<7"), name_of("ast_serialize==0.13.1")
    ('pyyaml', 'ast-serialize')
    """
    return re.sub(r"[-_.]+", "-", re.split(r"[^\w.-]", requirement)[0]).lower()


def requirements(root: Path, *, newest: bool) -> list[str]:
    """Return the lines of a requirements file for the package, its torch extra and its tests."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [*project["dependencies"], *project["optional-dependencies"]["torch"], *TESTED_WITH]
    if newest:
        return asked
    lines = (root / "requirements.txt").read_text(encoding="utf-8").splitlines()
    pinned = {name_of(line): line for line in lines if "==" in line}
    return [pinned[name_of(one)] for one in asked]


def main(arguments: list[str] | None = None) -> None:
    """Print what is asked for, a line each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=["folders", "requirements"])
    parser.add_argument("--newest", action="store_true", help="ranges instead of versions")
    chosen = parser.parse_args(arguments)
    lines = folders(ROOT) if chosen.what == "folders" else None
    print("\n".join(lines or requirements(ROOT, newest=chosen.newest)))


if __name__ == "__main__":
    main()

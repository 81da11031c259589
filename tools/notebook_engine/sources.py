"""Pieces of files that a page shows, cut by Sphinx itself, so that a notebook shows the same."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sphinx.config import Config
from sphinx.directives.code import LiteralInclude, LiteralIncludeReader
from sphinx.errors import PycodeError

UNDERSTOOD: dict[str, Any] = {
    name: read for name, read in LiteralInclude.option_spec.items() if name != "diff"
}
"""What a page may ask of a literalinclude, and how Sphinx reads each value."""


def piece(path: Path, options: Mapping[str, str]) -> str:
    """Return the part of the file that the options of a literalinclude name.

    Blank lines around it are dropped. Raises ValueError for a file, an object or a line that is
    not there, and for an option that is unknown or has a value that Sphinx refuses.
    """
    unknown = sorted(set(options) - UNDERSTOOD.keys())
    if unknown:
        raise ValueError(f"literalinclude has no option {unknown} that notebooks know")
    if not path.is_file():
        raise ValueError(f"there is no file {path.name} at that place")
    read = {name: UNDERSTOOD[name](value or None) for name, value in options.items()}
    try:
        text, _ = LiteralIncludeReader(str(path), read, Config()).read()
    except PycodeError as problem:
        raise ValueError(str(problem)) from problem
    return text.strip("\n")

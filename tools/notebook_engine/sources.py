"""Pieces of files that a page shows: the very source of an object, or some lines."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Mapping
from pathlib import Path

SHOWN_AS_WRITTEN = {  # options that change how the book prints the code, not what it is
    "language", "caption", "name", "linenos", "lineno-match", "lineno-start", "emphasize-lines",
    "class", "force",
}  # fmt: skip
UNDERSTOOD = {"pyobject", "lines", "start-at", "start-after", "end-at", "end-before", "dedent"}


def piece(path: Path, options: Mapping[str, str]) -> str:
    """Return the part of the file that the options of a literalinclude name.

    Raises ValueError for a file, an object or a line that is not there, and for other options.
    """
    unknown = set(options) - SHOWN_AS_WRITTEN - UNDERSTOOD
    if unknown:
        raise ValueError(f"literalinclude has no option {sorted(unknown)} that notebooks know")
    if not path.is_file():
        raise ValueError(f"there is no file {path.name} at that place")
    text = path.read_text(encoding="utf-8")
    if "pyobject" in options:
        text = object_source(text, options["pyobject"])
    lines = text.splitlines()
    if "lines" in options:
        lines = [lines[number] for number in _numbers(options["lines"], len(lines))]
    lines = _between(lines, options)
    whole = "\n".join(lines).strip("\n")
    return textwrap.dedent(whole) if "dedent" in options or "pyobject" in options else whole


def object_source(text: str, name: str) -> str:
    r"""Return the source of a function, class, method or constant, with its decorators.

    >>> object_source("def f():\n    return 1\n\nclass A:\n    def g(self): ...\n", "A.g")
    '    def g(self): ...'
    """
    body: list[ast.stmt] = ast.parse(text).body
    found: ast.stmt | None = None
    for part in name.split("."):
        found = next((node for node in body if part in _names(node)), None)
        if found is None:
            raise ValueError(f"there is no object {name!r} in that file")
        body = getattr(found, "body", [])
    assert found is not None
    decorators = getattr(found, "decorator_list", [])
    first = min([found.lineno, *(one.lineno for one in decorators)])
    return "\n".join(text.splitlines()[first - 1 : found.end_lineno])


def _names(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _numbers(spec: str, total: int) -> list[int]:
    numbers: list[int] = []
    for part in spec.split(","):
        first, dash, last = part.strip().partition("-")
        low = int(first or 1)
        high = int(last or total) if dash else low
        if not 1 <= low <= high <= total:
            raise ValueError(f"lines {part.strip()} are not in a piece of {total} lines")
        numbers += range(low - 1, high)
    return numbers


def _between(lines: list[str], options: Mapping[str, str]) -> list[str]:
    def where(option: str) -> int:
        mark = options[option]
        place = next((i for i, line in enumerate(lines) if mark in line), None)
        if place is None:
            raise ValueError(f"{option} names a line with {mark!r}, which is not there")
        return place

    if "start-at" in options:
        lines = lines[where("start-at") :]
    elif "start-after" in options:
        lines = lines[where("start-after") + 1 :]
    if "end-at" in options:
        lines = lines[: where("end-at") + 1]
    elif "end-before" in options:
        lines = lines[: where("end-before")]
    return lines

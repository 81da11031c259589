"""What the tests of the committed notebooks look for, each in a function that can be tested."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from notebook_engine.blocks import Directive, parse
from notebook_engine.index import without_front_matter

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "notebooks"
NOTEBOOKS = sorted(
    path for path in FOLDER.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts
)
SHORTEST = 24  # characters without blanks; less than that ("return a+b") may stand anywhere

# Written without a look at the generator's own list, so that one cannot hide the other's gaps.
SYNTAX = [
    r":::",
    r"\{[a-zA-Z][^}\s`]*\}`",
    r"^[>\s]*(```+|~~~+)\s*\{",
    r"^[>\s]*\([^)\s]+\)=\s*$",
    r"\[\^[^\]]+\]",
    r"^[>\s]*:[a-z-]+:(\s|$)",
    r"^\+\+\+",
]


def myst_in(markdown: str) -> list[str]:
    """Return the lines of a Markdown cell, outside of code, that still hold MyST."""
    lines, inside = [], ""
    for line in markdown.split("\n"):
        fence = re.match(r"^[>\s]*(```+|~~~+)(.*)$", line)
        if inside:
            inside = "" if fence and fence[1] == inside and not fence[2].strip() else inside
        elif fence and "{" not in fence[2]:
            inside = fence[1]
        else:
            lines.append(line)
    bare = [re.sub(r"(?<![}`])(`+)[^`]+\1(?!`)", "", line) for line in lines]
    return [line for line in bare if any(re.search(rule, line) for rule in SYNTAX)]


def squeezed(text: str) -> str:
    """Return text without any blank, so that layout hides nothing."""
    return re.sub(r"[\s>]+", "", text)


def body_of(function: Callable[..., Any]) -> str:
    """Return the source of a function's body without its docstring, which the stub shows too."""
    text = textwrap.dedent(inspect.getsource(function))
    (node,) = ast.parse(text).body
    assert isinstance(node, ast.FunctionDef)
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    if not body:
        return ""
    return "\n".join(text.split("\n")[body[0].lineno - 1 : body[-1].end_lineno])


def answers() -> dict[str, str]:
    """Return every reference, mutant and alternate of every exercise: its name and its body."""
    from plainformer.exercises import exercise, exercise_ids

    found: dict[str, str] = {}
    for name in exercise_ids():
        spec = exercise(name)
        mutants = [mutant.function for mutant in spec.mutants]
        for kind, functions in (
            ("reference", [spec.reference]),
            ("mutant", mutants),
            ("alternate", spec.alternates),
        ):
            for number, function in enumerate(functions, 1):
                found[f"{name} {kind} {number}"] = body_of(function)
    return found


def solution_texts() -> dict[str, str]:
    """Return the paragraphs of every solution in the book: where it stands, and its text."""
    found: dict[str, str] = {}
    for path in sorted((ROOT / "book").rglob("*.md")):
        shown = path.relative_to(ROOT).as_posix()
        for block in parse(without_front_matter(path.read_text(encoding="utf-8")), shown):
            if isinstance(block, Directive) and block.name == "solution":
                for number, part in enumerate(re.split(r"\n\s*\n", block.body), 1):
                    found[f"{shown}:{block.line} paragraph {number}"] = part
    return found


def leaks(notebook: dict[str, Any], secrets: dict[str, str]) -> list[str]:
    """Return the names of the secrets whose text stands in a notebook, in whatever layout."""
    text = squeezed("\n".join(_texts(notebook)))
    return [
        name
        for name, secret in secrets.items()
        if len(squeezed(secret)) >= SHORTEST and squeezed(secret) in text
    ]


def _texts(notebook: dict[str, Any]) -> Iterable[str]:
    for cell in notebook["cells"]:
        yield "".join(cell["source"])
        yield str(cell.get("outputs", ""))

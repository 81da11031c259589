"""Exercises whose solutions students can look up: the book's, and those of the template.

Both are in the package, which every student has installed. An exercise that was copied from the
template counts as unchanged as long as its reference is still the same code, whatever its names,
comments and formatting.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from plainformer.classroom.course import Assignment
from plainformer.classroom.fingerprints import Label, labels
from plainformer.classroom.rehearsal import as_cell
from plainformer.classroom.release import is_public
from plainformer.classroom.similar import imports_of
from plainformer.exercises.spec import Exercise

__all__ = ["is_unchanged", "public_ids", "warn_of_public"]

TEMPLATE = Path(__file__).parent / "template" / "exercises"


def is_unchanged(exercise: Exercise) -> bool:
    """Whether an exercise's reference is that of one of the template's exercises."""
    own = labels(f"{imports_of(exercise)}\n{as_cell(exercise, exercise.reference)}")
    return bool(own) and _bare(own) in _references()


def public_ids(assignment: Assignment) -> tuple[list[str], list[str]]:
    """The exercises of an assignment that are the book's, and those that are the template's."""
    book = [each.id for each in assignment.exercises if is_public(each)]
    others = [each for each in assignment.exercises if each.id not in book]
    return book, [each.id for each in others if is_unchanged(each)]


def warn_of_public(assignment: Assignment) -> None:
    """Say on the error stream which solutions anyone can look up."""
    book, template = public_ids(assignment)
    if book:
        print(
            f"Anyone can read the solutions of {', '.join(book)}, because they are in the book. "
            "For a mark, use exercises of your own.",
            file=sys.stderr,
        )
    if template:
        print(
            f"The references of {', '.join(template)} are those of the template, which is part of "
            "the package that every student installs. For a mark, change what the functions do, or "
            "write exercises of your own.",
            file=sys.stderr,
        )


def _bare(streams: list[list[Label]]) -> frozenset[tuple[str, ...]]:
    """What is said, and not in which line or in which order of functions."""
    return frozenset(tuple(label for label, _ in stream) for stream in streams)


@cache
def _references() -> frozenset[frozenset[tuple[str, ...]]]:
    """The references of the template, each with the functions that it calls."""
    return frozenset(_bare(labels(each)) for each in _texts())


def _texts() -> Iterator[str]:
    for path in sorted(TEMPLATE.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imports = [each for each in tree.body if isinstance(each, ast.Import | ast.ImportFrom)]
        functions = {each.name: each for each in tree.body if isinstance(each, ast.FunctionDef)}
        named = (
            word.value.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Exercise"
            for word in node.keywords
            if word.arg == "reference" and isinstance(word.value, ast.Name)
        )
        for name in named:
            used = {each.id for each in ast.walk(functions[name]) if isinstance(each, ast.Name)}
            needed = [each for key, each in functions.items() if key in used or key == name]
            yield "\n".join(map(ast.unparse, [*imports, *needed]))

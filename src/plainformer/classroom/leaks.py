"""Look whether a file gives an exercise away: its reference, its wrong answers, its generator.

Lines are compared without their spaces, comments and quoting, so that a line is also found inside
a notebook's JSON, HTML or a zip's text. A line of a few characters (`return x`) proves nothing,
nor does one that the stub or a public case shows.

A solution in other words is not found.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

from plainformer.exercises.spec import Answer, Exercise

__all__ = ["leaks"]

SHORT = 12  # characters; a shorter line says nothing


def leaks(text: str, exercise: Exercise) -> list[str]:
    """What a text gives away of an exercise; of one with a public solution, nothing.

    Args:
        text: of the file.
        exercise: a course's own.

    Returns:
        Each leak in a few words, with the line.
    """
    if exercise.reference.__module__.startswith("plainformer.exercises."):
        return []
    shown, told = _bare(text), _bare(exercise.stub)
    found = []
    for what, function in _parts(exercise):
        for line in _lines(function):
            if line in shown and line not in told:
                found.append(f"{what} of {exercise.id}: {line}")
                break
    for hint in exercise.mutants:
        if _bare(hint) in shown:
            found.append(f"what is said to a wrong answer of {exercise.id}: {hint}")
    return found


def _parts(exercise: Exercise) -> Iterator[tuple[str, Callable[..., Any]]]:
    yield "the reference", exercise.reference
    yield "the generator", exercise.generate
    written: list[Answer] = [
        each for each in exercise.mutants.values() if not isinstance(each, str)
    ]
    yield from (("a wrong answer", each) for each in written)
    yield from (
        ("another right answer", each) for each in exercise.alternates if not isinstance(each, str)
    )


def _lines(function: Callable[..., Any]) -> list[str]:
    """The lines of a function that say something, bare."""
    lines = [_bare(line.partition("#")[0]) for line in inspect.getsource(function).splitlines()[1:]]
    return [line for line in lines if len(line) >= SHORT]


def _bare(text: str) -> str:
    """Letters, digits and operators alone; JSON's and HTML's ways of quoting come to the same."""
    for quoted, plain in (("\\n", " "), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
        text = text.replace(quoted, plain)
    return re.sub(r"[\s\"'\\]+", "", text)

"""What a reader calls: `check` an answer, ask for a `hint`, add up `points`, use the `parts`."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from plainformer.exercises.grading import Result, grade
from plainformer.exercises.registry import exercise, exercise_ids

__all__ = ["Points", "check", "hint", "parts", "points"]

_best: dict[str, Result] = {}  # of this session, by exercise
_passed: dict[str, Callable[..., Any]] = {}  # the reader's own function, by exercise


def check(exercise_id: str, candidate: object) -> Result:
    """Check an answer, print the verdict, and remember the points.

    Whatever the answer does wrong (an exception, an endless loop, the wrong type) is reported in
    the verdict and never raised.

    Args:
        exercise_id: such as "inputs.tokenization.1".
        candidate: the function that the exercise asks for, without brackets.

    Returns:
        The result; true when the answer passed.

    Raises:
        ValueError: there is no such exercise.

    >>> def count_neighbours(symbols):
    ...     ...
    >>> result = check("inputs.tokenization.1", count_neighbours)
    Exercise 1: nothing here yet.
    Hint: hint('inputs.tokenization.1')
    """
    result = grade(exercise(exercise_id), candidate)
    best = _best.get(exercise_id)
    if best is None or (result.points >= best.points and result.reason != "stub"):
        _best[exercise_id] = result
    if result.passed and callable(candidate):
        _passed[exercise_id] = candidate
    print(_wrapped(result.message))
    return result


def hint(exercise_id: str, n: int = 1) -> None:
    """Print the n-th hint of an exercise; each says a little more than the one before.

    Args:
        exercise_id: such as "inputs.tokenization.1".
        n: which hint, from 1.

    Raises:
        ValueError: there is no such exercise, or it has fewer hints.
    """
    hints = exercise(exercise_id).hints
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= len(hints):
        raise ValueError(f"n must be a whole number from 1 to {len(hints)}; got {n!r}")
    text = f"Hint {n} of {len(hints)}: {hints[n - 1]}"
    if n < len(hints):
        text += f"\nNext: hint({exercise_id!r}, {n + 1})"
    print(_wrapped(text))


@dataclass(frozen=True)
class Points:
    """The sum of a session's points. Shows nothing of its own in a notebook."""

    earned: int
    possible: int

    def _ipython_display_(self) -> None:
        """Keep a notebook from printing the sum twice."""


def points(prefix: str = "") -> Points:
    """Print a table of the points earned in this session, and return their sum.

    A stub that is checked unchanged counts as not started. If any exercise was passed, the last
    line names all that were, in a form that the book's page *Practice* can read.

    Args:
        prefix: a part ("inputs") or a chapter ("inputs.tokenization"); empty for all.

    Raises:
        ValueError: no exercise has this prefix.
    """
    ids = exercise_ids(prefix)
    if not ids:
        raise ValueError(f"prefix must be a part or a chapter with exercises; got {prefix!r}")
    earned = possible = 0
    for exercise_id in ids:
        spec, best = exercise(exercise_id), _best.get(exercise_id)
        got = best.points if best else 0
        state = "" if best and best.passed else ", tried"
        if best is None or best.reason == "stub":
            state = ", not started"
        print(f"{exercise_id}  {spec.title}: {got} of {spec.points}{state}")
        earned, possible = earned + got, possible + spec.points
    print(f"In all: {earned} of {possible} points")
    passed = [each for each in ids if each in _best and _best[each].passed]
    if passed:
        print(f"passed: {_by_chapter(passed)}")
    return Points(earned, possible)


def _by_chapter(ids: list[str]) -> str:
    """Exercises as a short text: "attention.masking 1 3, decoding.search 2"."""
    split = [each.rpartition(".") for each in ids]
    groups = itertools.groupby(split, key=lambda parts: parts[0])
    return ", ".join(" ".join([name, *(each[2] for each in group)]) for name, group in groups)


def parts(chapter: str) -> SimpleNamespace:
    """The functions of a chapter's exercises, to build something of them.

    Each is the reader's own if one has passed its check in this session (the last one that did),
    and the course's otherwise. The function prints which are whose.

    Args:
        chapter: such as "training.capstone".

    Returns:
        The functions, by the names that the exercises give them.

    Raises:
        ValueError: there is no such chapter, or it has no exercises.

    >>> parts("inputs.tokenization").merge(["a", "b"], ("a", "b"))
    Yours: none yet. The course's: 1, 2, 3, 4, 5, 6.
    ['ab']
    """
    specs = [exercise(each) for each in exercise_ids(chapter)]
    if not specs or chapter.count(".") != 1:
        raise ValueError(f"chapter must be one with exercises; got {chapter!r}")
    yours = [spec.number for spec in specs if spec.id in _passed]
    theirs = [spec.number for spec in specs if spec.id not in _passed]
    said = f"Yours: {', '.join(yours) or 'none yet'}."
    print(f"{said} The course's: {', '.join(theirs)}." if theirs else f"{said} All of them!")
    return SimpleNamespace(**{spec.entry: _passed.get(spec.id, spec.reference) for spec in specs})


def _wrapped(text: str, width: int = 92) -> str:
    """Break long lines of prose; lines that show code or values have a label and stay whole."""
    lines = []
    for line in text.split("\n"):
        plain = not line.startswith(("The call:", "Your answer:", "Expected:", "In line ", " "))
        lines += (
            textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)
            if plain and line
            else [line]
        )
    return "\n".join(lines)

"""What comes out? A small call, whose result the reader works out and types.

The results that the exercise's wrong answers give are recognised, so that a reader who makes one of
these mistakes is told which one it was.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from plainformer.arrays import as_numpy
from plainformer.exercises.practice.items import WhatComesOut, task_id
from plainformer.exercises.practice.results import cases_by_length, source_of
from plainformer.exercises.runner import run
from plainformer.exercises.spec import Case, Exercise

__all__ = ["TOLERANCE", "alike", "simple", "what_comes_out"]

NUMBERS = 6  # that a reader types, at most
LARGEST = 1000  # that a reader works out with a pencil
TOLERANCE = 0.01
"""How far a typed number may be from the result; readers round to two decimals."""


def what_comes_out(exercise: Exercise) -> WhatComesOut | None:
    """Derive the task of this kind from an exercise, or None if its results are not short.

    Of all short public cases, it takes the one for which the wrong answers give the most different
    results. A case that is also an example in the task is not taken, since the task tells.

    >>> from plainformer.exercises import exercise
    >>> task = what_comes_out(exercise("attention.masking.2"))
    >>> task.call, task.answer
    ('causal_mask_after(1, 2)', [[True, True, True]])
    """
    doc = exercise.reference.__doc__ or ""
    best: WhatComesOut | None = None
    for call, shown, case in cases_by_length(exercise):
        answer = simple(exercise.reference(*case.args))
        if call in doc or answer is None or not _by_pencil(answer):
            continue
        wrong = _wrong_results(exercise, case, answer)
        if wrong and (best is None or len(wrong) > len(best.wrong)):
            best = WhatComesOut(
                id=task_id(exercise, "value"), exercise=exercise.id, title=exercise.title,
                about=source_of(exercise).about, call=call, answer=answer, shown=shown,
                wrong=tuple(wrong),
            )  # fmt: skip
    return best


def _wrong_results(exercise: Exercise, case: Case, answer: Any) -> list[tuple[Any, str]]:
    """What the wrong answers return, without those that a reader could not tell apart."""
    found: list[tuple[Any, str]] = []
    for hint, function in exercise.wrong_answers():
        outcome = run(function, case.args, seconds=2.0)
        value = None if outcome.error is not None else simple(outcome.value)
        if value is None or _count(value) > 2 * NUMBERS:
            continue
        if not any(alike(value, other) for other in (answer, *(each for each, _ in found))):
            found.append((value, hint))
    return found


def simple(value: Any) -> Any:
    """A result as numbers, texts and lists, or None for anything else.

    >>> simple((np.array([0.5, 1.0]), "cat"))
    [[0.5, 1.0], 'cat']
    >>> simple({"a": 1}) is None, simple(math.inf) is None
    (True, True)
    """
    if isinstance(value, list | tuple):
        parts = [simple(each) for each in value]
        return None if any(part is None for part in parts) else parts
    if hasattr(value, "shape"):
        value = as_numpy(value).tolist()
        return simple(value) if isinstance(value, list) else value
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool | int | str):
        return value
    return round(value, 6) if isinstance(value, float) and math.isfinite(value) else None


def alike(one: Any, other: Any) -> bool:
    """Whether two results are the same to a reader who rounds; the page's script agrees.

    >>> alike([1.0, 2.0], [1, 2.004]), alike([1.0], 1.0), alike(True, 1)
    (True, False, True)
    """
    if isinstance(one, list) and isinstance(other, list):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(alike(x, y) for x, y in pairs)
    if isinstance(one, bool | int | float) and isinstance(other, bool | int | float):
        return abs(one - other) <= TOLERANCE
    return type(one) is type(other) and bool(one == other)


def _by_pencil(answer: Any) -> bool:
    """Whether a reader can work a result out and type it."""
    if isinstance(answer, list):
        return _count(answer) <= NUMBERS and all(_by_pencil(each) for each in answer)
    return len(answer) <= 20 if isinstance(answer, str) else abs(answer) <= LARGEST


def _count(value: Any) -> int:
    return sum(_count(each) for each in value) if isinstance(value, list) else 1

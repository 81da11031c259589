"""Kinds of input: whether the hidden cases hold a surprise that no public case shows.

A student who passes every public case and fails because a hidden one has an empty list, a negative
number or a text such as "##" has been marked for what the task did not say. So the arguments are
described by their kinds, those of the public cases are compared with those of many drawn ones, and
`validate` names what is new.

Only what a value looks like is described, and not what it means: that a matrix has to be singular,
or that a word comes twice, is for the groups of an exercise to say.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any

import numpy as np

from plainformer.exercises.compare import safe_repr
from plainformer.exercises.spec import Args, Exercise

__all__ = ["kinds_of", "surprises"]

DRAWN = 200  # inputs that are looked at
RUNS = ((r"[^\W\d_]+", "a"), (r"\d+", "9"), (r"\s+", " "))
"""What comes to the same in a text: letters, digits, spaces."""


def surprises(exercise: Exercise) -> list[str]:
    """Return, in sentences, what drawn inputs have and no public case has.

    Groups without a public case, or of which nothing is drawn, are named as well.
    """
    rng = np.random.default_rng(exercise.seed)
    drawn = [exercise.generate(rng) for _ in range(DRAWN)]
    shown = [case.args for case in exercise.cases]
    known = {kind for args in shown for kind, _ in _of_call(exercise, args)}
    new: dict[str, Any] = {}
    for args in drawn:
        for kind, value in _of_call(exercise, args):
            if kind not in known:
                new.setdefault(kind, value)
    found = [
        f"hidden inputs have {kind}, which no public case has: {safe_repr(value)[:80]}"
        for kind, value in new.items()
    ]
    for group in exercise.groups:
        for cases, said in ((shown, "public case"), (drawn, "hidden input")):
            if not any(exercise.group_of(args) is group for args in cases):
                found.append(f"no {said} is of the group {group.title!r}")
    return found


def _of_call(exercise: Exercise, args: Args) -> Iterator[tuple[str, Any]]:
    for name, value in zip(exercise.parameters, args, strict=True):
        for kind in kinds_of(value):
            yield f"{kind} in {name}", value


def kinds_of(value: Any) -> Iterator[str]:
    """Describe a value, and what is in it, by kinds.

    >>> list(kinds_of(["a", "##b"]))
    ["a text like 'a'", "a text like '##a'"]
    >>> list(kinds_of([])), list(kinds_of(-0.5))
    (['an empty list'], ['a negative number'])
    """
    if value is None or isinstance(value, bool):
        yield str(value)
    elif isinstance(value, str | bytes):
        yield _text(value)
    elif isinstance(value, np.generic | int | float):
        yield from _numbers([value])
    elif isinstance(value, Mapping):
        yield from _inside(value, [*value.keys(), *value.values()])
    elif isinstance(value, list | tuple | Set):
        yield from _inside(value, value)
    elif isinstance(value, np.ndarray):
        yield from _array(value)


def _inside(value: Any, items: Iterable[Any]) -> Iterator[str]:
    if not value:
        yield f"an empty {type(value).__name__}"
    yield from dict.fromkeys(kind for item in items for kind in kinds_of(item))


def _text(value: str | bytes) -> str:
    text = value.decode("latin-1") if isinstance(value, bytes) else value
    for pattern, same in RUNS:
        text = re.sub(pattern, same, text)
    return f"a text like {text[:20]!r}" if text else "an empty text"


def _array(value: np.ndarray) -> Iterator[str]:
    yield f"an array of {value.ndim} axes"
    if not value.size:
        yield "an array without numbers"
    elif value.dtype == bool:
        yield from map(str, np.unique(value).tolist())
    elif value.dtype.kind in "iuf":
        # Signs are chance in an array of real numbers, which only what is no number can change.
        real = value.dtype.kind == "f"
        numbers = value[~np.isfinite(value)] if real else value
        yield from _numbers(numbers.ravel().tolist())


def _numbers(values: Iterable[Any]) -> Iterator[str]:
    found: dict[str, None] = {}
    for each in values:
        if math.isnan(each):
            found["a NaN"] = None
        elif math.isinf(each):
            found["an infinity"] = None
        elif each < 0:
            found["a negative number"] = None
        elif each == 0:
            found["a zero"] = None
        else:
            found["a positive number"] = None
    yield from found

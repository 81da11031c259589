"""The judge: marks one exercise of one submission, and never runs a line of it.

The judge draws the cases, computes the expected answers, sends each input to a worker in a sandbox,
and compares what comes back. Expected answers, references and the secret stay here, so to forge an
answer means to compute it.

Hidden cases come from the exercise's own generator, started from (secret, exercise, student): each
student has others, and the same ones again whenever the work is marked anew.

An exercise is marked as a whole, right or not, unless its specification names groups of cases: then
each group earns its share.
"""

from __future__ import annotations

import copy
import hashlib
import pickle
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from plainformer.classroom.channel import Closed, TimeUp
from plainformer.classroom.sandbox.limits import OutOfMemory
from plainformer.classroom.sandbox.process import Process
from plainformer.classroom.sources import closure
from plainformer.classroom.verdict import Mark, Status, give_mark, judged, stopped
from plainformer.classroom.wire import (
    DTYPES,
    MAX_BYTES,
    Foreign,
    Made,
    ProtocolError,
    pack,
    unpack,
)
from plainformer.exercises.compare import describe_size, safe_repr
from plainformer.exercises.grading import Description, Trial, compared
from plainformer.exercises.runner import Outcome
from plainformer.exercises.spec import Exercise

__all__ = ["Mark", "Raised", "Status", "judge", "seed_of"]

KEPT = 1 << 17  # bytes of a wrong answer that is shown, and compared with known mistakes
STARTING = 60.0  # seconds until a worker is there, with the libraries that an answer imports
LOADING = 5.0  # seconds of the cells themselves; as many as their calls have, if that is more
LIBRARIES = ("torch", "matplotlib.pyplot", "scipy", "pandas")  # slow to import where it is new


def seed_of(secret: bytes, exercise: str, student: str) -> int:
    """Where the generator starts for one student's hidden cases of one exercise.

    >>> seed_of(b"s", "a.b.1", "ann") == seed_of(b"s", "a.b.1", "bob")
    False
    """
    parts = (secret, exercise.encode(), student.encode())
    lengths = b"".join(len(part).to_bytes(4, "big") for part in parts)
    return int.from_bytes(hashlib.sha256(lengths + b"".join(parts)).digest(), "big")


def judge(
    exercise: Exercise,
    cells: Sequence[str],
    start: Callable[[], Process],
    *,
    secret: bytes,
    student: str,
    seconds: float | None = None,
    modules: Sequence[str] = (),
) -> Mark:
    """Mark one exercise.

    Args:
        exercise: the specification.
        cells: the source texts of the student's cells, in order.
        start: starts a worker in a fresh sandbox.
        secret: of the course.
        student: whose work it is; any text, the same at every marking.
        seconds: for all calls together; without it, what the exercise says. The cells before them
            have as many, and `LOADING` at least.
        modules: of exercises, to be sent along.

    Returns:
        The mark. Whatever the student's code does ends in one.
    """
    rng = np.random.default_rng(seed_of(secret, exercise.id, student))
    todo = [(case.args, case.expected, True) for case in exercise.cases]
    for _ in range(exercise.n_generated):
        args = exercise.generate(rng)
        todo.append((args, exercise.reference(*copy.deepcopy(args)), False))
    # Before anything of the student's runs: what fails here is not theirs.
    sent = [[_sent(exercise, arg) for arg in args] for args, *_ in todo]
    load = _load(exercise, cells, todo, sent, modules)
    trials: list[Trial] = []
    calls = exercise.seconds if seconds is None else seconds
    limit, loading = max(LOADING, calls), True
    try:
        with _started(start) as worker:
            worker.ask(_first(load), STARTING)  # nothing of the student's runs in this time
            loaded = worker.ask(load, limit)
            if said := _cannot_be_called(exercise, loaded):
                return give_mark(exercise, *said)
            limit, loading = calls, False
            deadline = time.monotonic() + limit
            for (args, expected, public), given in zip(todo, sent, strict=True):
                reply = worker.ask({"kind": "call", "args": given}, deadline - time.monotonic())
                outcome = _outcome(exercise, reply, expected, public)
                trials.append(Trial(args, expected, public, outcome))
    except TimeUp:
        return stopped(exercise, "timeout", trials, limit, loading)
    except OutOfMemory:
        return stopped(exercise, "memory", trials, limit, loading)
    except Closed:
        return stopped(exercise, "crashed", trials, limit, loading)
    except (ProtocolError, KeyError, TypeError):
        return stopped(exercise, "violation", trials, limit, loading)
    return judged(exercise, trials, _plain)


def _started(start: Callable[[], Process]) -> Process:
    """A worker; a machine that had no room for one a moment ago is asked once more."""
    try:
        return start()
    except OSError:
        return start()


def _load(
    exercise: Exercise,
    cells: Sequence[str],
    todo: Sequence[Any],
    sent: Sequence[Sequence[Any]],
    modules: Sequence[str],
) -> dict[str, Any]:
    makers = {
        type(arg).__module__
        for (args, *_), given in zip(todo, sent, strict=True)
        for arg, each in zip(args, given, strict=True)
        if type(each) is Made
    }
    return {
        "kind": "load",
        "cells": list(cells),
        "entry": exercise.entry,
        "n": len(exercise.parameters),
        "modules": closure([*makers, *modules]),
        "forbids": list(exercise.forbids),
    }


def _first(load: Mapping[str, Any]) -> dict[str, Any]:
    """A load of our own, which imports the libraries that the cells import: that takes seconds
    where no zygote has done it, and a student has no part in it."""
    text = "\n".join([*load["cells"], *(source for _, source in load["modules"])])
    lines = "\n".join(re.findall(r"^\s*(?:import|from) .*", text, re.MULTILINE))
    tops = {each: each.partition(".")[0] for each in LIBRARIES}
    named = [each for each, top in tops.items() if top in lines and top not in load["forbids"]]
    cells = [f"try:\n    import {each}\nexcept ImportError:\n    pass" for each in named]
    return {**load, "cells": cells, "modules": [], "forbids": []}


def _cannot_be_called(exercise: Exercise, loaded: dict[str, Any]) -> tuple[Status, str] | None:
    """Why there is nothing to call, or None."""
    if _text(loaded["kind"]) == "raised":
        return "wrong", f"Your cells stopped before the function was there: {_told(loaded)}"
    if loaded["callable"] is not True:
        return "missing", f"There is no function {exercise.entry} in what you handed in."
    if loaded["fits"] is not True:
        call = f"{exercise.entry}({', '.join(exercise.parameters)})"
        return "wrong", f"It is called as {call}, and yours takes other arguments."
    return None


def _outcome(exercise: Exercise, said: dict[str, Any], expected: Any, public: bool) -> Outcome:
    """What the answer did with one input, as far as it can be believed."""
    printed = _text(said["printed"])
    if _text(said["kind"]) == "raised":
        return Outcome(None, _error(said), printed)
    value, changed = said["value"], said["changed"]
    if type(changed) is not list or not all(type(i) is int for i in changed):
        raise ProtocolError("the arguments that were changed must be a list of numbers")
    difference = compared(exercise, _as_it_travels(expected), value, reveal=public)
    if difference is None:
        return Outcome(value, None, printed, tuple(changed), Description(None))
    kept = len(pack({"": value})) <= KEPT
    shown = ""
    if public and not isinstance(value, Foreign):
        shown = safe_repr(value, exercise.compare.show) if kept else describe_size(value)
    seen = Description(difference, shown, value is None)
    return Outcome(value if kept else None, None, printed, tuple(changed), seen, kept=kept)


def _sent(exercise: Exercise, arg: Any) -> Any:
    """An argument as it travels: as data where it is such, or pickled; back, nothing is."""
    if _travels(arg):
        return arg
    if type(arg).__module__.startswith("course_exercises"):
        raise ValueError(
            f"the arguments of {exercise.id} must be plain data: a class of its own would bring "
            "its module to the student's code, with the reference"
        )
    return Made(pickle.dumps(arg))


def _travels(arg: Any) -> bool:
    try:
        return not isinstance(_plain(arg), Foreign)
    except ProtocolError as error:
        raise ValueError(f"an argument must be small enough to travel; {error}") from None


def _as_it_travels(expected: Any) -> Any:
    """A Counter, say, as the dict that an equal answer arrives as."""
    plain = _plain(expected)
    return expected if isinstance(plain, Foreign) else plain


def _plain(value: Any) -> Any:
    """What is left of a value after the way to a worker and back."""
    if value is None or type(value) in (bool, float):
        return value
    if type(value) is np.ndarray and value.dtype.str in DTYPES and value.nbytes < MAX_BYTES // 2:
        return value  # it would be a copy
    return unpack(pack({"": value}))[""]


class Raised(Exception):
    """Stands for an exception of the student's, of the same name and words."""


def _error(said: dict[str, Any]) -> Exception:
    name = _text(said["error"])
    error: Exception = type(name if name.isidentifier() else "Error", (Raised,), {})(
        _text(said["said"])
    )
    error.add_note(_text(said["line"]))
    return error


def _told(said: dict[str, Any]) -> str:
    line = _text(said["line"])
    at = f"\nIn this line:  {line}" if line else ""
    text = _text(said["said"])
    return f"{_text(said['error'])}{': ' if text else ''}{text}{at}"


def _text(value: Any, limit: int = 300) -> str:
    """Text from a worker: no longer than it may be, and without what a terminal would obey."""
    if not isinstance(value, str):
        raise ProtocolError(f"there must be a text here; got a {type(value).__name__}")
    return "".join(c if c.isprintable() or c == "\n" else "�" for c in value[:limit])

"""The judge: marks one exercise of one submission, and never runs a line of it.

The judge draws the cases, computes the expected answers, sends each input to a worker in a sandbox,
and compares what comes back. Expected answers, references and the secret stay here, so to forge an
answer means to compute it.

Hidden cases come from the exercise's own generator, started from (secret, exercise, student): each
student has others, and the same ones again whenever the work is marked anew.

But: an exercise is marked as a whole, right or not. Marks by parts are two exercises.
"""

from __future__ import annotations

import builtins
import copy
import hashlib
import pickle
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from plainformer.classroom.channel import Closed, TimeUp
from plainformer.classroom.sandbox.limits import OutOfMemory
from plainformer.classroom.sandbox.process import Process
from plainformer.classroom.sources import closure
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
from plainformer.exercises.grading import Seen, Trial, compared, recognise
from plainformer.exercises.runner import Outcome
from plainformer.exercises.spec import Exercise

__all__ = ["Mark", "Raised", "Status", "judge", "seed_of"]

Status = Literal[
    "ok", "wrong", "timeout", "memory", "crashed", "unreadable", "violation", "missing"
]
KEPT = 1 << 17  # bytes of a wrong answer that is shown, and compared with known mistakes
LOADING = 20.0  # seconds for the cells themselves: imports, and what stands outside the function


@dataclass(frozen=True)
class Mark:
    """What one exercise of one submission earned, and why, for the student.

    Attributes:
        exercise: its id.
        status: "ok", or what came between.
        points: earned, of `possible`.
        public, hidden: how many cases were right, and of how many.
        text: what to tell the student: never a hidden case or an expected value of one.
        hint: of the known mistake that this answer makes; None if it is none of them.
    """

    exercise: str
    status: Status
    points: float
    possible: float
    public: tuple[int, int] = (0, 0)
    hidden: tuple[int, int] = (0, 0)
    text: str = ""
    hint: str | None = None


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
        seconds: for all calls together; without it, what the exercise says.
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
    limit = LOADING
    try:
        with start() as worker:
            loaded = worker.ask(load, LOADING)
            if said := _cannot_be_called(exercise, loaded):
                return _mark(exercise, *said)
            limit = exercise.seconds if seconds is None else seconds
            deadline = time.monotonic() + limit
            for (args, expected, public), given in zip(todo, sent, strict=True):
                reply = worker.ask({"kind": "call", "args": given}, deadline - time.monotonic())
                outcome = _outcome(exercise, reply, expected, public)
                trials.append(Trial(args, expected, public, outcome))
    except TimeUp:
        return _stopped(exercise, "timeout", trials, limit)
    except OutOfMemory:
        return _stopped(exercise, "memory", trials, limit)
    except Closed:
        return _stopped(exercise, "crashed", trials, limit)
    except (ProtocolError, KeyError, TypeError):
        return _stopped(exercise, "violation", trials, limit)
    return _judged(exercise, trials)


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
    }


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
        return Outcome(value, None, printed, tuple(changed), Seen(None))
    kept = len(pack({"": value})) <= KEPT
    shown = ""
    if public and not isinstance(value, Foreign):
        shown = safe_repr(value, exercise.compare.show) if kept else describe_size(value)
    seen = Seen(difference, shown, value is None)
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


EXCEPTIONS = {
    name
    for name, each in vars(builtins).items()
    if isinstance(each, type) and issubclass(each, BaseException)
}
STOPPED = {
    "timeout": "It did not come to an end within {limit:g} seconds. Is there a loop without end?",
    "memory": "It used more memory, or started more processes, than a submission may.",
    "crashed": "Python itself stopped while your code ran.",
    "violation": "Your code wrote where only the grader writes.",
}


def _stopped(exercise: Exercise, status: Status, trials: list[Trial], limit: float) -> Mark:
    """The mark of code that was ended, with the public case at which it was."""
    text = STOPPED[status].format(limit=limit)
    if not trials and limit == LOADING:
        text += "\nIt was busy with your cells, before your function was called."
    elif len(trials) < len(exercise.cases):
        text += f"\nThe call:  {exercise.call_text(exercise.cases[len(trials)].args)}"
    return _mark(exercise, status, text, trials)


def _judged(exercise: Exercise, trials: list[Trial]) -> Mark:
    wrong = [trial for trial in trials if not trial.right]
    if not wrong:
        return _mark(exercise, "ok", "All cases are right, the hidden ones too.", trials)
    if all(trial.outcome.seen is not None and trial.outcome.seen.nothing for trial in trials):
        return _mark(exercise, "missing", "Your function returns nothing.", trials)
    public = [trial for trial in wrong if trial.public]
    hint, sure = recognise(exercise, trials, wrong, (public or wrong)[0], _plain)
    text = _public(exercise, public[0]) if public else _hidden(wrong)
    if hint is not None and not sure:
        hint = f"Perhaps this is it: {hint}"
    return _mark(exercise, "wrong", text, trials, hint)


def _public(exercise: Exercise, trial: Trial) -> str:
    """What went wrong with a case that everybody may see."""
    outcome = trial.outcome
    lines = [f"The call:    {exercise.call_text(trial.args)}"]
    if outcome.error is not None:
        said, notes = str(outcome.error), getattr(outcome.error, "__notes__", [""])
        lines.append(f"It stopped:  {type(outcome.error).__name__}: {said}")
        lines += [f"In line:     {notes[0]}"] if notes[0] else []
        return "\n".join(lines)
    shown = outcome.seen.shown if outcome.seen else ""
    lines.append(f"Your answer: {shown}")
    lines.append(f"Expected:    {exercise.compare.show(trial.expected)}")
    if trial.difference is None:
        lines.append("The answer is right, but it changed what it was given.")
    else:
        lines.append(f"Look here:   {trial.difference}.")
    return "\n".join(lines)


def _hidden(wrong: list[Trial]) -> str:
    """What may be told of hidden cases: how they went wrong, and not which they are."""
    names = {type(t.outcome.error).__name__ for t in wrong if t.outcome.error is not None}
    # A class of the student's own may carry the input in its name, and so may a choice of many.
    known = sorted(name for name in names if name in EXCEPTIONS)[:2]
    said = "All public cases are right; hidden ones are not."
    if names:
        said += f" In some of them your function stopped{' with ' if known else ''}"
        said += f"{' or '.join(known)}."
    return said


def _mark(
    exercise: Exercise,
    status: Status,
    text: str,
    trials: Sequence[Trial] = (),
    hint: str | None = None,
) -> Mark:
    right = [sum(t.right for t in trials if t.public is public) for public in (True, False)]
    return Mark(
        exercise.id,
        status,
        exercise.points if status == "ok" else 0,
        exercise.points,
        (right[0], len(exercise.cases)),
        (right[1], exercise.n_generated),
        text,
        hint,
    )

"""Show that an assignment marks as it should, on this machine's sandbox, before anybody gets it.

For each exercise: the reference and every other right answer earn full marks; the stub, and every
wrong answer, do not. They go the way that a student's answer goes.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from plainformer.classroom.judge import Mark, judge, seed_of
from plainformer.classroom.sandbox import Process
from plainformer.classroom.sources import answers
from plainformer.exercises.compare import safe_repr
from plainformer.exercises.runner import run
from plainformer.exercises.spec import Exercise

__all__ = ["Finding", "validate"]


@dataclass(frozen=True)
class Finding:
    """What came of one answer that should be right, or should not.

    Attributes:
        exercise: its id.
        answer: which one, such as "reference", or "mutant: " and its hint.
        right: whether it should earn its points.
        mark: what it got.
        hidden: for the teacher, the first hidden case in which a right answer is not right.
    """

    exercise: str
    answer: str
    right: bool
    mark: Mark
    hidden: str = ""

    @property
    def holds(self) -> bool:
        return (self.mark.status == "ok") == self.right

    def __str__(self) -> str:
        wanted = "full marks" if self.right else "less than full marks"
        said = "\n".join(filter(None, [self.mark.text, self.hidden])).replace("\n", "\n    ")
        got = f"{wanted} expected; got {self.mark.status}"
        return f"{self.exercise}, {self.answer}: {got}.\n    {said}"


def validate(
    exercise: Exercise, start: Callable[[], Process], *, secret: bytes, seconds: float | None = None
) -> Iterator[Finding]:
    """Mark the stub, the reference, and every alternate and mutant of an exercise."""
    modules = [exercise.reference.__module__]
    hand_ins = {"stub": [f"from typing import *\nimport numpy as np\n{exercise.stub}"]}
    for name, cells in (hand_ins | answers(exercise)).items():
        mark = judge(
            exercise,
            cells,
            start,
            secret=secret,
            student=f"({name})",
            seconds=seconds,
            modules=modules,
        )
        right = name == "reference" or name.startswith("alternate")
        hidden = ""
        if right and mark.status == "wrong" and mark.public[0] == mark.public[1]:
            hidden = _first_hidden(exercise, name, seed_of(secret, exercise.id, f"({name})"))
        yield Finding(exercise.id, name, right, mark, hidden)


def _first_hidden(exercise: Exercise, name: str, seed: int) -> str:
    """The first hidden case for which one of our own answers is not right, with the values.

    The judge tells nobody, since its words are for students. Here the answer is the teacher's, and
    the one who reads is too.
    """
    number = name.removeprefix("alternate ")
    answer = exercise.right_answers()[int(number)] if number.isdecimal() else exercise.reference
    rng = np.random.default_rng(seed)
    for _ in range(exercise.n_generated):
        args = exercise.generate(rng)
        expected = exercise.reference(*copy.deepcopy(args))
        outcome = run(answer, args, exercise.seconds)
        if outcome.error is not None:
            got = f"It stopped:  {type(outcome.error).__name__}: {outcome.error}"
        elif said := exercise.compare.difference(expected, outcome.value):
            shown = safe_repr(outcome.value, exercise.compare.show)
            got = f"Its answer:  {shown}\nLook here:   {said}."
        elif outcome.changed:
            got = "It changed what it was given."
        else:
            continue
        show = exercise.compare.show(expected)
        return f"A hidden call: {exercise.call_text(args)}\n{got}\nExpected:    {show}"
    return ""

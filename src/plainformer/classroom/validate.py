"""Show that an assignment marks as it should, on this machine's sandbox, before anybody gets it.

For each exercise: the reference and every other right answer earn full marks; the stub, and every
wrong answer, do not. They go the way that a student's answer goes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from plainformer.classroom.judge import Mark, judge
from plainformer.classroom.sandbox import Process
from plainformer.classroom.sources import answers
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
    """

    exercise: str
    answer: str
    right: bool
    mark: Mark

    @property
    def holds(self) -> bool:
        return (self.mark.status == "ok") == self.right

    def __str__(self) -> str:
        wanted = "full marks" if self.right else "less than full marks"
        said = self.mark.text.replace("\n", "\n    ")
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
        yield Finding(exercise.id, name, right, mark)

"""What a teacher wants to know of a whole assignment, counted.

How marks are spread, which exercises were hard, which known mistakes were made and by whom, who
needs help, and whose code the grader had to stop. `report_page` makes a page of it.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from plainformer.classroom.course import Assignment
from plainformer.classroom.feedback import points_of
from plainformer.classroom.judge import Mark

__all__ = ["KINDS", "PARTS", "Mistake", "Overview", "overview"]

KINDS = {
    "right": ("ok",),
    "not right": ("wrong",),
    "stopped": ("timeout", "memory", "crashed", "violation"),
    "nothing to mark": ("unreadable", "missing"),
}
PARTS = ("all points", "in part", "none")  # of what a person gives for an answer
STEPS = 10  # of the distribution of marks, besides full marks


@dataclass(frozen=True)
class Mistake:
    """A known mistake, and whose answers make it.

    Attributes:
        exercise: where.
        hint: the hint for this mistake; empty for wrong answers without a known mistake.
        students: who.
    """

    exercise: str
    hint: str
    students: tuple[str, ...]


@dataclass(frozen=True)
class Overview:
    """An assignment's marks, counted.

    Attributes:
        distribution: how many students have less than 10 % of the points, less than 20 %, …,
            and all.
        mean, median: of points.
        possible: points.
        kinds: by exercise, how many answers are of each of KINDS.
        by_hand: by question, how many answers have which of PARTS of the points.
        mistakes: the most frequent first.
        weak: who has less than half of the points, the fewest first.
        stopped: answers that the grader had to stop, with their students.
    """

    distribution: tuple[int, ...]
    mean: float
    median: float
    possible: float
    kinds: Mapping[str, Mapping[str, int]]
    by_hand: Mapping[str, Mapping[str, int]]
    mistakes: tuple[Mistake, ...]
    weak: tuple[str, ...]
    stopped: tuple[tuple[str, Mark], ...]


def overview(assignment: Assignment, marks: Mapping[str, Sequence[Mark]]) -> Overview:
    """Count an assignment's marks.

    >>> row = [Mark("a.b.1", "ok", 1, 1), Mark("a.b.2", "wrong", 0, 1, hint="Off by one?")]
    >>> found = overview(Assignment("week-1", "Week 1", None, ()), {"ann": row, "bo": row[1:] * 2})
    >>> found.distribution, found.mean, found.weak
    ((1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0), 0.5, ('bo',))
    >>> found.mistakes[0].hint, found.mistakes[0].students
    ('Off by one?', ('ann', 'bo'))
    """
    sums = {student: points_of(row) for student, row in marks.items()}
    distribution = [0] * (STEPS + 1)
    for earned, possible in sums.values():
        # All points, and only they, are the last step: 99 % is not full marks.
        full = earned >= possible
        distribution[STEPS if full else int(STEPS * earned / possible)] += 1
    all_marks = [(student, mark) for student, row in marks.items() for mark in row]
    kinds = {each.id: dict.fromkeys(KINDS, 0) for each in assignment.exercises}
    by_hand = {each.id: dict.fromkeys(PARTS, 0) for each in assignment.questions}
    for _, mark in all_marks:
        if mark.exercise in by_hand:
            by_hand[mark.exercise][_part(mark)] += 1
            continue
        counts = kinds.setdefault(mark.exercise, dict.fromkeys(KINDS, 0))
        counts[next(kind for kind, statuses in KINDS.items() if mark.status in statuses)] += 1
    points = [earned for earned, _ in sums.values()]
    return Overview(
        tuple(distribution),
        statistics.mean(points),
        statistics.median(points),
        max(possible for _, possible in sums.values()),
        kinds,
        by_hand,
        _mistakes(all_marks),
        tuple(sorted(_weak(sums), key=lambda student: sums[student][0])),
        tuple(each for each in all_marks if each[1].status in KINDS["stopped"]),
    )


def _part(mark: Mark) -> str:
    if mark.points >= mark.possible:
        return PARTS[0]
    return PARTS[1] if mark.points else PARTS[2]


def _weak(sums: Mapping[str, tuple[float, float]]) -> list[str]:
    return [student for student, (earned, possible) in sums.items() if earned < possible / 2]


def _mistakes(all_marks: Sequence[tuple[str, Mark]]) -> tuple[Mistake, ...]:
    made: dict[tuple[str, str], dict[str, None]] = {}
    for student, mark in all_marks:
        if mark.status == "wrong":
            made.setdefault((mark.exercise, mark.hint or ""), {})[student] = None
    found = [Mistake(*which, tuple(students)) for which, students in made.items()]
    return tuple(sorted(found, key=lambda each: (-len(each.students), each.exercise, each.hint)))

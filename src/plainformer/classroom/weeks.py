"""The marks of several assignments in one table: a row for each student, a column for each week.

An assignment of which nothing was collected is left out. A student who did not hand in has 0 points
there, unless the student is exempt. No exemption lowers a mark, because an exempt assignment counts
where it raises the student's share of the points: starting from those that are not exempt, the
others are added from the best on, as long as the share rises.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from plainformer.classroom.course import Course, load_course
from plainformer.classroom.export import harmless
from plainformer.classroom.feedback import points_of, said_of_taken
from plainformer.classroom.marks import AssignmentFiles, anything_collected
from plainformer.classroom.people import granted, unknown_names
from plainformer.classroom.settled import Settled, settled

__all__ = ["Table", "Week", "as_csv", "table", "total"]


@dataclass(frozen=True)
class Week:
    """What one student has of one assignment.

    Attributes:
        points, possible: of what is marked.
        exempt: whether it need not be handed in.
        counts: whether it is part of the total.
        waiting: how many answers have no points yet.
        why: what was taken off.
    """

    points: float
    possible: float
    exempt: bool = False
    counts: bool = True
    waiting: int = 0
    why: str = ""


@dataclass(frozen=True)
class Table:
    """Marks over several assignments.

    Attributes:
        weeks: the names of the assignments that are in it.
        rows: by person and assignment.
        left_out: assignments of which nothing was collected.
        waiting: how many answers have no points yet.
        unknown: names in the settings that no student has.
    """

    weeks: Sequence[str]
    rows: Mapping[str, Mapping[str, Week]]
    left_out: Sequence[str] = ()
    waiting: int = 0
    unknown: Sequence[str] = ()


def table(folder: Path, sandbox: str | None = None) -> Table:
    """Put the marks of a course's assignments together.

    Raises:
        CourseError: the settings or a table of a person's marks are damaged.
    """
    course = load_course(folder)
    there = {
        name: anything_collected(AssignmentFiles(course, each))
        for name, each in course.assignments.items()
    }
    weeks = {
        name: settled(folder, name, sandbox, partial=True) for name, any_ in there.items() if any_
    }
    known = {student: one for each in weeks.values() for student, one in each.people.items()}
    persons = sorted({*known.values()})
    rows = {person: _row(course, person, weeks) for person in persons}
    handed_in = {
        name: person
        for each in weeks.values()
        for name, person in each.people.items()
        if name in each.handed_in_by.values()
    }
    waiting = sum(len(each.waiting) for each in weeks.values())
    left_out = [name for name, any_ in there.items() if not any_]
    return Table([*weeks], rows, left_out, waiting, unknown_names(course, handed_in))


def _row(course: Course, person: str, weeks: Mapping[str, Settled]) -> dict[str, Week]:
    found: dict[str, Week] = {}
    for name, each in weeks.items():
        student = next((key for key, value in each.people.items() if value == person), person)
        exempt = name in granted(course, student, person).exempt
        marks = each.marks.get(student)
        if marks is None:
            possible = math.fsum(each.place.assignment.points.values())
            found[name] = Week(0, possible, exempt, not exempt)
            continue
        points, possible = points_of(marks)
        why = said_of_taken(marks)
        waiting = sum(mark.waiting for mark in marks)
        found[name] = Week(points, possible, exempt, not exempt, waiting, why)
    return counted(found)


def counted(row: Mapping[str, Week]) -> dict[str, Week]:
    """Let exempt assignments count where they raise the total.

    >>> row = {"a": Week(2, 4), "b": Week(3, 4, exempt=True), "c": Week(1, 4, exempt=True)}
    >>> [week.counts for week in counted(row).values()]
    [True, True, False]
    """
    chosen = {name: week for name, week in row.items() if not week.exempt}
    others = {name: week for name, week in row.items() if week.exempt and week.points > 0}
    for name, week in sorted(others.items(), key=lambda each: -_share(*_sums([each[1]]))):
        if _share(*_sums([*chosen.values(), week])) > _share(*_sums(chosen.values())):
            chosen[name] = week
    return {name: replace(week, counts=name in chosen) for name, week in row.items()}


def _sums(weeks: Iterable[Week]) -> tuple[float, float]:
    kept = list(weeks)
    return (
        round(math.fsum(week.points for week in kept), 2),
        round(math.fsum(week.possible for week in kept), 2),
    )


def _share(points: float, possible: float) -> float:
    return points / possible if possible else 0.0


def total(row: Mapping[str, Week]) -> tuple[float, float]:
    """Points, and out of how many, of all assignments that count for a student."""
    return _sums(week for week in row.values() if week.counts)


def as_csv(found: Table) -> str:
    """The table, as any spreadsheet reads it.

    >>> print(as_csv(Table(["w1"], {"ann": {"w1": Week(3, 4, why="1: slow")}})))
    student,w1,w1 possible,points,possible,percent,said
    ann,3,4,3,4,75,w1: 1: slow
    <BLANKLINE>
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    columns = [title for name in found.weeks for title in (name, f"{name} possible")]
    writer.writerow(["student", *columns, "points", "possible", "percent", "said"])
    for person, row in found.rows.items():
        cells = [
            f"{cell:g}" if week.counts else ""
            for week in row.values()
            for cell in (week.points, week.possible)
        ]
        points, possible = total(row)
        percent = f"{100 * points / possible:.1f}".removesuffix(".0") if possible else ""
        said = "; ".join(f"{name}: {text}" for name in row if (text := _said(row[name])))
        writer.writerow(
            [harmless(person), *cells, f"{points:g}", f"{possible:g}", percent, harmless(said)]
        )
    return file.getvalue()


def _said(week: Week) -> str:
    parts = []
    if week.exempt:
        parts.append("exempt, and counts" if week.counts else "exempt")
    if week.waiting:
        parts.append(f"{week.waiting} not marked yet")
    return "; ".join([*parts, *([week.why] if week.why else [])])

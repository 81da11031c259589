"""The verb that gives work back: a page for each student, with the answers that it is about."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from plainformer.classroom.answers import sources_of
from plainformer.classroom.course import load_course
from plainformer.classroom.feedback import Extra, as_zip
from plainformer.classroom.output import DRY, put
from plainformer.classroom.settled import Settled, settled
from plainformer.classroom.verbs_of_lms import feedback_path
from plainformer.classroom.weeks import Week, table, total

__all__ = ["add_verbs"]


def add_verbs(verbs: Any) -> None:
    """Add it to a parser's."""
    verb = verbs.add_parser(
        "feedback",
        help="a page for each student, in one zip",
        description="It can be made before everything is marked: an answer without points says so, "
        "and counts for nothing yet.",
    )
    verb.add_argument("assignment")
    verb.add_argument("--out", type=Path, help="a zip; feedback/ASSIGNMENT.zip without")
    verb.add_argument("--unsafe", action="store_true", help="of marks that were made so")
    verb.add_argument(
        "--plain", action="store_true", help="named by students, not as the course's system wants"
    )
    verb.add_argument(
        "--weeks", action="store_true", help="with the student's marks of all assignments"
    )
    verb.add_argument("--dry-run", action="store_true", help=DRY)
    verb.set_defaults(run=_feedback)


def _feedback(options: argparse.Namespace) -> int:
    course = load_course(options.course)
    assignment = course.assignment(options.assignment)
    sandbox = "unsafe" if options.unsafe else None
    found = settled(options.course, options.assignment, sandbox, partial=True)
    rows = table(options.course, sandbox).rows if options.weeks else {}
    out = options.out or course.folder / "feedback" / f"{assignment.name}.zip"
    path = feedback_path(course, assignment, options.plain)
    packed = as_zip(assignment, found.marks, path, _extra(found, rows))
    print(f"{put(options, out, packed)}: {len(found.marks)} students")
    if found.waiting:
        print(
            f"{len(found.waiting)} answers have no points yet, and the pages say so",
            file=sys.stderr,
        )
    return 0


def _extra(found: Settled, rows: Mapping[str, Mapping[str, Week]]) -> Callable[[str], Extra]:
    """What each student's page has besides marks."""
    assignment, titles = found.place.assignment, found.place.course.assignments
    written = frozenset(each.id for each in assignment.questions if not each.code)

    def extra(student: str) -> Extra:
        source = found.handed_in_by[student]
        answers = sources_of(found.place.submissions / f"{source}.ipynb", assignment)
        row = rows.get(found.people[student], {})
        said = [f"{titles[name].title}: {_said(week)}" for name, week in row.items()]
        if row:
            said.append("Together: {:g} of {:g} points".format(*total(row)))
        return Extra(found.notes[student], answers, written, said)

    return extra


def _said(week: Week) -> str:
    points = f"{week.points:g} of {week.possible:g} points"
    if week.exempt:
        points += ", and it counts" if week.counts else ", from which you are exempt"
    return points + (f"; {week.waiting} answers are not marked yet" if week.waiting else "")

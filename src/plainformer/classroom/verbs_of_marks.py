"""The verb with which a person changes a mark."""

from __future__ import annotations

import argparse
from typing import Any

from plainformer.classroom.course import load_course
from plainformer.classroom.marks import AssignmentFiles
from plainformer.classroom.overrides import overrides, set_override, table_of

__all__ = ["add_verbs"]


def add_verbs(verbs: Any) -> None:
    """Add it to a parser's."""
    verb = verbs.add_parser(
        "override",
        help="set the points of one answer by hand",
        description="What is set here counts instead of what the judge gave, also when the work "
        "is marked again, and is in feedback, exports and the report. Without --points and "
        "--remove, it lists what is set.",
    )
    verb.add_argument("assignment")
    verb.add_argument("student", nargs="?")
    verb.add_argument("exercise", nargs="?")
    what = verb.add_mutually_exclusive_group()
    what.add_argument("--points", help="from 0 to what the exercise gives")
    what.add_argument("--remove", action="store_true", help="let the judge's mark count again")
    verb.add_argument("--comment", default="", help="for the student")
    verb.set_defaults(run=_override)


def _override(options: argparse.Namespace) -> int:
    course = load_course(options.course)
    place = AssignmentFiles(course, course.assignment(options.assignment))
    if options.points is None and not options.remove:
        for (student, exercise), each in sorted(overrides(place).items()):
            print(f"{student}, {exercise}: {each.points:g} {each.comment}".rstrip())
        return 0
    if options.exercise is None:
        raise ValueError("override needs a student and an exercise")
    points = None if options.remove else options.points
    set_override(place, options.student, options.exercise, points, options.comment)
    n = len(overrides(place))
    print(f"{table_of(place)}: {n} {'answer is' if n == 1 else 'answers are'} marked by hand")
    return 0

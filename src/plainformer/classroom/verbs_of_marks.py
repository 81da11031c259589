"""The verbs of marks: to change one by hand, and to see those of all weeks in one table."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from plainformer.classroom.collect import collected
from plainformer.classroom.course import CourseError, load_course
from plainformer.classroom.lms.canvas import fill_columns
from plainformer.classroom.marks import AssignmentFiles
from plainformer.classroom.output import DRY, print_json, put
from plainformer.classroom.overrides import overrides, remove_override, set_override, table_of
from plainformer.classroom.settled import settled
from plainformer.classroom.weeks import as_csv, table, total

__all__ = ["add_verbs", "warn_of_names"]


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
    verb.add_argument("--points", help="from 0 to what the exercise gives, before deductions")
    verb.add_argument(
        "--rubric",
        action="append",
        default=[],
        metavar="NAME",
        help="a deduction of the assignment's rubric; may be repeated",
    )
    verb.add_argument("--remove", action="store_true", help="let the judge's mark count again")
    verb.add_argument("--comment", default="", help="for the student")
    verb.set_defaults(run=_override)

    verb = verbs.add_parser(
        "marks",
        help="the marks of all assignments in one table",
        description="A row for each student, with points per assignment, their sum, and what was "
        "taken off. Assignments of which nothing was collected are left out; answers without "
        "points count for nothing yet. With --canvas, the columns of all assignments in a "
        "gradebook are filled in.",
    )
    verb.add_argument("--out", type=Path, help="a CSV file; without it, it is printed")
    verb.add_argument("--unsafe", action="store_true", help="marks that were made so")
    verb.add_argument("--canvas", type=Path, metavar="SHEET", help="fill in a gradebook")
    verb.add_argument("--dry-run", action="store_true", help=DRY)
    verb.add_argument("--json", action="store_true", help="for a script")
    verb.set_defaults(run=_marks)


def _override(options: argparse.Namespace) -> int:
    course = load_course(options.course)
    place = AssignmentFiles(course, course.assignment(options.assignment))
    sets = options.points is not None or bool(options.rubric) or bool(options.comment)
    if not sets and not options.remove:
        for (student, exercise), each in sorted(overrides(place).items()):
            points = "" if each.points is None else f" {each.points:g}"
            off = "".join(f" [{name}]" for name in each.rubric)
            print(f"{student}, {exercise}:{points}{off} {each.comment}".rstrip())
        return 0
    if sets and options.remove:
        raise CourseError("override either sets something, or takes it back with --remove")
    if options.exercise is None:
        raise CourseError("override needs a student and an exercise")
    if options.remove:
        remove_override(place, options.student, options.exercise)
    else:
        set_override(
            place,
            options.student,
            options.exercise,
            options.points or "",
            options.comment,
            options.rubric,
        )
    n = len(overrides(place))
    print(f"{table_of(place)}: {n} {'answer is' if n == 1 else 'answers are'} marked by hand")
    return 0


def _marks(options: argparse.Namespace) -> int:
    found = table(options.course, "unsafe" if options.unsafe else None)
    if options.json:
        rows = {
            person: {
                "assignments": {name: asdict(week) for name, week in row.items()},
                "points": total(row)[0],
                "possible": total(row)[1],
            }
            for person, row in found.rows.items()
        }
        told = {"left_out": found.left_out, "waiting": found.waiting, "unknown": found.unknown}
        print_json({"students": rows, **told})
    elif options.canvas:
        _fill_gradebook(options, found.weeks)
    elif options.out is None:
        print(as_csv(found), end="")
    else:
        print(f"{put(options, options.out, as_csv(found))}: {len(found.rows)} students")
    if found.left_out:
        print(f"Nothing was collected of {', '.join(found.left_out)}.", file=sys.stderr)
    if found.waiting:
        print(f"{found.waiting} answers have no points yet; they are left out.", file=sys.stderr)
    warn_of_names(found.unknown)
    return 0


def warn_of_names(unknown: Sequence[str]) -> None:
    """Say which names in the settings nobody has, since a misspelt one would do nothing."""
    if unknown:
        print(
            f"course.toml speaks of students of whom nothing was collected: {'; '.join(unknown)}",
            file=sys.stderr,
        )


def _fill_gradebook(options: argparse.Namespace, weeks: Sequence[str]) -> None:
    """Fill in the columns of these assignments, and write the table beside."""
    sandbox = "unsafe" if options.unsafe else None
    found = [settled(options.course, name, sandbox, partial=True) for name in weeks]
    parts = [(each.place.assignment, each.marks, collected(each.place)) for each in found]
    filled = fill_columns(options.canvas.read_bytes(), parts)
    out = options.out or options.course / "export" / f"marks-{options.canvas.stem}.csv"
    print(f"{put(options, out, filled.data)}: {len(parts)} assignments, {filled.rows} rows")
    if filled.scaled:
        print("The points were brought to the maximum that the table has.")
    if filled.without:
        print(f"Without a row: {', '.join(filled.without)}", file=sys.stderr)

"""The verbs that deal with the world outside a course: to collect, and to hand back."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from plainformer.classroom.collect import collect, collected
from plainformer.classroom.course import Assignment, Course, CourseError, load_course
from plainformer.classroom.grade import judged_marks
from plainformer.classroom.judge import Mark
from plainformer.classroom.lms import canvas, gradescope, moodle
from plainformer.classroom.lms.canvas import fill_gradebook
from plainformer.classroom.lms.moodle import fill_worksheet
from plainformer.classroom.marks import AssignmentFiles
from plainformer.classroom.output import DRY, print_json, put
from plainformer.classroom.report import overview
from plainformer.classroom.report_page import as_report
from plainformer.classroom.settled import settled
from plainformer.classroom.times import read_times

__all__ = ["add_verbs", "export_sheet", "feedback_path", "sheet_options"]


def add_verbs(verbs: Any) -> None:
    """Add them to a parser's."""
    verb = verbs.add_parser(
        "collect",
        help="bring what was handed in together, whatever it came in",
        description="From zips as Moodle and Canvas make them, folders, and lists of git "
        "repositories (lines `student,address`) to submissions/ASSIGNMENT/. Exit status: 0, "
        "everything was looked at, and what is wrong with single hand-ins is listed; 1, a source "
        "cannot be read.",
    )
    verb.add_argument("sources", nargs="+", type=Path, metavar="SOURCE")
    verb.add_argument("--assignment", required=True, metavar="NAME")
    verb.add_argument("--dry-run", action="store_true", help="only say what would be collected")
    verb.add_argument("--json", action="store_true", help="a list of all hand-ins, for a script")
    verb.add_argument(
        "--trust-addresses",
        action="store_true",
        help="fetch repositories with your keys, and from folders: where you wrote the addresses",
    )
    verb.add_argument(
        "--times",
        type=Path,
        metavar="SHEET",
        help="when everybody handed in: Moodle's grading worksheet, or a CSV of student and time",
    )
    verb.set_defaults(run=_collect)

    verb = verbs.add_parser("report", help="a page for the teacher, with who needs help")
    verb.add_argument("assignment")
    verb.add_argument("--out", type=Path, help="an HTML file; report/ASSIGNMENT.html without")
    verb.add_argument("--unsafe", action="store_true", help="of marks that were made so")
    verb.add_argument("--dry-run", action="store_true", help=DRY)
    verb.add_argument("--json", action="store_true", help="what it counts, for a script; no page")
    verb.set_defaults(run=_report)

    verb = verbs.add_parser(
        "gradescope",
        help="a zip that Gradescope builds a grader from",
        description="The zip holds the course's secret and solutions: upload it, and give it to "
        "nobody.",
    )
    verb.add_argument("assignment")
    verb.add_argument(
        "--install", metavar="WHEEL", help="Plainformer's wheel, or what pip installs"
    )
    verb.add_argument("--out", type=Path, help="a zip; gradescope/ASSIGNMENT.zip without")
    verb.add_argument(
        "--visibility", choices=gradescope.VISIBILITY, default="visible", help="of marks"
    )
    verb.add_argument("--run", type=Path, metavar="FOLDER", help=argparse.SUPPRESS, dest="root")
    verb.add_argument("--dry-run", action="store_true", help=DRY)
    verb.set_defaults(run=_gradescope)


def sheet_options(verb: argparse.ArgumentParser) -> None:
    """Let a verb that exports fill in the tables of systems for courses."""
    sheets = verb.add_mutually_exclusive_group()
    sheets.add_argument(
        "--moodle",
        type=Path,
        metavar="SHEET",
        help="fill in a grading worksheet from there",
    )
    sheets.add_argument(
        "--canvas", type=Path, metavar="SHEET", help="fill in a gradebook from there"
    )
    verb.add_argument("--dry-run", action="store_true", help=DRY)
    verb.add_argument("--column", help="of the gradebook: its title, or the number behind it")


def _collect(options: argparse.Namespace) -> int:
    course = load_course(options.course)
    place = AssignmentFiles(course, course.assignment(options.assignment))
    due = place.assignment.due
    times = read_times(options.times, due) if options.times else None
    rows = collect(
        place,
        options.sources,
        write=not options.dry_run,
        trusted=options.trust_addresses,
        times=times,
    )
    if options.json:
        print_json([asdict(row) for row in rows])
        return 0
    for row in rows:
        if row.said:
            print(f"{row.status:17} {row.student or '-'}: {row.said}")
    if due and (unknown := sum(bool(row.student) and not row.timed for row in rows)):
        print(f"Without a time of submission: {unknown}; --times reads the times from a table.")
    would = " would be there" if options.dry_run else ""
    print(f"{place.submissions}{would}: {_counted(row.status for row in rows)}")
    return 0


def _report(options: argparse.Namespace) -> int:
    course = load_course(options.course)
    assignment = course.assignment(options.assignment)
    sandbox = "unsafe" if options.unsafe else None
    judged_marks(options.course, options.assignment, sandbox)  # says which answer has none yet
    found = settled(options.course, options.assignment, sandbox, partial=True)
    place, marks = found.place, found.marks
    waiting = len(found.waiting)
    if waiting:
        machine = len(assignment.exercises)
        marks = {student: row[:machine] for student, row in marks.items()}
    if options.json:
        print_json({**asdict(overview(assignment, marks)), "waiting": waiting})
        return 0
    sandboxed = not options.unsafe and course.sandbox != "unsafe"
    page = as_report(
        course, assignment, marks, collected(place), sandboxed=sandboxed, waiting=waiting,
        notes=found.notes,
    )  # fmt: skip
    out = options.out or course.folder / "report" / f"{assignment.name}.html"
    print(f"{put(options, out, page.encode('utf-8', 'replace'))}: {len(marks)} students")
    return 0


def _gradescope(options: argparse.Namespace) -> int:
    course = load_course(options.course)
    assignment = course.assignment(options.assignment)
    if options.root is not None:  # inside Gradescope's container
        print(gradescope.run(course, assignment, options.root, options.visibility))
        return 0
    if options.install is None:
        raise CourseError("gradescope needs --install: Plainformer's wheel, or what pip installs")
    packed = gradescope.autograder(course, assignment, options.install, options.visibility)
    out = options.out or course.folder / "gradescope" / f"{assignment.name}.zip"
    said = put(options, out, packed)
    print(f"{said}: it holds the course's secret; upload it, and give it to nobody")
    return 0


def _counted(statuses: Iterable[str]) -> str:
    return ", ".join(f"{number} {status}" for status, number in Counter(statuses).items())


def export_sheet(options: argparse.Namespace, marks: Mapping[str, Sequence[Mark]]) -> int:
    """Fill in a table that a system for courses gave out, and write it beside."""
    course = load_course(options.course)
    assignment = course.assignment(options.assignment)
    known = collected(AssignmentFiles(course, assignment))
    sheet: Path = options.moodle or options.canvas
    data = sheet.read_bytes()
    if options.moodle:
        filled = fill_worksheet(data, assignment, marks, known)
    else:
        filled = fill_gradebook(data, assignment, marks, known, options.column)
    out = options.out or course.folder / "export" / f"{assignment.name}-{sheet.stem}.csv"
    said = put(options, out, filled.data)
    print(f"{said}: {filled.rows} rows have marks; the others are as they were")
    if filled.scaled:
        print("The points were brought to the maximum that the table has.")
    if filled.without:
        print(f"Without a row: {', '.join(filled.without)}", file=sys.stderr)
    return 0


def feedback_path(course: Course, assignment: Assignment, plain: bool) -> Callable[[str, str], str]:
    """Where each student's feedback goes in a zip: where the system that it came from finds it."""
    known = {} if plain else collected(AssignmentFiles(course, assignment))
    ways = {"moodle": moodle.feedback_path, "canvas": canvas.feedback_path}

    def path(student: str, file: str) -> str:
        row = known.get(student)
        if row is None or not row.place or row.lms not in ways:
            return f"{student}/{file}"
        return ways[row.lms](row.place, file)

    return path

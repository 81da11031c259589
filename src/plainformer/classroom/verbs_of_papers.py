"""The verbs for what shows who has learned something: sheets of paper, and talks."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from plainformer.classroom.course import Assignment, CourseError, load_course
from plainformer.classroom.grade import marks_of
from plainformer.classroom.judge import Mark
from plainformer.classroom.marks import AssignmentFiles, students
from plainformer.classroom.notebook import answer_id
from plainformer.classroom.output import DRY, print_json, put
from plainformer.classroom.papers import oral, page
from plainformer.classroom.papers.sheets import draw_sheets
from plainformer.classroom.verbs_of_integrity import notebooks
from plainformer.exercises.order import CHAPTERS
from plainformer.exercises.registry import exercise, exercise_ids
from plainformer.exercises.spec import Exercise

__all__ = ["add_verbs"]

ENDINGS = {"html": page.as_html, "md": page.as_markdown}


def add_verbs(verbs: Any) -> None:
    """Add them to a parser's."""
    verb = verbs.add_parser(
        "paper",
        help="an individual sheet for each student, with its key, for print",
        description="Each sheet has a function to trace, a call whose result is to be worked out, "
        "and a bug to find, and no two students get the same ones. It shows references, so use the "
        "assignment's own exercises after it is due, or name chapters of the book. The sheets "
        "depend on the seed, on the names and on the course's secret.",
    )
    verb.add_argument("assignment")
    verb.add_argument(
        "--chapter", nargs="+", choices=CHAPTERS, metavar="CHAPTER",
        help="ask about the book's exercises of these instead, such as attention.masking",
    )  # fmt: skip
    verb.add_argument(
        "--names", type=Path, metavar="FILE", help="a name in each line; those collected without"
    )
    verb.add_argument("--seed", type=int, default=0, help="others give other sheets")
    verb.add_argument("--tasks", type=int, default=3, choices=range(1, 7), metavar="1-6")
    verb.add_argument("--format", choices=list(ENDINGS), default="html")
    verb.add_argument("--out", type=Path, help="a file; papers/ASSIGNMENT.html without")
    verb.add_argument("--dry-run", action="store_true", help=DRY)
    verb.set_defaults(run=_paper)

    verb = verbs.add_parser(
        "questions-for",
        help="three questions about a student's own notebook, for a talk",
        description="The questions are about lines that the student handed in: checks that failed, "
        "calls, comparisons, axes, loops, names. Nothing of the student's runs.",
    )
    verb.add_argument("assignment")
    verb.add_argument("student", nargs="?", help="everybody without")
    verb.add_argument("--out", type=Path, help="a Markdown file; it is printed without")
    verb.add_argument("--dry-run", action="store_true", help=DRY)
    verb.add_argument("--json", action="store_true", help="the questions, for a script")
    verb.set_defaults(run=_questions_for)


def _paper(options: argparse.Namespace) -> int:
    course = load_course(options.course)
    assignment = course.assignment(options.assignment)
    names = _names(options.names, AssignmentFiles(course, assignment))
    sheets = draw_sheets(
        _asked(assignment, options.chapter),
        names,
        secret=course.secret,
        seed=options.seed,
        count=options.tasks,
    )
    ending, write = options.format, ENDINGS[options.format]
    out = options.out or course.folder / "papers" / f"{assignment.name}.{ending}"
    key = out.with_name(f"{out.stem}-key{out.suffix}")
    said = put(options, out, write(assignment.title, course.name, sheets))
    print(f"{said}: {len(sheets)} sheets of {options.tasks} tasks")
    print(put(options, key, write(assignment.title, course.name, sheets, key=True)))
    return 0


def _asked(assignment: Assignment, chapters: Sequence[str] | None) -> Sequence[Exercise]:
    """The exercises that sheets are about."""
    if chapters is None:
        return assignment.exercises
    return [exercise(name) for chapter in chapters for name in exercise_ids(chapter)]


def _names(file: Path | None, place: AssignmentFiles) -> list[str]:
    if file is None:
        return list(students(place))
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(f"{file} must be a text file with a name in each line; {error}") from None
    names = [" ".join(line.split()) for line in lines if line.strip()]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise CourseError(f"{file} must have each name once; {twice!r} is there twice")
    if not names:
        raise CourseError(f"{file} must have a name in each line; it is empty")
    return names


def _questions_for(options: argparse.Namespace) -> int:
    course = load_course(options.course)
    place = AssignmentFiles(course, course.assignment(options.assignment))
    books = notebooks(place)
    if options.student is not None and options.student not in books:
        raise CourseError(
            f"nothing of {options.student!r} can be read in {place.submissions}; there are "
            f"{', '.join(books)}"
        )
    marks: dict[str, list[Mark]] = {}
    with contextlib.suppress(CourseError):  # without marks, no question is about a failed check
        marks = marks_of(options.course, options.assignment)
    exercises = place.assignment.exercises
    found = {
        student: oral.questions_for(
            exercises,
            {each.id: book.answers.get(answer_id(each.id), "") for each in exercises},
            {mark.exercise: mark for mark in marks.get(student, ())},
            book.imports,
        )
        for student, book in books.items()
        if options.student in (None, student)
    }
    if options.json:
        print_json({student: [asdict(each) for each in row] for student, row in found.items()})
        return 0
    title = place.assignment.title
    text = "\n".join(oral.as_markdown(student, title, row) for student, row in found.items())
    if options.out is None:
        print(text, end="")
    else:
        print(f"{put(options, options.out, text)}: {len(found)} students")
    return 0

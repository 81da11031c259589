"""The verb that shows a teacher which answers to talk about."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from plainformer.classroom.borrowed import Borrowed, borrowed, used_by_us
from plainformer.classroom.course import CourseError, load_course
from plainformer.classroom.fingerprints import parsed
from plainformer.classroom.marks import AssignmentFiles, students
from plainformer.classroom.notebook import Notebook, NotebookError, answer_id, read_notebook
from plainformer.classroom.output import DRY, print_json, put
from plainformer.classroom.similar import LEAST, Pair, pairs
from plainformer.classroom.similar_page import REASON, as_page

__all__ = ["add_verbs", "notebooks"]


def add_verbs(verbs: Any) -> None:
    """Add it to a parser's."""
    verb = verbs.add_parser(
        "similar",
        help="answers that are alike, or call a library: a reason to talk",
        description=f"Compares the syntax of all answers. {REASON}",
    )
    verb.add_argument("assignment")
    verb.add_argument(
        "--least",
        type=_percent,
        default=LEAST,
        metavar="PERCENT",
        help=f"of the unusual part of an answer that another must have; {100 * LEAST:g} without",
    )
    verb.add_argument("--out", type=Path, help="an HTML file; similar/ASSIGNMENT.html without")
    verb.add_argument("--dry-run", action="store_true", help=DRY)
    verb.add_argument("--json", action="store_true", help="what it found, for a script; no page")
    verb.set_defaults(run=_similar)


def notebooks(place: AssignmentFiles) -> dict[str, Notebook]:
    """The notebooks of an assignment that can be read, by student."""
    found: dict[str, Notebook] = {}
    for student, path in students(place).items():
        try:
            found[student] = read_notebook(path, secret=place.course.secret)
        except NotebookError:
            continue
    if not found:
        raise CourseError(f"none of the notebooks in {place.submissions} can be read")
    return found


def _percent(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= 100:
        raise argparse.ArgumentTypeError(f"must be a number above 0, up to 100; got {text!r}")
    return number / 100


def _similar(options: argparse.Namespace) -> int:
    course = load_course(options.course)
    assignment = course.assignment(options.assignment)
    books = notebooks(AssignmentFiles(course, assignment))
    answers: dict[str, dict[str, str]] = {}
    whole: dict[str, dict[str, str]] = {}
    libraries: dict[tuple[str, str], list[Borrowed]] = {}
    for exercise in assignment.exercises:
        ours, name = used_by_us(exercise), answer_id(exercise.id)
        given = {student: book.answers.get(name, "") for student, book in books.items()}
        answers[exercise.id] = {student: text for student, text in given.items() if text.strip()}
        whole[exercise.id] = {
            # Imports say what names stand for. Behind the answer, they do not shift its lines.
            student: f"{text}\n{_sound(books[student].imports)}"
            for student, text in answers[exercise.id].items()
        }
        for student, text in answers[exercise.id].items():
            if found := borrowed(text, ours, books[student].imports):
                libraries[student, exercise.id] = found
    alike = pairs(assignment.exercises, whole, least=options.least)
    if options.json:
        print_json(_told(alike, libraries))
        return 0
    page = as_page(course, assignment, alike, answers, libraries)
    out = options.out or course.folder / "similar" / f"{assignment.name}.html"
    said = put(options, out, page.encode("utf-8", "replace"))
    print(
        f"{said}: {_number(len(alike), 'pair')} of students, "
        f"{_number(len(libraries), 'answer')} with library calls"
    )
    return 0


def _sound(imports: str) -> str:
    """A cell of imports; nothing of one that is no Python."""
    return imports if parsed(imports).body else ""


def _number(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _told(alike: list[Pair], libraries: dict[tuple[str, str], list[Borrowed]]) -> dict[str, Any]:
    return {
        "what this is": REASON,
        "pairs": [
            {
                "students": list(pair.students),
                "exercises": {each.exercise: round(each.share, 3) for each in pair.found},
            }
            for pair in alike
        ],
        "libraries": [
            {"student": student, "exercise": exercise, "names": [each.name for each in found]}
            for (student, exercise), found in libraries.items()
        ],
    }

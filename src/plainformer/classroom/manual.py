"""The table in which a person marks questions: filled by hand, and read back.

    plainformer-class questions week-1      writes manual/week-1.csv, a row for each answer
    …                                       someone fills in points and comments
    plainformer-class export week-1         has them beside the other marks; so has the feedback

To write it again keeps what was filled in, and adds who is new. What was set by `override`, or on
the pages of `grade --look`, counts instead, and is in a table of its own. Spreadsheets that write
`;` between cells and `2,5` for two and a half are read as well.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from plainformer.classroom.course import CourseError
from plainformer.classroom.export import harmless
from plainformer.classroom.judge import Mark
from plainformer.classroom.marks import AssignmentFiles, students
from plainformer.classroom.notebook import MAX_SOURCE, NotebookError, cells_of
from plainformer.classroom.overrides import Override, overrides
from plainformer.classroom.questions import Question, written_id
from plainformer.files import atomic_write

__all__ = ["marks_in_table", "question_marks", "sheet", "write_sheet"]

COLUMNS = ("student", "question", "points", "possible", "comment", "answer")
NOTHING = Override()
SHOWN = 2000  # characters of an answer; a longer one, and a plot, are looked at in the notebook


def sheet(place: AssignmentFiles) -> Path:
    """Where an assignment's table is."""
    return place.course.folder / "manual" / f"{place.assignment.name}.csv"


def write_sheet(place: AssignmentFiles, *, write: bool = True) -> tuple[Path, int]:
    """Write the table, or only look; return where it is, and how many rows have no points yet.

    Raises:
        CourseError: the assignment has no questions, or the table that is there is damaged.
    """
    if not place.assignment.questions:
        raise CourseError(f"{place.assignment.name} has no questions that a person marks")
    path = sheet(place)
    filled = _filled(place, path) if path.exists() else {}
    set_by_hand = overrides(place)
    file, left = io.StringIO(), 0
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for student, notebook in students(place).items():
        answers = _answers(notebook)
        for question in place.assignment.questions:
            points, comment = filled.get((harmless(student), question.id), ("", ""))
            marked = set_by_hand.get((harmless(student), question.id), NOTHING)
            left += not points and marked.points is None and not marked.rubric
            answer = answers.get(written_id(question.id), "")[:SHOWN]
            given = (harmless(student), question.id, points, f"{question.points:g}", comment)
            writer.writerow([*given, harmless(answer)])
    if not write:
        return path, left
    path.parent.mkdir(parents=True, exist_ok=True)
    # With a mark of its encoding, without which spreadsheets spoil names.
    atomic_write(path, "\ufeff" + file.getvalue().encode("utf-8", "replace").decode())
    return path, left


def question_marks(place: AssignmentFiles, students: Iterable[str]) -> dict[str, list[Mark]]:
    """The marks of each student's answers to an assignment's questions, as the table has them.

    An answer without points there has a mark that waits.

    Raises:
        CourseError: the table is damaged, or points are no number from 0 to what is possible.
    """
    path = sheet(place)
    filled = _filled(place, path) if place.assignment.questions and path.exists() else {}
    return {
        student: [
            _mark(question, *filled.get((harmless(student), question.id), ("", "")))
            for question in place.assignment.questions
        ]
        for student in students
    }


def marks_in_table(place: AssignmentFiles, names: Sequence[str]) -> dict[str, Mark]:
    """What the table has for a person of these names, by question; without what has no points.

    Raises:
        CourseError: the table is damaged.
    """
    path = sheet(place)
    filled = _filled(place, path) if place.assignment.questions and path.exists() else {}
    known = {harmless(name).casefold() for name in names if name}
    questions = {each.id: each for each in place.assignment.questions}
    return {
        name: _mark(questions[name], points, comment)
        for (student, name), (points, comment) in filled.items()
        if points and student.casefold() in known
    }


def _mark(question: Question, points: str, comment: str) -> Mark:
    if not points:
        return Mark(question.id, "missing", 0, question.points, text=comment, waiting=True)
    number = float(points)
    earned = int(number) if number.is_integer() else number  # as the other marks are
    return Mark(question.id, "ok", earned, question.points, text=comment)


def _filled(place: AssignmentFiles, path: Path) -> dict[tuple[str, str], tuple[str, str]]:
    """What was filled in: points and comment by student and question."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(f"{path} must be a CSV file in UTF-8; {error}") from None
    first = text.partition("\n")[0]
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=";" if ";" in first else ",")
    if missing := set(COLUMNS[:5]) - set(reader.fieldnames or ()):
        raise CourseError(f"{path}, line 1: there is no column {', '.join(sorted(missing))}")
    questions = {each.id: each for each in place.assignment.questions}
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for row in reader:
        where = f"{path}, line {reader.line_num}"
        student, name = row["student"] or "", row["question"] or ""
        if name not in questions:
            raise CourseError(f"{where}: {place.assignment.name} has no question {name!r}")
        if (student, name) in found:
            raise CourseError(f"{where}: {student}'s {name} is there twice")
        points = _points(row["points"] or "", questions[name], where)
        found[student, name] = points, (row["comment"] or "").strip()
    return found


def _points(text: str, question: Question, where: str) -> str:
    """Points as they were typed, or an empty text."""
    typed = text.strip().replace(",", ".")
    try:
        good = not typed or 0 <= float(typed) <= question.points
    except ValueError:
        good = False
    if not good:
        raise CourseError(
            f"{where}: points must be a number from 0 to {question.points:g}; got {text!r}"
        )
    return typed


def _answers(path: Path) -> Mapping[str, str]:
    """The contents of a notebook's cells, by their ids; empty for a notebook that cannot be
    read."""
    found: dict[str, str] = {}
    try:
        for name, source in cells_of(path):
            if len(source) <= MAX_SOURCE:  # a cell that was split is one answer
                found[name] = "\n\n".join(filter(None, [found.get(name, ""), source]))
    except NotebookError:
        return {}
    return found

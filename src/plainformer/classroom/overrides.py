"""Points and comments that a person sets by hand, in the place of what the judge gave.

    plainformer-class override week-1 "Ann Lee" course.window_mask --points 1.5 --comment "…"

They are kept in `manual/week-1-overrides.csv`, which nothing but this command writes, so they
survive when the work is marked again. The file can also be edited in a spreadsheet.
"""

from __future__ import annotations

import csv
import difflib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from plainformer.classroom.course import CourseError
from plainformer.classroom.export import harmless
from plainformer.classroom.judge import Mark
from plainformer.classroom.marks import AssignmentFiles, students
from plainformer.files import atomic_write

__all__ = ["Override", "overrides", "set_override", "table_of", "with_overrides"]

COLUMNS = ("student", "exercise", "points", "comment")


@dataclass(frozen=True)
class Override:
    """What a person gives for one answer, instead of what the judge gave."""

    points: float
    comment: str = ""


def table_of(place: AssignmentFiles) -> Path:
    """Where an assignment's overrides are."""
    return place.course.folder / "manual" / f"{place.assignment.name}-overrides.csv"


def overrides(place: AssignmentFiles) -> dict[tuple[str, str], Override]:
    """What a person has set, by student (as a spreadsheet has the name) and exercise.

    Raises:
        CourseError: the table is damaged, names an exercise that the assignment has not, or has
            points that it cannot give; with the line.
    """
    path = table_of(place)
    if not path.exists():
        return {}
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(f"{path} must be a CSV file in UTF-8; {error}") from None
    first = text.partition("\n")[0]
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=";" if ";" in first else ",")
    if missing := set(COLUMNS) - set(reader.fieldnames or ()):
        raise CourseError(f"{path}, line 1: there is no column {', '.join(sorted(missing))}")
    found: dict[tuple[str, str], Override] = {}
    for row in reader:
        where = f"{path}, line {reader.line_num}"
        student, name = row["student"] or "", row["exercise"] or ""
        if (student, name) in found:
            raise CourseError(f"{where}: {student}'s {name} is there twice")
        comment = (row["comment"] or "").strip()
        try:
            points = _points(place, name, row["points"] or "")
        except CourseError as error:
            raise CourseError(f"{where}: {error}") from None
        found[student, name] = Override(points, comment)
    return found


def set_override(
    place: AssignmentFiles, student: str, exercise: str, points: str | None, comment: str = ""
) -> None:
    """Set the points of one answer by hand, or take back what was set.

    Args:
        place: of the assignment.
        student: by the name that marks have.
        exercise: its id.
        points: as typed; None takes it back.
        comment: for the student.

    Raises:
        CourseError: there is no such student or exercise, or it cannot give these points.
    """
    everybody = students(place)
    if student not in everybody:
        near = difflib.get_close_matches(student, everybody, 1)
        raise CourseError(
            f"there is no student {student!r}{f'; did you mean {near[0]!r}?' if near else ''}"
        )
    rows = overrides(place)
    key = (harmless(student), exercise)
    if points is not None:
        rows[key] = Override(_points(place, exercise, points), comment)
    elif rows.pop(key, None) is None:
        raise CourseError(f"{student}'s {exercise} was not set by hand")
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for (who, name), each in sorted(rows.items()):
        writer.writerow([who, name, f"{each.points:g}", harmless(each.comment)])
    path = table_of(place)
    path.parent.mkdir(parents=True, exist_ok=True)
    # With a mark of its encoding, without which spreadsheets spoil names.
    atomic_write(path, "\ufeff" + file.getvalue().encode("utf-8", "replace").decode())


def with_overrides(
    place: AssignmentFiles, marks: Mapping[str, Sequence[Mark]]
) -> dict[str, list[Mark]]:
    """Marks with what a person has set.

    Raises:
        CourseError: the table is damaged.
    """
    given = overrides(place)

    def settled(student: str, mark: Mark) -> Mark:
        own = given.get((harmless(student), mark.exercise))
        if own is None:
            return mark
        points = int(own.points) if own.points.is_integer() else own.points
        return replace(mark, points=points, by_hand=True, comment=own.comment)

    return {student: [settled(student, mark) for mark in row] for student, row in marks.items()}


def _points(place: AssignmentFiles, exercise: str, typed: str) -> float:
    """Points that an exercise can give."""
    known = {each.id: each for each in place.assignment.exercises}
    if exercise not in known:
        near = difflib.get_close_matches(exercise, known, 1)
        hint = f"; did you mean {near[0]!r}?" if near else f"; it has {', '.join(known)}"
        raise CourseError(f"{place.assignment.name} has no exercise {exercise!r}{hint}")
    most = known[exercise].points
    try:
        points = float(typed.strip().replace(",", "."))
    except ValueError:
        points = -1
    if not 0 <= points <= most:
        raise CourseError(f"points must be a number from 0 to {most:g}; got {typed!r}")
    return points

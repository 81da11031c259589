"""Points, comments and deductions that a person sets by hand, over what the judge gave.

    plainformer-class override week-1 "Ann Lee" course.window_mask --points 1.5 --comment "…"

They are kept in `manual/week-1-overrides.csv`, which this command and the pages of `grade --look`
write, so they survive when the work is marked again. The file can also be edited in a spreadsheet.
Points replace those of the judge; names of the assignment's rubric then take off what they are
worth there. For a question, which no judge marks, names without points start from full marks.
"""

from __future__ import annotations

import contextlib
import csv
import difflib
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from plainformer.classroom.course import CourseError
from plainformer.classroom.export import harmless
from plainformer.classroom.judge import Mark
from plainformer.classroom.marks import AssignmentFiles, students
from plainformer.classroom.people import people
from plainformer.classroom.rules import with_deductions
from plainformer.files import atomic_write

try:
    import fcntl
except ImportError:  # Windows, where two commands at the same time are not kept apart
    fcntl = None  # type: ignore[assignment]

__all__ = [
    "Override",
    "overridden",
    "overrides",
    "remove_override",
    "set_override",
    "table_of",
    "with_overrides",
]

COLUMNS = ("student", "exercise", "points", "comment")
RUBRIC = "rubric"  # a column that older tables have not
MAX_COMMENT = 10_000


@dataclass(frozen=True)
class Override:
    """What a person says of one answer.

    Attributes:
        points: instead of the judge's; None to leave those.
        comment: for the student.
        rubric: the names of deductions that apply.
    """

    points: float | None = None
    comment: str = ""
    rubric: tuple[str, ...] = ()


def table_of(place: AssignmentFiles) -> Path:
    """Where an assignment's overrides are."""
    return place.course.folder / "manual" / f"{place.assignment.name}-overrides.csv"


def overrides(place: AssignmentFiles) -> dict[tuple[str, str], Override]:
    """What a person has set, by student (as a spreadsheet has the name) and exercise or question.

    Raises:
        CourseError: the table is damaged, names what the assignment has not, or has points that
            cannot be given; with the line.
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
        names = tuple(filter(None, (each.strip() for each in (row.get(RUBRIC) or "").split(";"))))
        typed, comment = row["points"] or "", _as_typed((row["comment"] or "").strip())
        try:
            found[student, name] = _checked(place, name, typed, comment, names)
        except CourseError as error:
            raise CourseError(f"{where}: {error}") from None
    return found


def set_override(
    place: AssignmentFiles,
    student: str,
    exercise: str,
    points: str = "",
    comment: str = "",
    rubric: Sequence[str] = (),
) -> Override:
    """Set by hand what counts of one answer; return what was set.

    Args:
        place: of the assignment.
        student: by the name that marks have.
        exercise: its id, or a question's.
        points: as typed; empty to leave those of the judge.
        comment: for the student.
        rubric: names of deductions, of the assignment's rubric for this exercise.

    Raises:
        CourseError: there is no such student, exercise or name, or it cannot give these points.
    """
    _must_know(place, student)
    new = _checked(place, exercise, points, comment.strip(), tuple(rubric))
    with _alone(place):
        rows = overrides(place)
        rows[harmless(student), exercise] = new
        _write(place, rows)
    return new


def remove_override(place: AssignmentFiles, student: str, exercise: str) -> None:
    """Take back what was set by hand.

    Raises:
        CourseError: there is no such student, or nothing was set.
    """
    _must_know(place, student)
    with _alone(place):
        rows = overrides(place)
        if rows.pop((harmless(student), exercise), None) is None:
            raise CourseError(f"{student}'s {exercise} was not set by hand")
        _write(place, rows)


def with_overrides(
    place: AssignmentFiles, marks: Mapping[str, Sequence[Mark]]
) -> dict[str, list[Mark]]:
    """Marks with what a person has set.

    Raises:
        CourseError: the table is damaged.
    """
    given = overrides(place)
    return {
        student: [overridden(place, mark, given.get((harmless(student), mark.exercise)))
                  for mark in row]
        for student, row in marks.items()
    }  # fmt: skip


def overridden(place: AssignmentFiles, mark: Mark, own: Override | None) -> Mark:
    """A mark with what a person has set for it, if anything."""
    if own is None:
        return mark
    asked = mark.exercise in [each.id for each in place.assignment.questions]
    points = own.points
    if points is None and asked and mark.waiting and own.rubric:
        points = mark.possible
    if points is not None:
        earned = int(points) if float(points).is_integer() else points
        mark = replace(mark, points=earned, by_hand=not asked, waiting=False)
    if own.comment:
        mark = replace(mark, text=own.comment) if asked else replace(mark, comment=own.comment)
    return with_deductions(mark, own.rubric, place.assignment.rubrics.get(mark.exercise, {}))


def _must_know(place: AssignmentFiles, student: str) -> None:
    known = students(place)
    there = {*people(place, known).values()}
    members = [name for group in place.assignment.groups for name in group if name not in there]
    everybody = [*known, *members]  # of a group, also who did not hand in
    if student not in everybody:
        near = difflib.get_close_matches(student, everybody, 1)
        raise CourseError(
            f"there is no student {student!r}{f'; did you mean {near[0]!r}?' if near else ''}"
        )


def _write(place: AssignmentFiles, rows: Mapping[tuple[str, str], Override]) -> None:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([*COLUMNS, RUBRIC])
    for (who, name), each in sorted(rows.items()):
        points = "" if each.points is None else f"{each.points:.10g}"
        writer.writerow([who, name, points, _as_kept(each.comment), "; ".join(each.rubric)])
    # With a mark of its encoding, without which spreadsheets spoil names.
    atomic_write(table_of(place), "\ufeff" + file.getvalue().encode("utf-8", "replace").decode())


@contextlib.contextmanager
def _alone(place: AssignmentFiles) -> Iterator[None]:
    """Nobody else writes the table in the meantime: neither a command nor a page."""
    folder = table_of(place).parent
    folder.mkdir(parents=True, exist_ok=True)
    if fcntl is None:
        yield
        return
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _as_kept(comment: str) -> str:
    """A comment that no spreadsheet takes for a formula, and that is read back as it was."""
    return f"'{comment}" if comment.startswith("'") else harmless(comment)


def _as_typed(kept: str) -> str:
    """What `_as_kept` was given.

    >>> [_as_typed(_as_kept(text)) for text in ("=1", "'=1", "-0.5 for it", "fine")]
    ['=1', "'=1", '-0.5 for it', 'fine']
    """
    return kept[1:] if kept[:1] == "'" and _as_kept(kept[1:]) == kept else kept


def _checked(
    place: AssignmentFiles, exercise: str, typed: str, comment: str, rubric: tuple[str, ...]
) -> Override:
    """An override of what the assignment has, within what it can give."""
    known = place.assignment.points
    if exercise not in known:
        near = difflib.get_close_matches(exercise, known, 1)
        hint = f"; did you mean {near[0]!r}?" if near else f"; it has {', '.join(known)}"
        raise CourseError(f"{place.assignment.name} has no exercise {exercise!r}{hint}")
    names = place.assignment.rubrics.get(exercise, {})
    for name in rubric:
        if name not in names:
            near = difflib.get_close_matches(name, names, 1)
            has = f"it has {', '.join(names)}" if names else "course.toml has none"
            hint = f"did you mean {near[0]!r}?" if near else has
            raise CourseError(f"the rubric of {exercise} has no {name!r}; {hint}")
    if len(comment) > MAX_COMMENT:
        raise CourseError(f"a comment must have at most {MAX_COMMENT:,} characters")
    kept = tuple(name for name in names if name in rubric)
    return Override(_points(typed, known[exercise]), comment, kept)


def _points(typed: str, most: float) -> float | None:
    """Points that an exercise can give; None for none."""
    if not typed.strip():
        return None
    try:
        points = float(typed.strip().replace(",", "."))
    except ValueError:
        points = -1
    if not 0 <= points <= most:
        raise CourseError(f"points must be a number from 0 to {most:g}; got {typed!r}")
    return points

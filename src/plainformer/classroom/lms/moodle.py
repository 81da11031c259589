"""Moodle: its zip of submissions, the zip of feedback that it takes, its grading worksheet.

As Moodle 3.1 to 5.0 write and read them (`mod/assign/classes/downloader.php`,
`feedback/file/importziplib.php` and `feedback/offline/importgradeslib.php`, looked up in 2026): a
folder `Name_ID_assignsubmission_file`, before 4.1 with a `_` at its end, for each student; or no
folder, and that before the file's name. Names hold no `_`. ID is not the user's but a number of the
participant, the one of the worksheet's `Participant 123`. A team has its name and number there.

Neither the folder nor the files say when something was handed in, so late work cannot be
recognised.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence

from plainformer.classroom.course import Assignment, CourseError
from plainformer.classroom.export import harmless
from plainformer.classroom.feedback import SAID, points_of
from plainformer.classroom.judge import Mark
from plainformer.classroom.lms.naming import Named
from plainformer.classroom.lms.sheet import Filled, Sheet, as_number, number_like
from plainformer.classroom.record import Collected

__all__ = ["feedback_path", "fill_worksheet", "named"]

PLACE = re.compile(
    r"(?P<name>[^_/]*)(?:_(?P<id>\d{1,19}))?_assign(?:submission|feedback)_(?P<plugin>[a-z]+)(?P<rest>_.*)?"
)


def named(path: str) -> Named | None:
    """Whose file it is, from its name in the zip; None if Moodle does not name files so.

    >>> whose = named("Ann Lee_4711_assignsubmission_file_/week-1.ipynb")
    >>> whose.name, whose.id, whose.place
    ('Ann Lee', '4711', 'Ann Lee_4711_assignsubmission_file_')
    >>> named("Ann Lee_4711_assignsubmission_file_week-1.ipynb").place
    'Ann Lee_4711_assignsubmission_file_'
    >>> named("week-1.ipynb")
    """
    first, _, inside = path.partition("/")
    found = PLACE.fullmatch(first)
    if found is None:
        return None
    # Without folders, the text after the last _ is the file's own name.
    place = first if inside else f"{first[: len(first) - len(found['rest'] or '')]}_"
    # A text typed into a box has a folder of its own; feedback goes to that of the files.
    return Named("moodle", found["id"] or "", found["name"], place, order=found["plugin"] == "file")


def feedback_path(place: str, file: str) -> str:
    """Where a student's feedback lies in the zip that the teacher uploads.

    >>> feedback_path("Ann Lee_4711_assignsubmission_file_", "feedback.html")
    'Ann Lee_4711_assignsubmission_file_/feedback.html'
    """
    return f"{place}/{file}"


def fill_worksheet(
    data: bytes,
    assignment: Assignment,
    marks: Mapping[str, Sequence[Mark]],
    collected: Mapping[str, Collected],
) -> Filled:
    """Fill in Grade and Feedback comments of the worksheet that the teacher downloaded.

    Students are found by their number, teams by their name, and students who were not collected
    from Moodle by their own name or address, if it is unique. The rows of students without marks
    stay as they were.

    Raises:
        CourseError: it is no such worksheet.
    """
    sheet = Sheet(data)
    heads = sheet.heads
    missing = [name for name in ("Identifier", "Grade") if name not in heads]
    if missing:
        raise CourseError(
            f"a grading worksheet must have a column {missing[0]!r}; this has {', '.join(heads)}. "
            "Set Moodle's language to English, and download it again"
        )
    columns = ("Grade", "Maximum grade", "Feedback comments")
    grade, maximum, said = (_column(heads, name) for name in columns)
    students = _students(sheet, marks, collected)
    scaled = False
    for row, student in students.items():
        limit = sheet.value(row, maximum)
        earned, possible = points_of(marks[student])
        if (most := as_number(limit)) and possible and most != possible:
            earned, scaled = earned * most / possible, True
        sheet.put(row, grade, number_like(earned, limit))
        if 0 <= said < len(sheet.cells[row]):
            sheet.put(row, said, harmless(_comment(assignment, marks[student])))
    without = [student for student in marks if student not in students.values()]
    return Filled(sheet.data(), len(students), without, scaled)


def _column(heads: Sequence[str], name: str) -> int:
    """The index of a column, ignoring case; -1 if it is missing."""
    lower = [head.lower() for head in heads]
    return lower.index(name.lower()) if name.lower() in lower else -1


def _students(
    sheet: Sheet, marks: Mapping[str, Sequence[Mark]], collected: Mapping[str, Collected]
) -> dict[int, str]:
    """Whose marks belong into which row."""
    heads = sheet.heads
    identifier, group = _column(heads, "Identifier"), _column(heads, "Group")
    ours = {name: row for name, row in collected.items() if row.lms == "moodle" and name in marks}
    by_id = {row.id: name for name, row in ours.items() if row.id and group < 0}
    # A column of groups is there where teams hand in: then a number is a team's, and no person's.
    by_team = {row.name: name for name, row in ours.items() if group >= 0}
    others = {name.casefold(): name for name in marks if name not in ours}
    found: dict[int, str] = {}
    for row in range(1, len(sheet)):
        number = re.search(r"\d+$", sheet.value(row, identifier))
        student = by_id.get(number[0]) if number else None
        student = student or by_team.get(sheet.value(row, group).replace("_", " "))
        for name in ("Email address", "Full name") if student is None else ():
            student = student or others.get(sheet.value(row, _column(heads, name)).casefold())
        if student is not None and _column(heads, "Grade") < len(sheet.cells[row]):
            found[row] = student
    if group < 0:
        given = list(found.values())
        found = {row: name for row, name in found.items() if given.count(name) == 1}
    return found


def _comment(assignment: Assignment, marks: Sequence[Mark]) -> str:
    """The comment next to a grade: a line for each exercise. Moodle reads it as HTML."""
    lines = ["{:g} of {:g} points".format(*points_of(marks))]
    for number, (title, mark) in enumerate(zip(assignment.titles, marks, strict=True)):
        said = f"{SAID[mark.status]}." + (f" A hint: {mark.hint}" if mark.hint else "")
        if number >= len(assignment.exercises):  # a person's mark
            said = f"{mark.points:g} of {mark.possible:g} points. {mark.text}"
        if mark.by_hand or mark.comment:
            said += f" {mark.points:g} of {mark.possible:g} points. {mark.comment}"
        said += "".join(f" {points:g} points off: {why}." for why, points in mark.taken)
        lines.append(f"{title}: {said}")
    return "<br>".join(html.escape(" ".join(line.split())) for line in lines)

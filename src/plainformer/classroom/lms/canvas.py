"""Canvas: its zip of submissions, the zip of feedback that it takes, its gradebook.

As Canvas writes and reads them (`lib/content_zipper.rb`, `lib/gradebook_exporter.rb` and
`infer_comment_context_from_filename` of canvas-lms, releases of 2026): files without folders, named
`lastfirst_LATE_user_attachment_name.ipynb`. LATE is there only for late files, the name is in
lower case, and the two numbers are the user's and the file's. In an anonymous assignment the user
is `anon_` and a few letters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from plainformer.classroom.course import Assignment, CourseError
from plainformer.classroom.export import harmless
from plainformer.classroom.feedback import points_of
from plainformer.classroom.judge import Mark
from plainformer.classroom.lms.naming import Named
from plainformer.classroom.lms.sheet import Filled, Sheet, as_number, number_like
from plainformer.classroom.record import Collected

__all__ = ["feedback_path", "fill_columns", "fill_gradebook", "named"]

Part = tuple[Assignment, Mapping[str, Sequence[Mark]], Mapping[str, Collected]]

FILE = re.compile(
    r"(?:(?P<name>[^/]*?)_)?(?:(?P<late>LATE)_)?(?P<id>anon_[^\W_]+|\d{1,19})_(?P<file>\d{1,19})_[^/]+"
)
PEOPLE = ("Student", "LastName", "FirstName")
WHO = (*PEOPLE, "ID", "SIS User ID", "SIS Login ID", "Integration ID", "Root Account", "Section")
COLUMN = re.compile(r"(?P<title>.*) \((?P<id>\d{1,19})\)", re.DOTALL)
TEXT = re.compile(r"(?:(?P<name>[^/]*?)_)?(?:(?P<late>LATE)_)?(?P<id>\d{1,19})_(?:text|link)\.html")


def named(path: str) -> Named | None:
    """Whose file it is, from its name in the zip; None if Canvas does not name files so.

    >>> whose = named("leeann_4711_98_week-1.ipynb")
    >>> whose.name, whose.id, whose.place, whose.late
    ('leeann', '4711', 'leeann_4711_98', False)
    >>> named("leeann_LATE_4711_98_week-1.ipynb").late
    True
    >>> named("week-1.ipynb")
    """
    if found := FILE.fullmatch(path):
        number = found["file"]
        place = path[: found.end("file")]
        return Named(
            "canvas", found["id"], found["name"] or "", place, bool(found["late"]), int(number)
        )
    if found := TEXT.fullmatch(path):  # typed into a box, or a link
        return Named("canvas", found["id"], found["name"] or "", "", bool(found["late"]))
    return None


def feedback_path(place: str, file: str) -> str:
    """Where a student's feedback lies in the zip that the teacher uploads.

    Canvas finds the student by the numbers of the file that it gave out.

    >>> feedback_path("leeann_4711_98", "feedback.html")
    'leeann_4711_98_feedback.html'
    """
    return f"{place}_{file}"


def fill_gradebook(
    data: bytes,
    assignment: Assignment,
    marks: Mapping[str, Sequence[Mark]],
    collected: Mapping[str, Collected],
    column: str | None = None,
) -> Filled:
    """Fill in the column of one assignment in the gradebook that the teacher exported.

    Only that column and the columns that identify a student are kept, because importing the others
    would bring back old marks. Students are found by their ID, or, if they were not collected from
    Canvas, by login or name.

    Args:
        data: the exported file.
        assignment, marks: what to fill in.
        collected: who is who.
        column: its heading, title or number; the assignment's title without.

    Raises:
        CourseError: it is no gradebook, or has no such column.
    """
    return fill_columns(data, [(assignment, marks, collected)], column)


def fill_columns(data: bytes, parts: Sequence[Part], column: str | None = None) -> Filled:
    """Fill in the columns of several assignments; see `fill_gradebook`.

    Args:
        data: the exported file.
        parts: of each assignment itself, its marks, and who is who.
        column: of a single one, its heading, title or number.
    """
    sheet = Sheet(data)
    heads = sheet.heads
    if not {"ID", "Section"} <= {*heads} or not {*PEOPLE} & {*heads}:
        raise CourseError(
            "a gradebook must have the columns 'ID' and 'Section', as Canvas exports it; this has "
            f"{', '.join(heads[:10])}"
        )
    rows = range(1, len(sheet))
    names = [i for i, head in enumerate(heads) if head in PEOPLE]
    filled, without, grades, scaled = set[int](), dict[str, None](), set[int](), False
    for assignment, marks, collected in parts:
        grade = _column(heads, assignment, column)
        students = {
            row: student
            for row, student in _students(sheet, marks, collected).items()
            if grade < len(sheet.cells[row])  # a row that somebody cut
        }
        most = next(
            (sheet.value(row, grade) for row in rows if _is_points(sheet.value(row, names[0]))), ""
        )
        for row, student in students.items():
            earned, possible = points_of(marks[student])
            if (limit := as_number(most)) and possible and limit != possible:
                earned, scaled = earned * limit / possible, True
            sheet.put(row, grade, number_like(earned, most))
        filled |= {*students}
        grades.add(grade)
        without |= dict.fromkeys(each for each in marks if each not in students.values())
    for row in rows:
        for i in names:
            if (name := sheet.value(row, i)) != harmless(name):
                sheet.put(row, i, harmless(name))
    kept = [i for i, head in enumerate(heads) if head in WHO or i in grades]
    return Filled(sheet.data(kept), len(filled), [*without], scaled)


def _is_points(name: str) -> bool:
    """Whether it is the row of what can be earned, which Canvas wants back."""
    return name.strip() == "Points Possible"


def _column(heads: Sequence[str], assignment: Assignment, wanted: str | None) -> int:
    known = {i: found for i, head in enumerate(heads) if (found := COLUMN.fullmatch(head))}
    wishes = [wanted] if wanted else [assignment.title, assignment.name]
    for wish in wishes:
        fits = [i for i, one in known.items() if wish in (one[0], one["title"], one["id"])]
        if len(fits) == 1:
            return fits[0]
    listed = ", ".join(repr(one[0]) for one in known.values()) or "none"
    raise CourseError(
        f"the gradebook must have one column for {wishes[0]!r}; name it with --column. It has "
        f"{listed}"
    )


def _students(
    sheet: Sheet, marks: Mapping[str, Sequence[Mark]], collected: Mapping[str, Collected]
) -> dict[int, str]:
    """Whose marks belong into which row."""
    heads = sheet.heads
    ours = {name: row for name, row in collected.items() if row.lms == "canvas" and name in marks}
    by_id = {row.id: name for name, row in ours.items()}
    others = {name.casefold(): name for name in marks if name not in ours}
    found: dict[int, str] = {}
    for row in range(1, len(sheet)):
        student = by_id.get(sheet.value(row, heads.index("ID")).strip())
        for head in ("SIS Login ID", "SIS User ID", "Student"):
            if student is None and head in heads:
                student = others.get(sheet.value(row, heads.index(head)).casefold())
        if student is not None:
            found[row] = student
    given = list(found.values())
    return {row: name for row, name in found.items() if given.count(name) == 1}

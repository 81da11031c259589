"""Who is who: the names under which students are known in `course.toml` and over several weeks.

Marks have the name of a student's notebook. Moodle's zips add a number to it that is another one in
each assignment, so there the name alone is the person, as long as nobody else has the same.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Mapping

from plainformer.classroom.collect import collected
from plainformer.classroom.course import Course
from plainformer.classroom.marks import AssignmentFiles
from plainformer.classroom.rules import NOBODYS, Accommodation

__all__ = ["granted", "people", "unknown_names"]


def people(place: AssignmentFiles, students: Iterable[str]) -> dict[str, str]:
    """The person behind each name that marks have.

    Raises:
        CourseError: the record of what was collected is damaged.
    """
    rows = collected(place)
    shared = Counter(row.name.casefold() for row in rows.values())
    found: dict[str, str] = {}
    for student in students:
        row = rows.get(student)
        alone = row is not None and row.lms == "moodle" and shared[row.name.casefold()] == 1
        found[student] = row.name if row is not None and alone else student
    return found


def granted(course: Course, student: str, person: str) -> Accommodation:
    """What a student is granted, under either name."""
    return course.students.get(student) or course.students.get(person) or NOBODYS


def unknown_names(course: Course, known: Mapping[str, str]) -> list[str]:
    """Names in the settings that nobody has, each with the name that it may be meant for.

    Args:
        course: its settings.
        known: everybody who has handed in something: the names that marks have, and the persons.
    """
    names = {*known, *known.values()}
    asked = [*course.students]
    for assignment in course.assignments.values():
        asked += [name for members in assignment.groups for name in members]
    found: list[str] = []
    for name in dict.fromkeys(asked):
        if name not in names:
            near = difflib.get_close_matches(name, sorted(names), 1)
            found.append(f"{name} (did you mean {near[0]}?)" if near else name)
    return found

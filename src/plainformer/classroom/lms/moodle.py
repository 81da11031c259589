"""Moodle: its zip of submissions, the zip of feedback that it takes, its grading worksheet.

As Moodle 3.1 to 5.0 write and read them (`mod/assign/classes/downloader.php`,
`feedback/file/importziplib.php` and `feedback/offline/importgradeslib.php`, looked up in 2026): a
folder `Name_ID_assignsubmission_file`, before 4.1 with a `_` at its end, for each student; or no
folder, and that before the file's name. Names hold no `_`. ID is not the user's but a number of the
participant, the one of the worksheet's `Participant 123`. A team has its name and number there.

But: neither the folder nor the files say when something was handed in, so the zip knows no delay.
"""

from __future__ import annotations

import re

from plainformer.classroom.lms.naming import Named

__all__ = ["feedback_path", "named"]

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
    # Without folders, what stands after the last _ is the file's own name.
    place = first if inside else f"{first[: len(first) - len(found['rest'] or '')]}_"
    return Named("moodle", found["id"] or "", found["name"], place)


def feedback_path(place: str, file: str) -> str:
    """Where a student's feedback lies in the zip that the teacher uploads.

    >>> feedback_path("Ann Lee_4711_assignsubmission_file_", "feedback.html")
    'Ann Lee_4711_assignsubmission_file_/feedback.html'
    """
    return f"{place}/{file}"

"""Canvas: its zip of submissions, the zip of feedback that it takes, its gradebook.

As Canvas writes and reads them (`lib/content_zipper.rb`, `lib/gradebook_exporter.rb` and
`infer_comment_context_from_filename` of canvas-lms, releases of 2026): files without folders, named
`lastfirst_LATE_user_attachment_name.ipynb`. LATE stands there only for what is late, the name is in
lower case, the two numbers are the user's and the file's. Of an anonymous assignment the user is
`anon_` and a few letters.
"""

from __future__ import annotations

import re

from plainformer.classroom.lms.naming import Named

__all__ = ["feedback_path", "named"]

FILE = re.compile(
    r"(?:(?P<name>[^/]*?)_)?(?:(?P<late>LATE)_)?(?P<id>anon_[^\W_]+|\d{1,19})_(?P<file>\d{1,19})_[^/]+"
)
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

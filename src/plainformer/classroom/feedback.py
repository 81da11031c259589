"""What each student gets back: a page of their marks, and what to look at.

It says what the judge said: how a public case went wrong, how many hidden ones did, and the hint of
the mistake that was recognised. A hidden case, or an expected value of one, is in no mark, and so
in no page.
"""

from __future__ import annotations

import html
import io
import zipfile
from collections.abc import Callable, Mapping, Sequence

from plainformer.classroom.course import Assignment
from plainformer.classroom.judge import Mark

__all__ = ["SAID", "as_html", "as_markdown", "as_zip", "points_of"]

SAID = {
    "ok": "right",
    "wrong": "not right yet",
    "timeout": "took too long",
    "memory": "used too much memory",
    "crashed": "stopped Python",
    "unreadable": "could not be read",
    "violation": "was stopped by the grader",
    "missing": "not handed in",
}
STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
pre { overflow-x: auto; padding: .75rem; border: 1px solid; border-radius: .25rem; }
"""
DAY = (1980, 1, 1, 0, 0, 0)  # of every file in a zip: the same marks make the same bytes


def as_markdown(student: str, assignment: Assignment, marks: Sequence[Mark]) -> str:
    """A student's page, as text."""
    lines = [f"# {assignment.title}", "", f"{student}: {_points(marks)}", ""]
    machine = len(assignment.exercises)  # the marks after these are a person's
    for number, (title, mark) in enumerate(zip(assignment.titles, marks, strict=True)):
        if number >= machine:
            lines += [f"## {title}", "", f"{_points([mark])}.", "", mark.text, ""]
            continue
        lines += [f"## {title}: {SAID[mark.status]}", "", _counted(mark), ""]
        lines += [*(f"- {line}" for line in _by_group(mark)), ""] if mark.groups else []
        lines += [_set_by_hand(mark), ""] if mark.by_hand else []
        if mark.status != "ok":
            lines += [*(f"    {line}" for line in mark.text.splitlines()), ""]
        if mark.hint:
            lines += [f"**A hint.** {mark.hint}", ""]
    return "\n".join(lines)


def as_html(student: str, assignment: Assignment, marks: Sequence[Mark]) -> str:
    """A student's page, for a browser; it needs nothing but itself."""
    say = html.escape
    parts = [
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width">'
        f"<title>{say(assignment.title)}: {say(student)}</title><style>{STYLE}</style></head>"
        f"<body><main><h1>{say(assignment.title)}</h1><p>{say(student)}: {_points(marks)}</p>"
    ]
    machine = len(assignment.exercises)
    for number, (title, mark) in enumerate(zip(assignment.titles, marks, strict=True)):
        if number >= machine:
            parts.append(f"<h2>{say(title)}</h2><p>{_points([mark])}.</p><p>{say(mark.text)}</p>")
            continue
        parts.append(f"<h2>{say(title)}: {SAID[mark.status]}</h2><p>{_counted(mark)}</p>")
        if mark.groups:
            listed = "".join(f"<li>{say(line)}</li>" for line in _by_group(mark))
            parts.append(f"<ul>{listed}</ul>")
        if mark.by_hand:
            parts.append(f"<p>{say(_set_by_hand(mark))}</p>")
        if mark.status != "ok":
            parts.append(f'<pre tabindex="0">{say(mark.text)}</pre>')
        if mark.hint:
            parts.append(f"<p><strong>A hint.</strong> {say(mark.hint)}</p>")
    return "\n".join([*parts, "</main></body></html>\n"])


def as_zip(
    assignment: Assignment,
    marks: Mapping[str, Sequence[Mark]],
    path: Callable[[str, str], str] = "{}/{}".format,
) -> bytes:
    """Every student's pages, in a folder for each, or as `path(student, file)` says."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for student, row in marks.items():
            for name, text in (
                ("feedback.html", as_html(student, assignment, row)),
                ("feedback.md", as_markdown(student, assignment, row)),
            ):
                entry = zipfile.ZipInfo(path(student, name), DAY)
                packed.writestr(entry, text.encode("utf-8", "replace"), zipfile.ZIP_DEFLATED)
    return file.getvalue()


def points_of(marks: Sequence[Mark]) -> tuple[float, float]:
    """How many points a student earned, and out of how many."""
    return sum(mark.points for mark in marks), sum(mark.possible for mark in marks)


def _points(marks: Sequence[Mark]) -> str:
    return "{:g} of {:g} points".format(*points_of(marks))


def _by_group(mark: Mark) -> list[str]:
    """What each kind of input earned."""
    return [
        f"{title}: {right} of {of} cases right, {points:g} points"
        for title, right, of, points in mark.groups
    ]


def _set_by_hand(mark: Mark) -> str:
    return f"Your teacher has set the points of this answer. {mark.comment}".strip()


def _counted(mark: Mark) -> str:
    right = f"{mark.points:g} of {mark.possible:g} points."
    if not mark.public[0] and not mark.hidden[0] and mark.status != "wrong":
        return right
    return (
        f"{right} Public cases right: {mark.public[0]} of {mark.public[1]}; "
        f"hidden: {mark.hidden[0]} of {mark.hidden[1]}."
    )

"""What each student gets back: a page of their marks, and what to look at.

It says what the judge said: how a public case went wrong, how many hidden ones did, and the hint of
the mistake that was recognised. A hidden case, or an expected value of one, is in no mark, and so
in no page. What a person set, and what a rule took off, is said with its reason, next to the answer
as it was handed in.
"""

from __future__ import annotations

import html
import io
import math
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from plainformer.classroom.course import Assignment
from plainformer.classroom.judge import Mark
from plainformer.classroom.shown_code import CODE_STYLE, as_lines, visible

__all__ = ["SAID", "Extra", "as_html", "as_markdown", "as_zip", "points_of", "said_of_taken"]

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
STYLE = f"""
:root {{ color-scheme: light dark; }}
body {{ font: 1rem/1.5 system-ui, sans-serif; color: light-dark(#1f2328, #e6e9ed);
  background: light-dark(#ffffff, #161a20); max-width: 46rem; margin: 2rem auto;
  padding: 0 1rem; overflow-wrap: break-word; }}
pre {{ padding: .75rem; border: 1px solid; border-radius: .25rem; white-space: pre-wrap;
  overflow-wrap: anywhere; }}
summary {{ cursor: pointer; }}
{CODE_STYLE}"""
DAY = (1980, 1, 1, 0, 0, 0)  # of every file in a zip: the same marks make the same bytes


@dataclass(frozen=True)
class Extra:
    """What a student's page has besides marks.

    Attributes:
        notes: what was decided for this student, in sentences.
        answers: as they were handed in, by exercise or question; code, or text.
        text: which of them are text.
        weeks: the other assignments, in sentences.
    """

    notes: Sequence[str] = ()
    answers: Mapping[str, str] = field(default_factory=dict)
    text: frozenset[str] = frozenset()
    weeks: Sequence[str] = ()


NOTHING = Extra()


def as_markdown(
    student: str, assignment: Assignment, marks: Sequence[Mark], extra: Extra = NOTHING
) -> str:
    """A student's page, as text."""
    lines = [f"# {assignment.title}", "", f"{student}: {_points(marks)}", ""]
    for each in extra.notes:
        lines += [each, ""]
    machine = len(assignment.exercises)  # the marks after these are a person's
    for number, (title, mark) in enumerate(zip(assignment.titles, marks, strict=True)):
        judged = number < machine and not mark.waiting
        lines += [f"## {title}: {SAID[mark.status]}" if judged else f"## {title}", ""]
        lines += [_counted(mark) if judged else _given(mark), ""]
        lines += [*(f"- {line}" for line in _by_group(mark)), ""] if mark.groups else []
        lines += [*(f"- {line}" for line in _taken(mark)), ""] if mark.taken else []
        lines += [said, ""] if (said := _set_by_hand(mark)) else []
        if number >= machine:
            lines += [mark.text, ""] if mark.text else []
        elif mark.status != "ok":
            lines += [*(f"    {line}" for line in mark.text.splitlines()), ""]
        if mark.hint:
            lines += [f"**A hint.** {mark.hint}", ""]
        if source := extra.answers.get(mark.exercise):
            kind = "" if mark.exercise in extra.text else "python"
            lines += ["Your answer:", "", *_fenced(source, kind), ""]
    if extra.weeks:
        lines += ["## All weeks so far", "", *(f"- {each}" for each in extra.weeks), ""]
    return "\n".join(lines)


def as_html(
    student: str, assignment: Assignment, marks: Sequence[Mark], extra: Extra = NOTHING
) -> str:
    """A student's page, for a browser; it needs nothing but itself."""
    say = html.escape
    parts = [
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width">'
        f"<title>{say(assignment.title)}: {say(student)}</title><style>{STYLE}</style></head>"
        f"<body><main><h1>{say(assignment.title)}</h1><p>{say(student)}: {_points(marks)}</p>",
        *(f"<p>{say(each)}</p>" for each in extra.notes),
    ]
    machine = len(assignment.exercises)
    for number, (title, mark) in enumerate(zip(assignment.titles, marks, strict=True)):
        judged = number < machine and not mark.waiting
        status = f": {SAID[mark.status]}" if judged else ""
        parts.append(f"<h2>{say(title)}{status}</h2>")
        parts.append(f"<p>{_counted(mark) if judged else _given(mark)}</p>")
        parts += _listed(_by_group(mark)) + _listed(_taken(mark))
        if said := _set_by_hand(mark):
            parts.append(f'<p class="said">{say(said)}</p>')
        if number >= machine:
            parts += [f'<p class="said">{say(mark.text)}</p>'] if mark.text else []
        elif mark.status != "ok" and mark.text:
            parts.append(f'<pre tabindex="0">{say(mark.text)}</pre>')
        if mark.hint:
            parts.append(f"<p><strong>A hint.</strong> {say(mark.hint)}</p>")
        if source := extra.answers.get(mark.exercise):
            shown = as_lines(source, code=mark.exercise not in extra.text)
            parts.append(f"<details open><summary>Your answer</summary>{shown}</details>")
    if extra.weeks:
        parts += ["<h2>All weeks so far</h2>", *_listed(extra.weeks)]
    return "\n".join([*parts, "</main></body></html>\n"])


def as_zip(
    assignment: Assignment,
    marks: Mapping[str, Sequence[Mark]],
    path: Callable[[str, str], str] = "{}/{}".format,
    extra: Callable[[str], Extra] = lambda student: NOTHING,
) -> bytes:
    """Every student's pages, in a folder for each, or as `path(student, file)` says."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for student, row in marks.items():
            more = extra(student)
            for name, text in (
                ("feedback.html", as_html(student, assignment, row, more)),
                ("feedback.md", as_markdown(student, assignment, row, more)),
            ):
                entry = zipfile.ZipInfo(path(student, name), DAY)
                packed.writestr(entry, text.encode("utf-8", "replace"), zipfile.ZIP_DEFLATED)
    return file.getvalue()


def points_of(marks: Sequence[Mark]) -> tuple[float, float]:
    """How many points a student earned, and out of how many, of what is marked.

    >>> points_of([Mark("a", "ok", 0.1, 1), Mark("b", "ok", 0.2, 1, waiting=True)])
    (0.1, 1.0)
    """
    marked = [mark for mark in marks if not mark.waiting]
    return (
        round(math.fsum(mark.points for mark in marked), 4),
        round(math.fsum(mark.possible for mark in marked), 4),
    )


def said_of_taken(marks: Sequence[Mark]) -> str:
    """What rules took off, in a line; reasons that several answers share are there once.

    >>> said_of_taken([Mark("a", "ok", 0, 1, taken=(("late", 0.5),))] * 2)
    '1 off: late'
    """
    sums: dict[str, float] = {}
    for mark in marks:
        for why, points in mark.taken:
            sums[why] = sums.get(why, 0) + points
    return "; ".join(f"{points:.4g} off: {why}" for why, points in sums.items() if points)


def _points(marks: Sequence[Mark]) -> str:
    said = "{:g} of {:g} points".format(*points_of(marks))
    if waiting := [mark.possible for mark in marks if mark.waiting]:
        said += f" so far; answers for {math.fsum(waiting):g} more are not marked yet"
    return said


def _given(mark: Mark) -> str:
    """What a person gave, or that nobody has."""
    return "Not marked yet." if mark.waiting else f"{_points([mark])}."


def _by_group(mark: Mark) -> list[str]:
    """What each kind of input earned."""
    return [
        f"{title}: {right} of {of} cases right, {points:g} points"
        for title, right, of, points in mark.groups
    ]


def _taken(mark: Mark) -> list[str]:
    """What was taken off, and why."""
    return [f"{points:g} points off: {why}" for why, points in mark.taken]


def _set_by_hand(mark: Mark) -> str:
    if mark.by_hand:
        return f"Your teacher has set the points of this answer. {mark.comment}".strip()
    return f"Your teacher says: {mark.comment}" if mark.comment else ""


def _counted(mark: Mark) -> str:
    right = f"{mark.points:g} of {mark.possible:g} points."
    if not mark.public[0] and not mark.hidden[0] and mark.status != "wrong":
        return right
    return (
        f"{right} Public cases right: {mark.public[0]} of {mark.public[1]}; "
        f"hidden: {mark.hidden[0]} of {mark.hidden[1]}."
    )


def _listed(lines: Sequence[str]) -> list[str]:
    items = "".join(f"<li>{html.escape(line)}</li>" for line in lines)
    return [f"<ul>{items}</ul>"] if items else []


def _fenced(source: str, kind: str) -> list[str]:
    """A block of code that nothing in it can end."""
    longest = max((len(run) for run in re.findall(r"`+", source)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{kind}", *visible(source).split("\n"), fence]

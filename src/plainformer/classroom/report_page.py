"""The page of an assignment for its teacher: opened from the disk, it needs nothing but itself.

Names, hints and the judge's messages are text and stay text. Every picture comes with its numbers.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence

from plainformer.classroom.course import Assignment, Course
from plainformer.classroom.feedback import SAID, points_of
from plainformer.classroom.judge import Mark
from plainformer.classroom.record import Collected
from plainformer.classroom.report import KINDS, PARTS, STEPS, Overview, overview

__all__ = ["as_report"]

NO_NOTES: Mapping[str, Sequence[str]] = {}
NUMBER = ' class="n"'
# Colours are those of the book's pages.
STYLE = """
:root { color-scheme: light dark;
  --ink: light-dark(#1f2328, #e6e9ed); --muted: light-dark(#57606a, #a6afb9);
  --line: light-dark(#d5dae0, #3a424c); --surface: light-dark(#ffffff, #161a20);
  --raised: light-dark(#f6f7f9, #1f252d); --accent: light-dark(#0a5ca8, #6cb4f5);
  --k0: light-dark(#1a7f5a, #3fcfa6); --k1: light-dark(#b35900, #f59a60);
  --k2: light-dark(#8250a8, #c9a0e0); --k3: light-dark(#818a94, #76818d); }
* { box-sizing: border-box; }
body { font: 1rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--surface);
  max-width: 60rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: break-word; }
h1, h2 { line-height: 1.25; font-weight: 650; }
h2 { margin-top: 2.5rem; font-size: 1.4rem; }
.numbers { color: var(--muted); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
table.prose { min-width: 34rem; } /* on a phone it scrolls; columns of single words say nothing */
caption { text-align: left; color: var(--muted); padding-bottom: .5rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0;
  border-bottom: 1px solid var(--line); }
thead th { white-space: nowrap; } tbody th { font-weight: normal; min-width: 9rem; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
.bar { display: flex; gap: 1px; width: 100%; min-width: 8rem; height: 1rem; margin-top: .25rem; }
.bar i, .key i { print-color-adjust: exact; }
.key { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; padding: 0; }
.key i { display: inline-block; width: .8rem; height: .8rem; margin-right: .4rem; }
.k0 { background: var(--k0); } .k1 { background: var(--k1); }
.k2 { background: var(--k2); } .k3 { background: var(--k3); }
.one { background: var(--accent); }
.columns { display: flex; align-items: flex-end; gap: 2px; height: 9rem; }
.columns span { flex: 1; display: flex; flex-direction: column; justify-content: flex-end;
  height: 100%; text-align: center; font-size: .8rem; }
.columns i { border-bottom: 1px solid var(--line); print-color-adjust: exact; }
details { margin: .25rem 0; } summary { cursor: pointer; color: var(--accent); }
.note { border-left: 3px solid var(--k1); background: var(--raised); padding: .5rem .75rem; }
"""


def as_report(
    course: Course,
    assignment: Assignment,
    marks: Mapping[str, Sequence[Mark]],
    collected: Mapping[str, Collected],
    *,
    sandboxed: bool = True,
    waiting: int = 0,
    notes: Mapping[str, Sequence[str]] = NO_NOTES,
) -> str:
    """The page, as HTML.

    Args:
        course, assignment: what it is about.
        marks: everybody's, in the order of the assignment; at least one student's. Those of
            questions are among them if all have points, and none if some have not.
        collected: what was found of each hand-in.
        sandboxed: whether the marks were made in a sandbox.
        waiting: how many answers to questions have no points yet.
        notes: what was decided for single students, as they read it.
    """
    found = overview(assignment, marks)
    asked = [each.id for each in assignment.exercises] + [each.id for each in assignment.questions]
    titles = dict(zip(asked, assignment.titles, strict=True))
    parts = [
        *_head(course, assignment, found, len(marks)),
        *([] if sandboxed else ['<p class="note">Marked without a sandbox.</p>']),
        *([_waiting(waiting, assignment)] if waiting else []),
        *_distribution(found, len(marks)),
        *_exercises(found, titles),
        *_by_hand(found, titles, marks, waiting),
        *_taken(marks, titles),
        *_decided(notes),
        *_mistakes(found, titles),
        *_weak(found, marks, titles),
        *_stopped(found, titles),
        *_handed_in(collected),
        "</main></body></html>",
    ]
    return "\n".join(parts) + "\n"


def _say(text: str) -> str:
    return html.escape(text)


def _head(course: Course, assignment: Assignment, found: Overview, students: int) -> Iterator[str]:
    title = _say(assignment.title)
    yield (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>Report: {title}</title><style>{STYLE}</style></head><body><main>"
        f'<h1>{title}</h1><p class="numbers">{_say(course.name)}. '
        f"{_number(students, 'student')}, {found.possible:g} points. "
        f"Mean {found.mean:.1f}, median {found.median:g}; "
        f"{_number(found.distribution[-1], 'student')} with full marks.</p>"
    )


def _waiting(n: int, assignment: Assignment) -> str:
    have = "has" if n == 1 else "have"
    return (
        f'<p class="note">{_number(n, "answer")} to questions {have} no points yet: '
        f"<code>plainformer-class questions {_say(assignment.name)}</code>. Until all have, the "
        "points on this page are those of exercises alone.</p>"
    )


def _number(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _distribution(found: Overview, students: int) -> Iterator[str]:
    steps = [f"{100 * i // STEPS}–{100 * (i + 1) // STEPS} %" for i in range(STEPS)]
    most = max(found.distribution)
    yield "<h2>Marks</h2>"
    yield '<div class="columns" aria-hidden="true">'
    for label, n in zip(
        [*(step.split("–")[0] for step in steps), "100"], found.distribution, strict=True
    ):
        yield (
            f"<span>{n or ''}<i class='one' style='height: {75 * n / most:.1f}%'></i>{label}</span>"
        )
    yield (
        '</div><p class="numbers" aria-hidden="true">Students by percent of the points, from 0, '
        "from 10 and so on; 100 is all of them.</p>"
    )
    rows = zip([*steps, "all points"], found.distribution, strict=True)
    yield "<details><summary>The numbers</summary>"
    yield from _table(
        f"How many of {students} have how much of the points",
        ["Part of the points", "Students"],
        [[label, n] for label, n in rows],
    )
    yield "</details>"


def _exercises(found: Overview, titles: Mapping[str, str]) -> Iterator[str]:
    yield '<h2>Exercises</h2><ul class="key">'
    for i, kind in enumerate(KINDS):
        yield f'<li><i class="k{i}"></i>{kind}</li>'
    yield "</ul>"
    rows: list[list[str | float]] = []
    for exercise, counts in found.kinds.items():
        bar = "".join(
            f'<i class="k{i}" style="flex: {n}"></i>' for i, n in enumerate(counts.values()) if n
        )
        name = f"{_say(titles[exercise])}<span class='bar' aria-hidden='true'>{bar}</span>"
        rows.append([name, *counts.values()])
    yield from _table("How many answers are what", ["Exercise", *map(str.capitalize, KINDS)], rows)


def _by_hand(
    found: Overview,
    titles: Mapping[str, str],
    marks: Mapping[str, Sequence[Mark]],
    waiting: int,
) -> Iterator[str]:
    """What a person has marked."""
    if waiting or not found.by_hand:
        return
    yield '<h2>Questions</h2><ul class="key">'
    for i, part in zip((0, 1, 3), PARTS, strict=True):
        yield f'<li><i class="k{i}"></i>{part}</li>'
    yield "</ul>"
    rows: list[list[str | float]] = []
    for question, counts in found.by_hand.items():
        bar = "".join(
            f'<i class="k{i}" style="flex: {n}"></i>'
            for i, n in zip((0, 1, 3), counts.values(), strict=True)
            if n
        )
        name = f"{_say(titles[question])}<span class='bar' aria-hidden='true'>{bar}</span>"
        earned = [
            mark.points for row in marks.values() for mark in row if mark.exercise == question
        ]
        rows.append([name, *counts.values(), round(sum(earned) / len(earned), 2)])
    yield from _table(
        "How many answers a person gave which part of the points",
        ["Question", *map(str.capitalize, PARTS), "Mean"],
        rows,
    )


def _taken(marks: Mapping[str, Sequence[Mark]], titles: Mapping[str, str]) -> Iterator[str]:
    """What rules took off; one row for a reason that several answers of a student share."""
    sums: dict[tuple[str, str], list[tuple[str, float]]] = {}
    for student, row in marks.items():
        for mark in row:
            for why, points in mark.taken:
                sums.setdefault((student, why), []).append((titles[mark.exercise], points))
    if not sums:
        return
    rows: list[list[str | float]] = [
        [
            _say(student),
            _say(why),
            _say(", ".join(title for title, _ in parts)),
            round(sum(points for _, points in parts), 2),
        ]
        for (student, why), parts in sums.items()
    ]
    yield "<h2>What was taken off</h2>"
    yield from _table(
        "Deductions and lateness, which are already part of the marks above",
        ["Student", "Why", "Where", "Points"],
        rows,
    )


def _decided(notes: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Deadlines of their own, exemptions, groups: as the students read it."""
    rows: list[list[str | float]] = [
        [_say(student), _say(" ".join(said))] for student, said in notes.items() if said
    ]
    if rows:
        yield "<h2>What holds for single students</h2>"
        yield from _table("As they read it in their feedback", ["Student", "What was said"], rows)


def _mistakes(found: Overview, titles: Mapping[str, str]) -> Iterator[str]:
    yield "<h2>Mistakes</h2>"
    if not found.mistakes:
        yield "<p>No answer is wrong.</p>"
        return
    rows: list[list[str | float]] = []
    most = max(len(each.students) for each in found.mistakes)
    for each in found.mistakes:
        part = 100 * len(each.students) / most
        bar = f"<span class='bar' aria-hidden='true'><i class='k1' style='width: {part:.0f}%'></i>"
        said = _say(each.hint) or "<em>No known mistake.</em>"
        who = _say(", ".join(each.students))
        names = f"<details><summary>Who</summary>{who}</details>"
        rows.append([f"{said}{bar}</span>{names}", _say(titles[each.exercise]), len(each.students)])
    yield from _table(
        "Wrong answers by the known mistake that they make, with the hint that was given",
        ["Mistake", "Exercise", "Students"],
        rows,
    )


def _weak(
    found: Overview, marks: Mapping[str, Sequence[Mark]], titles: Mapping[str, str]
) -> Iterator[str]:
    yield "<h2>Who needs help</h2>"
    if not found.weak:
        yield "<p>Everybody has half of the points or more.</p>"
        return
    rows: list[list[str | float]] = []
    for student in found.weak:
        lost = (
            f"{titles[mark.exercise]} ({_why(mark)})"
            for mark in marks[student]
            if mark.points < mark.possible
        )
        rows.append([_say(student), _say("; ".join(lost)), points_of(marks[student])[0]])
    yield from _table(
        f"Less than half of the points: {_number(len(rows), 'student')}",
        ["Student", "What is missing", "Points"],
        rows,
    )


def _why(mark: Mark) -> str:
    """Why not all points were earned: a person may give a part of them."""
    return SAID[mark.status] if mark.status != "ok" else f"{mark.points:g} of {mark.possible:g}"


def _stopped(found: Overview, titles: Mapping[str, str]) -> Iterator[str]:
    yield "<h2>Time-outs and crashes</h2>"
    if not found.stopped:
        yield "<p>There were none.</p>"
        return
    rows: list[list[str | float]] = [
        [_say(student), _say(titles[mark.exercise]), SAID[mark.status], _say(mark.text[:300])]
        for student, mark in found.stopped
    ]
    yield from _table(
        "Answers that had to be stopped", ["Student", "Exercise", "Status", "What was said"], rows
    )


def _handed_in(collected: Mapping[str, Collected]) -> Iterator[str]:
    rows: list[list[str | float]] = [
        [_say(name), row.status, _say(row.said)] for name, row in collected.items() if row.said
    ]
    if rows:
        yield "<h2>How it was handed in</h2>"
        yield from _table("What was found", ["Student", "Status", "What was said"], rows)


def _table(
    caption: str, heads: Sequence[str], rows: Sequence[Sequence[str | float]]
) -> Iterator[str]:
    """A table with at least one row; texts are already HTML, and numbers are aligned to the
    right."""
    label = _say(caption)
    prose = ' class="prose"' if len(heads) > 2 else ""
    yield f'<div class="wide" tabindex="0" role="region" aria-label="{label}"><table{prose}>'
    yield f"<caption>{label}</caption><thead><tr>"
    numbers = [not isinstance(cell, str) for cell in rows[0]]
    for head, number in zip(heads, numbers, strict=True):
        yield f'<th scope="col"{NUMBER if number else ""}>{_say(head)}</th>'
    yield "</tr></thead><tbody>"
    for first, *rest in rows:
        cells = "".join(
            f"<td>{cell}</td>" if isinstance(cell, str) else f"<td{NUMBER}>{cell:g}</td>"
            for cell in rest
        )
        yield f'<tr><th scope="row">{first}</th>{cells}</tr>'
    yield "</tbody></table></div>"

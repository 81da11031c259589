"""The page on which a teacher sees which answers are alike, side by side, and what may explain it.

It is opened from the disk and needs nothing but itself. Students' code is text, and stays text.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence

from plainformer.classroom.borrowed import Borrowed
from plainformer.classroom.course import Assignment, Course
from plainformer.classroom.report_page import STYLE
from plainformer.classroom.similar import Alike, Pair

__all__ = ["REASON", "as_page"]

REASON = (
    "What is listed here is a reason to talk with the students, and never a verdict. They may have "
    "learned together, which you may have allowed, or followed the same lecture, page or "
    "assistant, and a comparison cannot tell who wrote an answer first. Ask each of them to "
    "explain their code, and let that decide. Nothing on this page changes a mark, and students "
    "do not see it."
)
HOW = (
    "Names, comments, imports and formatting are left out of the comparison, and so is what the "
    "template or one of your own right answers contains. What more than a fifth of the class wrote "
    "counts as usual. Answers of which too little is left cannot be compared."
)
MORE = """
.sides { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
@media (max-width: 50rem) { .sides { grid-template-columns: 1fr; } }
.sides > div { min-width: 0; }
pre { overflow-x: auto; border: 1px solid var(--line); padding: .5rem; font-size: .85rem;
  line-height: 1.45; margin: .25rem 0; }
pre mark { background: var(--raised); color: var(--ink); font-weight: 650; }
h3 { margin-bottom: .25rem; } h4 { margin: .25rem 0; font-weight: 600; }
"""


def as_page(
    course: Course,
    assignment: Assignment,
    pairs: Sequence[Pair],
    answers: Mapping[str, Mapping[str, str]],
    libraries: Mapping[tuple[str, str], Sequence[Borrowed]],
) -> str:
    """The page, as HTML.

    Args:
        course, assignment: what it is about.
        pairs: of students whose answers are alike.
        answers: source texts by exercise and student.
        libraries: by student and exercise, the names of libraries that the answer uses.
    """
    titles = {each.id: each.title for each in assignment.exercises}
    title = html.escape(assignment.title)
    students = {student for given in answers.values() for student in given}
    parts = [
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>To talk about: {title}</title><style>{STYLE}{MORE}</style></head><body><main>"
        f"<h1>To talk about: {title}</h1>"
        f'<p class="numbers">{html.escape(course.name)}. Answers of {len(students)} students.</p>'
        f'<p class="note">{REASON}</p><p>{HOW}</p>',
        "<h2>Answers that are alike</h2>",
        *_pairs(pairs, answers, titles),
        "<h2>Answers that call a library</h2>",
        *_libraries(libraries, titles),
        "</main></body></html>",
    ]
    return "\n".join(parts) + "\n"


def _pairs(
    pairs: Sequence[Pair], answers: Mapping[str, Mapping[str, str]], titles: Mapping[str, str]
) -> Iterator[str]:
    if not pairs:
        yield "<p>No two answers are more alike than those of the rest of the class.</p>"
        return
    yield (
        "<p>The most unusual come first. Lines that both have are in bold and begin with a bar.</p>"
    )
    for pair in pairs:
        one, other = map(html.escape, pair.students)
        yield f"<h3>{one} and {other}</h3>"
        for each in pair.found:
            share = f"{100 * each.share:.0f} % of what is unusual in the shorter answer"
            yield (
                f"<details><summary>{html.escape(titles[each.exercise])}: in both, {share}"
                '</summary><div class="sides">'
            )
            yield from _sides(pair, each, answers[each.exercise])
            yield "</div></details>"


def _sides(pair: Pair, each: Alike, answers: Mapping[str, str]) -> Iterator[str]:
    for student, lines in zip(pair.students, each.lines, strict=True):
        name = html.escape(student)
        code = "\n".join(
            f"<mark>┃ {html.escape(line)}</mark>" if number in lines else f"  {html.escape(line)}"
            for number, line in enumerate(answers[student].splitlines(), 1)
        )
        label = f'role="region" aria-label="The answer of {name}"'
        yield f'<div><h4>{name}</h4><pre tabindex="0" {label}>{code}</pre></div>'


def _libraries(
    libraries: Mapping[tuple[str, str], Sequence[Borrowed]], titles: Mapping[str, str]
) -> Iterator[str]:
    if not libraries:
        yield "<p>No answer calls a library that your own answers do without.</p>"
        return
    yield (
        "<p>These answers call something that could have done the task for them, and that your own "
        "answers do without. Some such calls are harmless, and one that is hidden is not found. To "
        "rule them out, let the exercise say "
        "<code>forbids=(&quot;plainformer&quot;, &quot;torch&quot;)</code>.</p><ul>"
    )
    for (student, exercise), found in libraries.items():
        names = ", ".join(
            f"<code>{html.escape(each.name)}</code> in line {each.line}" for each in found
        )
        yield f"<li>{html.escape(student)}, {html.escape(titles[exercise])}: {names}</li>"
    yield "</ul>"

"""The pages as HTML. Whatever a student wrote is text, and is escaped here or in `shown_code`."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterator, Sequence

from plainformer.classroom.answers import Answer
from plainformer.classroom.feedback import SAID
from plainformer.classroom.judge import Mark
from plainformer.classroom.look.desk import Asked, Card, Desk
from plainformer.classroom.shown_code import as_lines, visible

__all__ = ["AT_ONCE", "index", "question", "said_of"]

AT_ONCE = 50  # students on a page


def index(desk: Desk) -> str:
    """The page with all questions."""
    title = desk.place.assignment.title
    n = len(desk.judged)
    rows = []
    for number, asked in enumerate(desk.asked):
        left = len(desk.waiting(number))
        state = f"{left} of {n} to mark" if left else "all have points"
        rows.append(
            f'<li><a href="{number + 1}">{_say(asked.title)}</a> '
            f'<span class="muted">{asked.points:g} points, '
            f"{'marked by the judge' if asked.judged else 'for a person'}; {state}</span></li>"
        )
    body = (
        f"<h1>{_say(title)}</h1><p>{n} {'student' if n == 1 else 'students'}. What you set on "
        "these pages is kept at once. It replaces what the judge gave and stays when the work is "
        "marked again. What lateness takes off is worked out afterwards.</p>"
        f'<ol class="asked">{"".join(rows)}</ol>'
    )
    return _page(desk, title, body, -1)


def question(desk: Desk, number: int, page: int = 0) -> str:
    """The page with the students' answers to one question.

    Args:
        desk: of the assignment.
        number: of the question, from 0.
        page: of the students, from 0.
    """
    asked = desk.asked[number]
    cards = desk.cards(number, page * AT_ONCE, AT_ONCE)
    waiting = len(desk.waiting(number))
    keys = (
        "What you set is kept when you leave a field. <kbd>Enter</kbd> in <em>Points</em> goes on "
        "to the next student, as <kbd>Ctrl</kbd>+<kbd>Enter</kbd> does anywhere."
    )
    parts = [
        f"<h1>{_say(asked.title)}</h1>",
        f'<p class="muted">{asked.points:g} points. <span id="left" data-left="{waiting}">'
        f"{_left(waiting)}</span> {keys}</p>",
        f"<details><summary>The task</summary>{as_lines(asked.task, code=asked.judged)}</details>",
        *(_card(asked, card, page * AT_ONCE + i) for i, card in enumerate(cards)),
        *_pages(desk, number, page),
    ]
    return _page(desk, asked.title, "\n".join(parts), number)


def said_of(mark: Mark, asked: Asked) -> str:
    """An answer's points in a line, with where they come from.

    >>> asked = Asked("a", "A", "", 4, {"slow": 0.5}, True, "")
    >>> said_of(Mark("a", "ok", 3.5, 4, by_hand=True, taken=(("slow", 0.5),)), asked)
    '3.5 of 4 points: 4 by hand, 0.5 off'
    """
    if mark.waiting:
        return "No points yet"
    lost = sum(points for _, points in mark.taken)
    said = f"{mark.points:g} of {asked.points:g} points"
    whose = "by the judge" if asked.judged and not mark.by_hand else "by hand"
    off = f", {lost:g} off" if mark.taken else ""
    return f"{said}: {mark.points + lost:g} {whose}{off}"


def _page(desk: Desk, title: str, body: str, number: int) -> str:
    links = [("./", "All", number < 0)]
    links += [(str(i + 1), each.title, i == number) for i, each in enumerate(desk.asked)]
    nav = "".join(
        f'<a href="{address}"{" aria-current=page" * here}>{_say(text)}</a>'
        for address, text, here in links
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{_say(title)}: every answer</title>"
        '<link rel="stylesheet" href="look.css"><script src="look.js" defer></script></head>'
        f'<body data-question="{number}"><a class="skip" href="#main">To the answers</a>'
        f'<nav aria-label="Questions">{nav}</nav>'
        f'<main id="main" tabindex="-1">{body}</main></body></html>\n'
    )


def _card(asked: Asked, card: Card, i: int) -> str:
    return (
        f'<article aria-labelledby="who-{i}"><h2 id="who-{i}">{_say(card.student)}</h2>'
        f'<div class="two"><div class="work">{"".join(_work(card))}</div>'
        f"{_form(asked, card, i)}</div></article>"
    )


def _work(card: Card) -> Iterator[str]:
    answer = card.answer
    if answer.problem:
        yield f'<p class="muted">{_say(answer.problem)}</p>'
    elif card.untouched:
        yield '<p class="muted">Unchanged from what was handed out.</p>'
    else:
        yield as_lines(answer.source.rstrip(), code=answer.code)
    if card.own:
        yield (
            "<details><summary>More than imports, in the cell before it</summary>"
            f"{as_lines(card.own)}</details>"
        )
    if answer.outputs:
        yield '<p class="muted">What its cell showed, as the student\'s file has it:</p>'
        yield from _outputs(answer)


def _outputs(answer: Answer) -> Iterator[str]:
    for number, each in enumerate(answer.outputs, 1):
        if each.picture:
            data = base64.b64encode(each.picture).decode("ascii")
            yield f'<img alt="Output {number}, a picture" src="data:image/png;base64,{data}">'
        elif not each.shown:
            yield f'<p class="muted">{_say(each.text)}</p>'
        elif each.text.strip():
            yield as_lines(each.text.rstrip(), code=False)


def _form(asked: Asked, card: Card, i: int) -> str:
    given = card.given
    points = "" if given.points is None else f"{given.points:.10g}"
    before = "" if card.before.waiting else f"{card.before.points:g}"
    rubric = "".join(
        f'<label class="tick"><input type="checkbox" name="rubric" value="{_say(name)}"'
        f"{' checked' * (name in given.rubric)}><span>{_say(name)} "
        f'<span class="muted">({off:g} off)</span></span></label>'
        for name, off in asked.rubric.items()
    )
    if rubric:
        rubric = f"<fieldset><legend>Deductions</legend>{rubric}</fieldset>"
    state = "waiting" if card.mark.waiting else ""
    return (
        f'<form data-student="{_say(card.student)}" aria-labelledby="who-{i}" autocomplete="off" '
        f'class="{state}">{_judged(asked, card.before)}'
        f'<label for="points-{i}">Points, of {asked.points:g}</label>'
        f'<input id="points-{i}" name="points" inputmode="decimal" maxlength="12" '
        f'value="{points}" placeholder="{before}">{rubric}'
        f'<label for="comment-{i}">Comment for the student</label>'
        f'<textarea id="comment-{i}" name="comment" rows="2" maxlength="10000">'
        f"\n{_say(given.comment)}</textarea>"
        f'<p role="status">{_say(said_of(card.mark, asked))}</p></form>'
    )


def _judged(asked: Asked, mark: Mark) -> str:
    """What the judge says of an answer, which is what the student reads, too."""
    if not asked.judged:
        said = f"In the table: {mark.text}" if mark.text else ""
        return f'<p class="muted">{_say(said)}</p>' if said else ""
    if mark.waiting:
        return '<p class="muted">The judge has not marked it yet.</p>'
    counts = f"{mark.points:g} of {mark.possible:g} points by the judge; {SAID[mark.status]}"
    lines = [
        f"{title}: {right} of {of}, {points:g} points" for title, right, of, points in mark.groups
    ]
    if not lines and mark.public[1]:
        lines = [
            f"public cases: {mark.public[0]} of {mark.public[1]}; "
            f"hidden: {mark.hidden[0]} of {mark.hidden[1]}"
        ]
    text = "\n".join([*lines, mark.text, *([f"Hint: {mark.hint}"] if mark.hint else [])]).strip()
    return (
        f"<details><summary>{_say(counts)}</summary>"
        f'<pre class="answer">\n{_say(visible(text))}</pre></details>'
    )


def _pages(desk: Desk, number: int, page: int) -> Sequence[str]:
    many = -(-len(desk.judged) // AT_ONCE)
    if many < 2:
        return []
    links = "".join(
        f'<a href="{number + 1}?page={i + 1}"{" aria-current=page" * (i == page)}>{i + 1}</a>'
        for i in range(many)
    )
    return [f'<nav aria-label="Students">Students, {AT_ONCE} on a page: {links}</nav>']


def _left(n: int) -> str:
    return f"{n} to mark." if n else "All have points."


def _say(text: str) -> str:
    return html.escape(text)

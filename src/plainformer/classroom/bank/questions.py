"""What each practice task asks, in a form that every format can be written from.

A task becomes one question or two. *What comes out?* stays one, *find the bug* becomes two, because
the choice of mends would tell which line is wrong, and *order the lines* is either put in order or,
where a format knows no such question, asked as “which line does not belong?”.

On the page, a wrong order is answered with the first pair of lines that it breaks. None of the
formats can find such a pair, so here all wrong orders get the same reply.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from plainformer.exercises.practice import FindTheBug, OrderTheLines, Task, WhatComesOut

__all__ = [
    "MOST_ORDERS", "Arrange", "Block", "Choose", "LeftOut", "Option", "Question", "TypeIn",
    "about_blocks", "arrange", "odd_one_out", "right_orders", "what_goes_wrong", "what_is_returned",
]  # fmt: skip

MOST_ORDERS = 24
"""How many right orders of the lines a question lists, at most."""

LINE = re.compile(r"([\w`]+(, [\w`]+)*: |Returns\b)")  # that begins a line of its own


class LeftOut(ValueError):
    """A task that a format cannot ask; the message says why."""


@dataclass(frozen=True)
class Block:
    """A paragraph, in which `code` and *emphasis* are marked, or lines of code as they are."""

    text: str
    code: bool = False


@dataclass(frozen=True)
class Option:
    """Some code that can be chosen, and what is said to a student who chooses it.

    `label` is said before the code: the number of the line.
    """

    code: str
    reply: str
    right: bool
    label: str = ""


@dataclass(frozen=True)
class Question:
    """What all questions have in common.

    Args:
        name: the task's id and, if the task became two questions, which of them this is.
        title: the exercise's title and the kind of the task.
        stem: what is shown above the place for the answer.
    """

    name: str
    title: str
    stem: tuple[Block, ...]


@dataclass(frozen=True)
class Choose(Question):
    """One of the options is right."""

    options: tuple[Option, ...]


@dataclass(frozen=True)
class TypeIn(Question):
    """A result to type.

    Args:
        answer: the result as JSON's numbers, texts and lists.
        reply: what is said to a student who types it.
        shown: the result as Python shows it.
        wrong: results that come of known mistakes, each with what is said to it.
    """

    answer: Any
    reply: str
    shown: str
    wrong: tuple[tuple[Any, str], ...]


@dataclass(frozen=True)
class Arrange(Question):
    """Pieces of a function to put in order; the last of `pieces` does not belong.

    Args:
        shuffled: the order in which the pieces are shown, as indices into `pieces`.
        orders: all right orders, as indices into `pieces`.
        extra: what is said to a student who uses the piece that does not belong.
    """

    pieces: tuple[str, ...]
    shuffled: tuple[int, ...]
    orders: tuple[tuple[int, ...], ...]
    extra: str


def what_is_returned(task: WhatComesOut) -> TypeIn:
    """The question that a task of the kind *what comes out?* asks.

    >>> from plainformer.exercises import exercise
    >>> from plainformer.exercises.practice import what_comes_out
    >>> question = what_is_returned(what_comes_out(exercise("attention.masking.2")))
    >>> question.stem[-2].text, question.answer, len(question.wrong)
    ('causal_mask_after(1, 2)', [[True, True, True]], 7)
    """
    how = ["What does this call return?"]
    if isinstance(task.answer, list):
        how.append("Write arrays and tuples as lists in square brackets, such as `[[0.5, 1], 2]`.")
    if isinstance(task.answer, str):
        how.append("Write the text without quotation marks.")
    if re.search(r"\d\.\d*[1-9]", task.shown):
        how.append("Round to two decimals.")
    stem = (*_about(task), Block(_wrapped(task.call), code=True), Block(" ".join(how)))
    right = f"The call returns `{task.shown}`."
    return TypeIn(
        task.id, f"{task.title}: what comes out?", stem, task.answer, right, task.shown, task.wrong
    )


def what_goes_wrong(task: FindTheBug) -> tuple[Choose, Choose]:
    """The two questions of a task of the kind *find the bug*: which line, and how to mend it.

    >>> from plainformer.exercises import exercise
    >>> from plainformer.exercises.practice import find_the_bug
    >>> line, mend = what_goes_wrong(find_the_bug(exercise("attention.masking.2"))[0])
    >>> [(each.label, each.code) for each in line.options if each.right]
    [('Line 3', 'return keys < queries')]
    >>> [each.code for each in mend.options if each.right]
    ['return keys <= queries']
    """
    numbered = [f"{i:2}  {choice.text}" for i, choice in enumerate(task.lines, start=1)]
    function = Block("\n".join([task.head, *numbered]), code=True)
    end = "raises" if task.raised else "returns"
    shown = (
        *_about(task),
        function,
        Block("This call goes wrong:"),
        Block(_wrapped(task.call), code=True),
    )
    wrong = f"It {end} `{task.got}`, but it should return `{task.expected}`."
    lines = [
        Option(each.text.strip(), each.reply, each.right, f"Line {i}")
        for i, each in enumerate(task.lines, start=1)
    ]
    (bug,) = [each for each in lines if each.right]
    mends = tuple(Option(each.text, each.reply, each.right) for each in task.mends)
    which = Block(f"{wrong} Which line is wrong?")
    how = Block(f"{wrong} {bug.label} is wrong. Which line should replace it?")
    title = f"{task.title}: find the bug"
    return (
        Choose(f"{task.id}/line", title, (*shown, which), tuple(lines)),
        Choose(f"{task.id}/mend", f"{title}, and mend it", (*shown, how), mends),
    )


def arrange(task: OrderTheLines) -> Arrange:
    """The question that a task of the kind *order the lines* asks.

    Raises:
        LeftOut: more than MOST_ORDERS orders of the lines are right.

    >>> from plainformer.exercises import exercise
    >>> from plainformer.exercises.practice import order_the_lines
    >>> question = arrange(order_the_lines(exercise("attention.masking.2")))
    >>> question.orders, question.pieces[2]
    (((0, 1, 2), (1, 0, 2)), 'return keys <= queries')
    """
    orders = right_orders(task, MOST_ORDERS + 1)
    if len(orders) > MOST_ORDERS:
        raise LeftOut(f"more than {MOST_ORDERS} orders of its lines are right")
    stem = (
        *_about(task),
        Block(task.head, code=True),
        Block("Put the lines of this function in order. One line does not belong at all."),
    )
    return Arrange(
        task.id, f"{task.title}: order the lines", stem, task.pieces, task.shuffled, tuple(orders),
        f"The line that does not belong is among yours. {_hint(task)}",
    )  # fmt: skip


def odd_one_out(task: OrderTheLines) -> Choose:
    """The same task for a format that has no such question: which line does not belong?

    The lines are shown in the task's shuffled order, so that their order tells nothing.

    >>> from plainformer.exercises import exercise
    >>> from plainformer.exercises.practice import order_the_lines
    >>> question = odd_one_out(order_the_lines(exercise("attention.masking.2")))
    >>> [each.code for each in question.options if each.right]
    ['return keys < queries']
    """
    extra = len(task.pieces) - 1
    belongs = "This line belongs to the function."
    options = [
        Option(task.pieces[i], _hint(task) if i == extra else belongs, i == extra)
        for i in task.shuffled
    ]
    ask = (
        "These are the lines of this function, out of order, and one more that does not belong: "
        "with it, the function would do something else. Which one is it?"
    )
    stem = (*_about(task), Block(task.head, code=True), Block(ask))
    return Choose(task.id, f"{task.title}: which line does not belong?", stem, tuple(options))


def _hint(task: OrderTheLines) -> str:
    return f"To an answer with this line, the exercise says: “{task.extra}”"


def right_orders(task: OrderTheLines, most: int) -> list[tuple[int, ...]]:
    """Up to `most` orders of the pieces that belong, in which every pair is obeyed."""
    count = len(task.pieces) - 1
    before = [{pair.first for pair in task.pairs if pair.then == i} for i in range(count)]
    found: list[tuple[int, ...]] = []

    def extend(order: tuple[int, ...]) -> None:
        if len(order) == count:
            found.append(order)
        for i in range(count):
            if len(found) < most and i not in order and before[i] <= {*order}:
                extend((*order, i))

    extend(())
    return found


def _about(task: Task) -> tuple[Block, ...]:
    return about_blocks(task.about)


def about_blocks(text: str) -> tuple[Block, ...]:
    """What a function is for: paragraphs, a line for each argument, indented code."""
    found = []
    for paragraph in re.split(r"\n\s*\n", text):
        if paragraph.startswith("    "):
            found.append(Block(paragraph, code=True))
            continue
        lines: list[str] = []
        for line in paragraph.split("\n"):
            if lines and not LINE.match(line):
                lines[-1] += f" {line.strip()}"
            else:
                lines.append(line)
        found.append(Block("\n".join(lines)))
    return tuple(found)


def _wrapped(call: str, width: int = 76) -> str:
    """A long call on several lines, broken at spaces outside of texts."""
    lines = [""]
    for word in re.findall(r"""(?:'[^']*'|"[^"]*"|[^\s'"]|['"])+\s*""", call):
        if lines[-1] and len(lines[-1] + word.rstrip()) > width:
            lines.append("")
        lines[-1] += word
    return "\n".join(line.rstrip() for line in lines)

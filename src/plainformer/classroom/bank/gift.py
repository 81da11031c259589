r"""A chapter's questions as GIFT, the text format that Moodle imports.

Written for what Moodle does with such a file (`question/format/gift/format.php`, looked up in
November 2026). There is no schema of GIFT. The tests read every file back with a parser of their
own, which takes the same steps as Moodle's importer, and compare what they find with the tasks;
nothing was imported into a running Moodle.

Questions and replies are HTML, in which no `->` can occur, since Moodle would take it for the sign
of a question that matches two columns. Results to type are plain text. The `$CATEGORY` of a file is
its chapter, and each question is named after its task.

GIFT has no question in which lines are put in order, so it asks which line does not belong. Nor can
it compare the numbers of a list with a tolerance (see `spellings`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.etree.ElementTree import Element, tostring

from plainformer.classroom.bank.markup import add_blocks, add_option, add_rich, legal
from plainformer.classroom.bank.questions import (
    Choose,
    LeftOut,
    Question,
    TypeIn,
    odd_one_out,
    what_goes_wrong,
    what_is_returned,
)
from plainformer.classroom.bank.spellings import is_number, spellings
from plainformer.exercises.practice import FindTheBug, OrderTheLines, Task, WhatComesOut
from plainformer.exercises.practice.values import TOLERANCE

__all__ = ["as_gift", "as_question", "escaped", "gift_questions"]

ESCAPES = str.maketrans({"\n": r"\n", **{each: f"\\{each}" for each in "\\~=#{}:"}})


def gift_questions(task: Task) -> Sequence[Choose | TypeIn]:
    """The questions that a task becomes in GIFT.

    Raises:
        LeftOut: its result cannot be written.
    """
    if isinstance(task, WhatComesOut):
        return [what_is_returned(task)]
    if isinstance(task, FindTheBug):
        return what_goes_wrong(task)
    assert isinstance(task, OrderTheLines)
    return [odd_one_out(task)]


def as_gift(category: str, questions: Iterable[Question]) -> str:
    """A file of questions, in the category of this name.

    Raises:
        LeftOut: one of them cannot be asked in GIFT.
    """
    head = f"$CATEGORY: Plainformer/{category}"
    return "\n\n".join([head, *map(as_question, questions)]) + "\n"


def as_question(question: Question) -> str:
    """A question as GIFT writes it: its name, its text, and its answers in braces.

    Raises:
        LeftOut: it cannot be asked in GIFT.

    >>> from plainformer.classroom.bank.questions import Block
    >>> stem = (Block("What does `f({1})` return?"),)
    >>> print(as_question(TypeIn("f/value", "f", stem, 1.5, "Yes.", "1.5", ((2, "No: *1.5*."),))))
    ::f/value::[html]<p>What does <code>f(\\{1\\})</code> return?</p>{#
    =%100%1.5:0.01#<p>Yes.</p>
    =%0%2:0.01#<p>No\\: <em>1.5</em>.</p>
    }
    """
    if isinstance(question, Choose):
        mark, answers = "", _options(question)
    elif isinstance(question, TypeIn) and is_number(question.answer):
        mark, answers = "#", _numbers(question)
    elif isinstance(question, TypeIn):
        mark, answers = "", _texts(question)
    else:
        raise LeftOut("GIFT has no such question")
    place = Element("div")
    add_blocks(place, question.stem)
    text = "".join(map(_html, place))
    return "\n".join([f"::{escaped(question.name)}::[html]{escaped(text)}{{{mark}", *answers, "}"])


def escaped(text: str) -> str:
    r"""Text that GIFT reads as text, on one line.

    >>> print(escaped("{a: 1} ~ \\ # =\n"))
    \{a\: 1\} \~ \\ \# \=\n
    """
    return text.translate(ESCAPES)


def _options(question: Choose) -> list[str]:
    lines = []
    for option in question.options:
        place = Element("p")
        add_option(place, option)
        inner = escaped(_html(place).removeprefix("<p>").removesuffix("</p>"))
        lines.append(f"{'=' if option.right else '~'}{inner}#{_reply(option.reply)}")
    return lines


def _numbers(question: TypeIn) -> list[str]:
    answers = [(question.answer, question.reply), *question.wrong]
    return [
        f"=%{0 if i else 100}%{value}:{TOLERANCE}#{_reply(reply)}"
        for i, (value, reply) in enumerate(answers)
        if is_number(value)
    ]


def _texts(question: TypeIn) -> list[str]:
    """All texts that count, each once; Moodle takes the first that fits, in capitals or not."""
    right = [*spellings(question.answer), question.shown]
    lines, seen = [], set[str]()
    answers = [(100, right, question.reply)]
    answers += [(0, spellings(value, all_of_them=False), said) for value, said in question.wrong]
    for points, texts, reply in answers:
        for text in texts:
            if "->" in text or "\n" in text or text != text.strip():
                raise LeftOut(f"GIFT cannot take {text!r} as an answer")
            if text.casefold() not in seen:
                seen.add(text.casefold())
                literal = escaped(legal(text).replace("*", r"\*"))  # alone, * stands for any text
                lines.append(f"=%{points}%{literal}#{_reply(reply)}")
    return lines


def _reply(text: str) -> str:
    place = Element("p")
    add_rich(place, text)
    return escaped(_html(place))


def _html(element: Element) -> str:
    return tostring(element, "unicode", method="html")

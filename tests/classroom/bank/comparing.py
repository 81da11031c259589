"""Both formats are read back and compared with the tasks that they were written from."""

import itertools
import random
from collections.abc import Sequence
from typing import Any
from xml.etree.ElementTree import Element, fromstring

from tests.classroom.bank import gift_reader, qti_reader

from plainformer.classroom.bank.gift import as_gift, gift_questions
from plainformer.classroom.bank.qti import as_item, identifier, qti_questions
from plainformer.classroom.bank.questions import LeftOut
from plainformer.classroom.bank.spellings import is_number, spellings
from plainformer.exercises.practice import FindTheBug, OrderTheLines, Task, WhatComesOut

ORDERS = 60  # that are tried, of one task

Choices = list[tuple[str, str, bool]]  # each with its code, its reply, and whether it is right


def choices_of(task: FindTheBug) -> list[Choices]:
    """What the two questions of a task should offer."""
    lines = [
        (f"Line {i}: `{c.text.strip()}`", c.reply, c.right) for i, c in enumerate(task.lines, 1)
    ]
    return [lines, [(f"`{c.text}`", c.reply, c.right) for c in task.mends]]


def compare_gift(chapter: str, tasks: Sequence[Task]) -> int:
    """Write tasks as GIFT, read them, and compare; return how many questions there are."""
    questions = [question for task in tasks for question in gift_questions(task)]
    category, read = gift_reader.read_gift(as_gift(chapter, questions))
    assert category == f"Plainformer/{chapter}"
    assert len({each.name for each in read}) == len(read) == len(questions)
    by_task = itertools.groupby(read, lambda each: "/".join(each.name.split("/")[:2]))
    for task, (id, found) in zip(tasks, by_task, strict=True):
        assert id == task.id
        _compare_read(task, [*found])
    return len(read)


def _compare_read(task: Task, found: list[gift_reader.Read]) -> None:
    shown = gift_reader.as_text(found[0].text)
    if isinstance(task, FindTheBug):
        offered = [
            [
                (gift_reader.as_text(a.text), gift_reader.as_text(a.reply), a.share == 1)
                for a in each.answers
            ]
            for each in found
        ]
        assert offered == choices_of(task), task.id
        assert task.head in shown and "".join(task.call.split()) in "".join(shown.split())
    elif isinstance(task, OrderTheLines):
        (question,) = found
        codes = [gift_reader.as_text(each.text).strip("`") for each in question.answers]
        assert codes == [task.pieces[i] for i in task.shuffled], task.id
        (right,) = [each for each in question.answers if each.share == 1]
        assert gift_reader.as_text(right.text).strip("`") == task.pieces[-1]
        assert task.extra in gift_reader.as_text(right.reply)
    else:
        assert isinstance(task, WhatComesOut)
        (question,) = found
        compare_values(task, lambda typed: gift_reader.marked(question, typed))


def compare_values(task: WhatComesOut, marked: Any) -> None:
    """The result gets the points, in all its spellings; each known mistake gets its own reply."""
    for text in spellings(task.answer):
        assert marked(text) == (1.0, f"The call returns `{task.shown}`."), (task.id, text)
    for value, reply in task.wrong:
        if is_number(task.answer) and not is_number(value):
            continue  # which cannot be typed where a number is asked for
        for text in spellings(value, all_of_them=False):
            assert marked(text) == (0.0, reply), (task.id, text)


def compare_qti(tasks: Sequence[Task]) -> tuple[int, list[str]]:
    """Write tasks as items, check and read them; return how many, and what was left out."""
    count, without = 0, []
    for task in tasks:
        try:
            questions = qti_questions(task)
        except LeftOut:
            without.append(task.id)
            continue
        items = [fromstring(as_item(question)) for question in questions]
        for question, item in zip(questions, items, strict=True):
            qti_reader.check_shape(item)
            qti_reader.check_names(item)
            assert item.get("identifier") == identifier(question.name)
            assert qti_reader.processed(item, qti_reader.right_response(item))[0] == 1.0, task.id
        _compare_items(task, items)
        count += len(items)
    return count, without


def _compare_items(task: Task, items: list[Element]) -> None:
    if isinstance(task, FindTheBug):
        offered = []
        for item in items:
            choices = qti_reader.all_of(item, "simpleChoice")
            replies = [qti_reader.processed(item, each.get("identifier", "")) for each in choices]
            offered.append(
                [
                    (qti_reader.as_text(c), said, score == 1)
                    for c, (score, said) in zip(choices, replies, strict=True)
                ]
            )
        assert offered == choices_of(task), task.id
    elif isinstance(task, OrderTheLines):
        _compare_orders(task, items[0])
    else:
        assert isinstance(task, WhatComesOut)
        compare_values(task, lambda typed: qti_reader.processed(items[0], typed))


def _compare_orders(task: OrderTheLines, item: Element) -> None:
    """An order gets the points if, and only if, it obeys the pairs and has no line too many."""
    choices = qti_reader.all_of(item, "simpleChoice")
    names = {qti_reader.as_text(c).strip("`"): c.get("identifier", "") for c in choices}
    pieces = [names[piece] for piece in task.pieces]
    extra = len(pieces) - 1
    orders = [*itertools.permutations(range(len(pieces)), extra)]
    for order in random.Random(task.id).sample(orders, min(ORDERS, len(orders))):
        at = {piece: place for place, piece in enumerate(order)}
        obeys = extra not in at and all(at[pair.first] < at[pair.then] for pair in task.pairs)
        score, said = qti_reader.processed(item, tuple(pieces[i] for i in order))
        assert (score == 1.0) is obeys, (task.id, order)
        assert (task.extra in said) is (extra in at), (task.id, order)

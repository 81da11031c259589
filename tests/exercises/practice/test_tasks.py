"""Every task is worked out again from what it shows: its key is what its code does."""

import ast
import itertools
import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from plainformer.exercises import exercise
from plainformer.exercises.grading import is_right
from plainformer.exercises.order import CHAPTERS
from plainformer.exercises.practice import (
    FindTheBug,
    OrderTheLines,
    Task,
    WhatComesOut,
    chapter_tasks,
    page_tasks,
)
from plainformer.exercises.practice.results import written
from plainformer.exercises.practice.values import alike, simple
from plainformer.exercises.runner import run
from plainformer.exercises.spec import Case

PERMUTATIONS = 8  # of the lines of one function that are tried


def tasks_of(chapter: str, kind: type[Task]) -> list[Any]:
    return [task for task in chapter_tasks(chapter) if isinstance(task, kind)]


def function_of(task: Task, lines: Sequence[str]) -> Callable[..., Any]:
    """The function that the page shows: the line with `def`, and these lines below it."""
    names = dict(exercise(task.exercise).reference.__globals__)
    body = [f"    {line}" for text in lines for line in text.split("\n")]
    exec("\n".join(["from __future__ import annotations", task.head, *body]), names)  # type: ignore[attr-defined]
    function: Callable[..., Any] = names[exercise(task.exercise).entry]
    return function


def passes(task: Task, function: Callable[..., Any]) -> bool:
    """Whether the grader accepts a function."""
    return is_right(exercise(task.exercise), function)


def case_of(task: FindTheBug | WhatComesOut) -> Case:
    """The public case whose call the task shows."""
    entry = exercise(task.exercise).entry
    for case in exercise(task.exercise).cases:
        if f"{entry}({', '.join(str(written(arg)) for arg in case.args)})" == task.call:
            return case
    raise AssertionError(f"{task.call} is no public case")


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_bug_is_in_its_line_and_only_the_right_mend_mends_it(chapter: str) -> None:
    for task in tasks_of(chapter, FindTheBug):
        lines = [choice.text for choice in task.lines]
        (at,) = [i for i, choice in enumerate(task.lines) if choice.right]
        outcome = run(function_of(task, lines), case_of(task).args, seconds=2.0)
        if task.raised:
            assert task.got.startswith(type(outcome.error).__name__), task.id
        else:
            assert written(outcome.value) == task.got != task.expected, task.id
        indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        texts = {choice.text for choice in task.mends}
        assert len(texts) == 3 and lines[at].strip() not in texts, task.id
        for choice in task.mends:
            mended = function_of(task, [*lines[:at], indent + choice.text, *lines[at + 1 :]])
            assert passes(task, mended) is choice.right, (task.id, choice.text)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_an_order_is_right_if_and_only_if_it_obeys_the_pairs(chapter: str) -> None:
    for task in tasks_of(chapter, OrderTheLines):
        right = range(len(task.pieces) - 1)
        orders = list(itertools.permutations(right))
        tried = random.Random(task.id).sample(orders, min(len(orders), PERMUTATIONS))
        for order in [tuple(right), *tried]:
            place = {piece: at for at, piece in enumerate(order)}
            obeys = all(place[pair.first] < place[pair.then] for pair in task.pairs)
            function = function_of(task, [task.pieces[i] for i in order])
            assert passes(task, function) is obeys, (task.id, order)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_line_too_many_is_wrong_in_its_place(chapter: str) -> None:
    for task in tasks_of(chapter, OrderTheLines):
        *pieces, extra = task.pieces
        assert sorted(task.shuffled) == list(range(len(task.pieces)))
        assert len(set(task.pieces)) == len(task.pieces)
        for i in range(len(pieces)):
            wrong = function_of(task, [*pieces[:i], extra, *pieces[i + 1 :]])
            assert not passes(task, wrong), (task.id, i)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_result_is_what_the_reference_returns_and_unlike_all_wrong_ones(chapter: str) -> None:
    for task in tasks_of(chapter, WhatComesOut):
        spec = exercise(task.exercise)
        value = spec.reference(*case_of(task).args)
        assert simple(value) == task.answer and written(value) == task.shown, task.id
        assert task.wrong, task.id
        known = [task.answer, *(each for each, _ in task.wrong)]
        assert not any(alike(x, y) for x, y in itertools.combinations(known, 2)), task.id


def test_each_page_has_three_to_five_tasks_of_more_than_one_kind() -> None:
    for chapter in CHAPTERS:
        tasks = page_tasks(chapter)
        assert 3 <= len(tasks) <= 5 and len({task.kind for task in tasks}) > 1, chapter
        assert len({task.id for task in tasks}) == len(tasks)


def test_every_kind_says_something_to_every_answer() -> None:
    for task in itertools.chain.from_iterable(map(chapter_tasks, CHAPTERS)):
        if isinstance(task, FindTheBug):
            assert all(choice.reply for choice in (*task.lines, *task.mends))
        elif isinstance(task, OrderTheLines):
            assert task.extra and all(pair.reply for pair in task.pairs)
            ast.parse("\n".join(task.pieces[:-1]))
        else:
            assert isinstance(task, WhatComesOut) and all(reply for _, reply in task.wrong)
        assert task.about and ">>>" not in task.about

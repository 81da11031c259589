"""All tasks of a chapter, and the few that its page shows."""

from __future__ import annotations

from functools import cache

from plainformer.exercises.practice.bugs import find_the_bug
from plainformer.exercises.practice.items import FindTheBug, OrderTheLines, Task, WhatComesOut
from plainformer.exercises.practice.order import order_the_lines
from plainformer.exercises.practice.values import what_comes_out
from plainformer.exercises.registry import exercise, exercise_ids

__all__ = ["chapter_tasks", "page_tasks"]

ON_A_PAGE = (WhatComesOut, FindTheBug, OrderTheLines, WhatComesOut, FindTheBug)


@cache
def chapter_tasks(chapter: str) -> tuple[Task, ...]:
    """Return all tasks that are derived from a chapter's exercises.

    Args:
        chapter: part and concept, such as "attention.masking".

    Raises:
        ValueError: there is no such chapter.

    >>> tasks = chapter_tasks("attention.masking")
    >>> sorted({task.kind for task in tasks})
    ['bug', 'order', 'value']
    """
    ids = exercise_ids(chapter)
    if not ids:
        raise ValueError(f"chapter must be one that has exercises; got {chapter!r}")
    found: list[Task] = []
    for each in map(exercise, ids):
        single = [what_comes_out(each), order_the_lines(each)]
        found += [*(task for task in single if task is not None), *find_the_bug(each)]
    return tuple(found)


def page_tasks(chapter: str) -> tuple[Task, ...]:
    """Return the three to five tasks that a chapter's page shows, the easier ones first.

    The kinds take turns, and no exercise is used twice as long as another one is left.

    >>> [task.kind for task in page_tasks("attention.masking")]
    ['value', 'bug', 'order', 'value', 'bug']
    """
    left = list(chapter_tasks(chapter))
    chosen: list[Task] = []
    for kind in ON_A_PAGE:
        used = [task.exercise for task in chosen]
        suitable = [task for task in left if isinstance(task, kind)] or left
        if suitable:
            best = min(suitable, key=lambda task: used.count(task.exercise))
            chosen.append(best)
            left.remove(best)
    return tuple(chosen)

"""Which tasks each student's sheet has: drawn from a seed, and other ones for everybody.

The draws depend on the course's secret too, so that nobody who has the package can print a sheet
in advance. With the same seed, names and exercises, the same sheets come out.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from plainformer.classroom.papers.tasks import KINDS, PaperTask, bugs, predict, trace
from plainformer.exercises.spec import Exercise

__all__ = ["Sheet", "draw_sheets"]

TRIES = 50  # until no two sheets are the same


@dataclass(frozen=True)
class Sheet:
    """What one student gets."""

    student: str
    tasks: tuple[PaperTask, ...]


def draw_sheets(
    exercises: Sequence[Exercise],
    students: Sequence[str],
    *,
    secret: bytes,
    seed: int = 0,
    count: int = 3,
) -> list[Sheet]:
    """Draw everybody's sheet.

    Args:
        exercises: what the tasks are about.
        students: their names, each once.
        secret: of the course.
        seed: other ones give other sheets.
        count: tasks of a sheet; the kinds take turns.

    Raises:
        ValueError: the exercises do not give so many tasks, or so many different sheets.
    """
    known = {each.id: bugs(each) for each in exercises}
    sheets: list[Sheet] = []
    taken: set[frozenset[str]] = set()
    for student in students:
        for attempt in range(TRIES):
            tasks = _tasks(exercises, known, (secret, seed, student, attempt), count)
            keys = frozenset(each.key for each in tasks)
            if len(tasks) == count and keys not in taken:
                break
        else:
            raise ValueError(
                f"these exercises must give a sheet of {count} tasks that nobody else has, for "
                f"{len(students)} students; after {len(sheets)} they gave no other one. Ask for "
                "fewer tasks, or take more exercises or chapters"
            )
        taken.add(keys)
        sheets.append(Sheet(student, tasks))
    return sheets


def _tasks(
    exercises: Sequence[Exercise],
    known: Mapping[str, Sequence[PaperTask]],
    start: tuple[bytes, int, str, int],
    count: int,
) -> tuple[PaperTask, ...]:
    """The tasks of one sheet: as many kinds and exercises as there are."""
    secret, seed, student, attempt = start
    text = f"{seed}\0{student}\0{attempt}".encode("utf-8", "replace")
    digest = hashlib.blake2b(text, key=secret[:64], digest_size=16).digest()
    rng = random.Random(digest)
    numbers = np.random.default_rng(int.from_bytes(digest, "big"))
    first = rng.randrange(len(KINDS))
    found: list[PaperTask] = []
    for turn in range(count):
        for kind in [KINDS[(first + turn + i) % len(KINDS)] for i in range(len(KINDS))]:
            task = _one(kind, exercises, known, found, rng, numbers)
            if task is not None:
                found.append(task)
                break
    return tuple(found)


def _one(
    kind: str,
    exercises: Sequence[Exercise],
    known: Mapping[str, Sequence[PaperTask]],
    found: Sequence[PaperTask],
    rng: random.Random,
    numbers: np.random.Generator,
) -> PaperTask | None:
    """A task of this kind, if possible of an exercise that the sheet does not have yet."""
    keys, used = [each.key for each in found], [each.exercise for each in found]
    mixed = rng.sample(list(exercises), len(exercises))
    for exercise in sorted(mixed, key=lambda each: used.count(each.id)):
        kinds = {each.kind for each in found if each.exercise == exercise.id} | {kind}
        if {"trace", "bug"} <= kinds:
            continue  # the function to trace would show how to mend the other one
        if kind == "bug":
            left = [each for each in known[exercise.id] if each.key not in keys]
            task = rng.choice(left) if left else None
        else:
            task = (predict if kind == "predict" else trace)(exercise, numbers)
        if task is not None and task.key not in keys:
            return task
    return None

"""From an assignment to the notebook that students get.

It holds tasks, stubs and public checks. Of a course's own exercise it has the public cases, as
data, and the general hints; never its reference, a wrong answer, the generator or the secret. A
last look at the finished file says so (`leaks`).
"""

from __future__ import annotations

import ast
import inspect
import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from plainformer import __version__
from plainformer.classroom.course import Assignment, Course
from plainformer.classroom.leaks import leaks
from plainformer.classroom.notebook import IMPORTS, answer_id
from plainformer.classroom.practice import as_source
from plainformer.classroom.questions import Question, graded_cell, solution_cell, written_id
from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Exercise

__all__ = ["CODE_STUB", "TEXT_STUB", "is_public", "release"]

CODE_STUB = "# Your answer\n"  # of a question
TEXT_STUB = "*Your answer: a double click opens this cell.*"
BOOK = "plainformer.exercises."
SETUP = """\
# Where the package is missing, as in Colab, this installs it.
import importlib.util
import subprocess
import sys

if importlib.util.find_spec("plainformer") is None:
    subprocess.check_call([sys.executable, "-m", "pip", "install", "--quiet", {package!r}])"""
NONE: Mapping[str, Any] = {}


def release(course: Course, assignment: Assignment) -> str:
    """The notebook of an assignment, as the text of an `.ipynb` file.

    Raises:
        ValueError: it would give something away; the message says what.
    """
    cells = [*_head(course, assignment)]
    for number, exercise in enumerate(assignment.exercises, 1):
        cells += _exercise(number, exercise)
    for number, question in enumerate(assignment.questions, len(assignment.exercises) + 1):
        cells += _question(number, question)
    text = json.dumps(
        {
            "cells": cells,
            "metadata": {
                "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                "language_info": {"name": "python"},
                "plainformer": {"assignment": assignment.name, "version": __version__},
            },
            "nbformat": 4,
            "nbformat_minor": 5,
        },
        indent=1,
        ensure_ascii=False,
    )
    found = [each for exercise in assignment.exercises for each in leaks(text, exercise)]
    if course.secret.decode() in text:
        found.append("the course's secret")
    if found:
        raise ValueError(f"the notebook of {assignment.name} would give away {'; '.join(found)}")
    return text + "\n"


def is_public(exercise: Exercise) -> bool:
    """Whether anybody can read its solution: it is one of the book's."""
    return exercise.reference.__module__.startswith(BOOK)


def _head(course: Course, assignment: Assignment) -> Iterator[dict[str, Any]]:
    asked: list[Exercise | Question] = [*assignment.exercises, *assignment.questions]
    points = sum(each.points for each in asked)
    person = " Where it says so, a person reads your answer." if assignment.questions else ""
    due = f"Due: {assignment.due:%A %d %B %Y, %H:%M (%Z)}. " if assignment.due else ""
    yield _markdown(
        "title",
        f"# {assignment.title}\n\n{course.name}. {due}{points:g} points.\n\n"
        "Write each answer in the cell that is there for it: it is found by its place, so do not "
        "copy, split or delete these cells. You may add cells of your own; only the answer cells, "
        "and the imports above them, are marked. The checks try public cases. Hidden ones, other "
        f"ones for everybody, decide the mark.{person}",
    )
    if course.package:
        yield _code("setup", SETUP.format(package=course.package))
    yield _code(IMPORTS, "\n".join(_imports(assignment)))


def _exercise(number: int, exercise: Exercise) -> Iterator[dict[str, Any]]:
    name = exercise.id.replace(".", "-")
    hints = "".join(
        f"\n\n<details><summary>Hint {i}</summary>\n\n{hint}\n\n</details>"
        for i, hint in enumerate(exercise.hints, 1)
    )
    task = _heading(number, exercise) + _shares(exercise) + _without(exercise)
    yield _markdown(f"task-{name}", task + hints)
    answer = answer_id(exercise.id)
    yield _code(answer, exercise.stub, solution_cell(answer))
    yield _code(f"check-{name}", _check(exercise))


def _shares(exercise: Exercise) -> str:
    """For what kinds of input there are how many points; nothing where it is all or nothing."""
    if not exercise.groups:
        return ""
    first, *others = (f"{exercise.share(each):g} for {each.title}" for each in exercise.groups)
    said = "; ".join([first, *others])
    return f"\n\nPoints: {said}. Without the first, the others earn nothing."


def _without(exercise: Exercise) -> str:
    """What is not there where the answer is marked."""
    if not exercise.forbids:
        return ""
    names = " and ".join(f"`{each}`" for each in exercise.forbids)
    return f"\n\nSolve it without {names}: where your answer is marked, there is no such package."


def _heading(number: int, asked: Exercise | Question) -> str:
    points = f"{asked.points:g} {'point' if asked.points == 1 else 'points'}"
    return f"## {number}. {asked.title} ({points})"


def _question(number: int, question: Question) -> Iterator[dict[str, Any]]:
    """What a person marks: the task, and a cell for the answer."""
    yield _markdown(
        f"task-{question.id}",
        f"{_heading(number, question)}\n\n{question.task}\n\nA person reads the answer.",
    )
    name, metadata = written_id(question.id), graded_cell(question)
    if question.code:
        yield _code(name, CODE_STUB, metadata)
    else:
        yield _markdown(name, TEXT_STUB, metadata)


def _check(exercise: Exercise) -> str:
    """The cell that tries an answer."""
    if is_public(exercise):
        return (
            f'from plainformer.exercises import check\n\ncheck("{exercise.id}", {exercise.entry})'
        )
    cases = "".join(
        f"    ({as_source(tuple(case.args))}, {as_source(case.expected)}),\n"
        for case in exercise.cases
    )
    compare = exercise.compare
    near = ""
    if isinstance(compare, Arrays):
        near = f", rtol={compare.rtol}, atol={compare.atol}, dtype={compare.dtype}"
    return (
        "from plainformer.classroom.practice import practice\n\n"
        f"cases = [  # arguments, answer\n{cases}]\npractice({exercise.entry}, cases{near})"
    )


def _imports(assignment: Assignment) -> list[str]:
    """What stubs, and answers like the references, need; nothing of the exercises themselves."""
    lines = {"import numpy as np": None}
    for exercise in assignment.exercises:
        source = inspect.getsource(sys.modules[exercise.reference.__module__])
        for step in ast.parse(source).body:
            if isinstance(step, ast.Import) or (
                isinstance(step, ast.ImportFrom)
                and step.module
                and not step.module.startswith((BOOK[:-1], "__future__", "course_exercises"))
            ):
                lines[ast.unparse(step)] = None
    return sorted(lines)


def _markdown(name: str, source: str, metadata: Mapping[str, Any] = NONE) -> dict[str, Any]:
    return {
        "cell_type": "markdown",
        "id": name[:64],
        "metadata": dict(metadata),
        "source": source,
    }


def _code(name: str, source: str, metadata: Mapping[str, Any] = NONE) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": name[:64],
        "metadata": dict(metadata),
        "outputs": [],
        "source": source,
    }

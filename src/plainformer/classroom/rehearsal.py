"""Notebooks as a class hands them in, made up: to try a course before there are students.

    plainformer-class rehearse week-1 --students 8
    plainformer-class collect rehearsal/week-1 --assignment week-1

Names are invented. Most answers are right, in one way or another; some make a known mistake, some
are missing. Three notebooks have what goes wrong in every class: one is cut off, one of its answers
never ends, one is last week's.

But: it takes answers from the course's own exercises, so it tries the grader, not the exercises.
"""

from __future__ import annotations

import ast
import inspect
import json
import random
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from plainformer.classroom.course import load_course
from plainformer.classroom.notebook import answer_id
from plainformer.classroom.questions import written_id
from plainformer.classroom.release import release
from plainformer.exercises.spec import Exercise

__all__ = ["as_cell", "rehearse", "ways"]

FIRST = ["Amara", "Bruno", "Chiara", "Dario", "Elin", "Farid", "Greta", "Hugo", "Ines", "Joao"]
LAST = ["Abidi", "Brandt", "Castellan", "Duarte", "Eklund", "Fontana"]
KINDS = {"reference": 9, "alternate": 4, "mutant": 5, "stub": 2}  # of twenty answers
WANTED = {"reference": "ok", "alternate": "ok", "mutant": "wrong", "stub": "missing"}
BROKEN = ("cut", "endless", "another")  # the last three notebooks
ENDLESS = "def {}(*args):\n    while True:\n        pass"


def rehearse(
    folder: Path, assignment: str, out: Path, students: int = 60, seed: int = 0
) -> dict[str, list[str]]:
    """Write the notebooks.

    Args:
        folder: of a course.
        assignment: its name.
        out: the folder that they are written to.
        students: how many, from 4 to 60.
        seed: other ones hand in other answers.

    Returns:
        By student, the status that each exercise should get.
    """
    course = load_course(folder)
    asked = course.assignment(assignment)
    stub = json.loads(release(course, asked))
    names = [f"{FIRST[i % 10]} {LAST[(i + i // 10) % 6]}" for i in range(students)]
    out.mkdir(parents=True, exist_ok=True)
    rng = random.Random(seed)
    wanted: dict[str, list[str]] = {}
    for number, name in enumerate(names):
        broken = dict(zip(range(students - 3, students), BROKEN, strict=True)).get(number, "")
        cells, statuses = {}, []
        for exercise in asked.exercises:
            kind = rng.choices(list(KINDS), list(KINDS.values()))[0]
            cells[answer_id(exercise.id)] = answer(exercise, kind, rng)
            statuses.append(WANTED[kind])
        if broken == "endless":
            cells[answer_id(asked.exercises[0].id)] = ENDLESS.format(asked.exercises[0].entry)
            statuses[0] = "timeout"
        for question in asked.questions:
            cells[written_id(question.id)] = f"# {name} would draw here."
        text = json.dumps(filled(stub, cells, "week-0" if broken == "another" else assignment))
        (out / f"{name}.ipynb").write_text(text[:-99] if broken == "cut" else text, "utf-8")
        unread = broken in ("cut", "another")
        wanted[name] = ["unreadable"] * len(statuses) if unread else statuses
    return wanted


def answer(exercise: Exercise, kind: str, rng: random.Random) -> str:
    """An answer as a cell holds it."""
    if kind == "stub":
        return exercise.stub
    return as_cell(exercise, rng.choice(ways(exercise)[kind]))


def ways(exercise: Exercise) -> dict[str, list[Callable[..., Any]]]:
    """The course's own answers by their kind; no lambdas, which have no source of their own."""
    others = [each for each in exercise.right_answers() if each.__name__ != "<lambda>"]
    wrong = [each for _, each in exercise.wrong_answers() if each.__name__ != "<lambda>"]
    return {
        "reference": [exercise.reference],
        "alternate": others or [exercise.reference],
        "mutant": wrong,
    }


def as_cell(exercise: Exercise, function: Callable[..., Any]) -> str:
    """A function with what it calls of its own module, under the name that the task gives it."""
    module = ast.parse(inspect.getsource(sys.modules[exercise.reference.__module__]))
    helpers = {each.name: each for each in module.body if isinstance(each, ast.FunctionDef)}
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    name, parts = tree.name, [tree]
    parts += [helpers[each] for each in called(tree) if each in helpers and each != name]
    text = "\n\n\n".join(ast.unparse(bare(each)) for each in reversed(parts))
    return text if name == exercise.entry else f"{text}\n\n\n{exercise.entry} = {name}"


def called(tree: ast.FunctionDef) -> Iterator[str]:
    """The names that a function uses."""
    yield from dict.fromkeys(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))


def bare(tree: ast.FunctionDef) -> ast.FunctionDef:
    """A function without annotations and decorators, whose names a notebook may not have."""
    tree.decorator_list, tree.returns = [], None
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
    return tree


def filled(stub: dict[str, Any], cells: dict[str, str], assignment: str) -> dict[str, Any]:
    """The notebook that was handed out, with answers in its cells."""
    made: dict[str, Any] = json.loads(json.dumps(stub))
    made["metadata"]["plainformer"]["assignment"] = assignment
    for cell in made["cells"]:
        cell["source"] = cells.get(cell["id"], cell["source"])
    return made

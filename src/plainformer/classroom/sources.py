"""Modules of exercises as text, for a worker that has no exercises of its own.

Two things need them: an argument that is not plain data, such as a small model, whose class the
worker must know; and `validate`, which sends references, wrong answers and right ones through the
sandbox in the same way as a student's.

Only the book's exercises may have such arguments. The code that creates them is public, and so is
everything it imports; a course's graded exercise takes plain data.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
from collections.abc import Iterable

from plainformer.exercises.spec import Exercise

__all__ = ["answers", "closure"]

ROOMS = ("plainformer.exercises.", "course_exercises.")  # the book's, and a course's own


def closure(modules: Iterable[str]) -> list[tuple[str, str]]:
    """Names and sources of modules and of all exercises' modules that they import, those first.

    >>> [name.rpartition(".")[2] for name, _ in closure(["plainformer.exercises.spec"])]
    ['compare', 'spec']
    """
    found: dict[str, str] = {}

    def add(name: str) -> None:
        if name in found or not name.startswith(ROOMS):
            return
        module = sys.modules.get(name) or importlib.import_module(name)
        source = inspect.getsource(module)
        for step in ast.walk(ast.parse(source)):
            if isinstance(step, ast.ImportFrom) and step.module:
                add(step.module)
        found[name] = source

    for each in modules:
        add(each)
    return list(found.items())


def answers(exercise: Exercise) -> dict[str, list[str]]:
    """The cells that hand in the reference, every alternate and every mutant of an exercise.

    Each begins with its exercise's module, which `closure` has to send along.
    """
    module = exercise.reference.__module__
    begin = f"from {module} import EXERCISE\n{exercise.entry} = EXERCISE."
    return {
        "reference": [f"{begin}reference"],
        **{
            f"alternate {i}": [f"{begin}right_answers()[{i}]"]
            for i in range(len(exercise.alternates))
        },
        **{
            f"mutant: {hint}": [f"{begin}wrong_answers()[{i}][1]"]
            for i, hint in enumerate(exercise.mutants)
        },
    }  # fmt: skip

"""Find exercises by their id, and all of them by walking the package.

The id says where an exercise lives: "inputs.tokenization.2" is the second of those that the module
`plainformer.exercises.inputs.tokenization` lists in its `EXERCISES`. A new chapter's exercises are
found by being there; nothing needs to be registered. Only the chapter asked for is imported.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from types import ModuleType

from plainformer.exercises.spec import Exercise

__all__ = ["exercise", "exercise_ids"]

_ROOT = "plainformer.exercises"
# In the book's order, which a reader's package cannot look up: a test holds this list, the site's
# contents and the map of chapters together.
_PARTS = ("inputs", "attention", "blocks", "training", "decoding")


def exercise(exercise_id: str) -> Exercise:
    """Return the exercise with this id.

    Args:
        exercise_id: part, concept and number, such as "inputs.tokenization.2".

    Raises:
        TypeError: the id is not a string.
        ValueError: there is no such exercise; the message names the nearest ids.

    >>> exercise("inputs.tokenization.2").entry
    'merge'
    >>> exercise("inputs.tokenisation.2")
    Traceback (most recent call last):
        ...
    ValueError: there is no exercise 'inputs.tokenisation.2'; did you mean 'inputs.tokenization.2'?
    """
    if not isinstance(exercise_id, str):
        kind = type(exercise_id).__name__
        raise TypeError(f"exercise_id must be a string such as 'inputs.tokenization.1'; got {kind}")
    chapter, _, _ = exercise_id.rpartition(".")
    for found in _in_chapter(chapter):
        if found.id == exercise_id:
            return found
    known = exercise_ids()
    near = difflib.get_close_matches(exercise_id, known, n=1, cutoff=0.6)
    asked = f"did you mean {near[0]!r}?" if near else f"the exercises are {', '.join(known)}"
    raise ValueError(f"there is no exercise {exercise_id!r}; {asked}")


def exercise_ids(prefix: str = "") -> list[str]:
    """Return the ids of all exercises, or of those under a part or chapter, in the book's order.

    Args:
        prefix: a part ("inputs") or a chapter ("inputs.tokenization"); empty for all.

    >>> exercise_ids("inputs.tokenization")[:2]
    ['inputs.tokenization.1', 'inputs.tokenization.2']
    """
    chapters = [
        name for name in _chapters() if f"{name}.".startswith(f"{prefix}." if prefix else "")
    ]
    return [found.id for chapter in chapters for found in _in_chapter(chapter)]


def _chapters() -> list[str]:
    """The modules two levels down, part and concept, found without importing the concepts."""
    names = []
    for part in _names(importlib.import_module(_ROOT), _PARTS, packages_only=True):
        package = importlib.import_module(f"{_ROOT}.{part}")
        names += [f"{part}.{name}" for name in _names(package, getattr(package, "ORDER", ()))]
    return names


def _names(
    package: ModuleType, order: tuple[str, ...], *, packages_only: bool = False
) -> list[str]:
    """The modules of a package: those in `order` as they stand there, then the others."""
    found = [m.name for m in pkgutil.iter_modules(package.__path__) if m.ispkg or not packages_only]
    return sorted(
        found, key=lambda name: (order.index(name) if name in order else len(order), name)
    )


def _in_chapter(chapter: str) -> tuple[Exercise, ...]:
    """The exercises of "part.concept"; none where there is no such module."""
    name = f"{_ROOT}.{chapter}"
    try:
        found: tuple[Exercise, ...] = getattr(importlib.import_module(name), "EXERCISES", ())
    except ModuleNotFoundError as error:
        if error.name is None or not name.startswith(error.name):
            raise  # the chapter is there, and something that it needs is not
        return ()
    return found

"""Find exercises by their id, and all of them by walking the package.

The id says where an exercise lives: "inputs.tokenization.2" is the `EXERCISE` with this id in one
of the modules of `plainformer.exercises.inputs.tokenization`. A new one is found automatically; a
new chapter also needs its line in `order.py`. Only the chapter asked for is imported.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil

from plainformer.exercises.spec import Exercise

__all__ = ["exercise", "exercise_ids"]

_ROOT = "plainformer.exercises"


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

    Without torch, the chapters that use it are left out unless they are asked for.

    Args:
        prefix: a part ("inputs") or a chapter ("inputs.tokenization"); empty for all.

    >>> exercise_ids("inputs.tokenization")[:2]
    ['inputs.tokenization.1', 'inputs.tokenization.2']
    """
    chapters = [
        name for name in _chapters() if f"{name}.".startswith(f"{prefix}." if prefix else "")
    ]
    ids = []
    for chapter in chapters:
        try:
            ids += [found.id for found in _in_chapter(chapter)]
        except ModuleNotFoundError as error:
            if error.name != "torch" or chapter == prefix:
                raise
    return ids


def _chapters() -> list[str]:
    """The packages two levels down, part and concept, found without importing the concepts."""
    # Checking one exercise reads no file of another chapter: a page is run again when a file that
    # it read has changed, and the order changes with every new chapter.
    from plainformer.exercises.order import CHAPTERS

    names = [f"{part}.{name}" for part in _modules(_ROOT) for name in _modules(f"{_ROOT}.{part}")]
    order = {name: i for i, name in enumerate(CHAPTERS)}
    return sorted(names, key=lambda name: (order.get(name, len(order)), name))


def _in_chapter(chapter: str) -> list[Exercise]:
    """The exercises of "part.concept" by their number; empty if the package does not exist."""
    name = f"{_ROOT}.{chapter}"
    try:
        modules = [importlib.import_module(f"{name}.{each}") for each in _modules(name, all=True)]
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            if error.name != "torch":
                raise  # the chapter exists, but something that it needs is missing
            needs = f'the exercises of {chapter} need torch: pip install "plainformer[torch]"'
            raise ModuleNotFoundError(needs, name="torch") from error
        return []
    found = [module.EXERCISE for module in modules if hasattr(module, "EXERCISE")]
    return sorted(found, key=lambda each: int(each.number))


def _modules(package: str, *, all: bool = False) -> list[str]:
    """The names of the packages in a package, or of all modules there."""
    folder = getattr(importlib.import_module(package), "__path__", ())
    return [module.name for module in pkgutil.iter_modules(folder) if all or module.ispkg]

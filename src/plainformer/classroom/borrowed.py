"""Answers that call a library for what the task asks.

A task such as *write softmax* can be answered by `torch.softmax`, which is right and shows nothing.
Here the names that an answer uses are looked up in its imports, and those of libraries that could
have done the work are named, unless the course's own answers use them too.

That is advice for a person: a call that is hidden well enough is not found, and some that are found
are harmless. An exercise for which it matters says `forbids=("plainformer", "torch")`; the sandbox
that its answers are marked in then has no such package.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from plainformer.classroom.fingerprints import imported, parsed
from plainformer.classroom.similar import imports_of, own_answers
from plainformer.exercises.spec import Exercise

__all__ = ["LIBRARIES", "Borrowed", "borrowed", "used_by_us"]

LIBRARIES = (
    "plainformer", "torch", "jax", "flax", "tensorflow", "keras", "transformers", "tokenizers",
    "sentencepiece", "tiktoken", "sacrebleu", "nltk", "sklearn", "scipy", "einops",
)  # fmt: skip
CHECKS = (
    *(f"plainformer.exercises.{name}" for name in ("check", "hint", "points")),
    "plainformer.classroom.practice",
)
BY_TEXT = ("__import__", "exec", "eval", "importlib.import_module")


@dataclass(frozen=True)
class Borrowed:
    """A name that an answer uses.

    Attributes:
        name: in full, such as "torch.nn.functional.softmax".
        line: its number in the answer, from 1.
        text: that line.
    """

    name: str
    line: int
    text: str


def borrowed(source: str, ours: Collection[str], imports: str = "") -> list[Borrowed]:
    """The names of libraries that an answer uses and the course's own answers do not.

    Args:
        source: the answer.
        ours: the names that the course's own answers use; see `used_by_us`.
        imports: the cell before it.

    >>> borrowed("def f(x):\\n    return F.softmax(x, -1)", [], "import torch.nn.functional as F")
    [Borrowed(name='torch.nn.functional.softmax', line=2, text='return F.softmax(x, -1)')]
    """
    lines = source.splitlines()
    known = imported(parsed(imports)) | imported(parsed(source))
    found: dict[str, Borrowed] = {}
    for name, number in _names(parsed(source), known):
        top = name.partition(".")[0]
        if name not in ours and (name in BY_TEXT or top in LIBRARIES) and not _is_check(name):
            text = lines[number - 1].strip() if 0 < number <= len(lines) else ""
            found.setdefault(name, Borrowed(name, number, text[:200]))
    return list(found.values())


def used_by_us(exercise: Exercise) -> set[str]:
    """The names that the reference and the other right answers of an exercise use."""
    known = imported(parsed(imports_of(exercise)))
    own = own_answers(exercise)
    return {name for text in own for name, _ in _names(parsed(text), known)}


def _is_check(name: str) -> bool:
    return any(name == each or name.startswith(f"{each}.") for each in CHECKS)


def _names(tree: ast.AST, known: dict[str, str]) -> Iterator[tuple[str, int]]:
    """The names that are used, in full, each with its line."""
    try:
        inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        for node in ast.walk(tree):
            if id(node) not in inner and (name := _full(node, known)):
                yield name, getattr(node, "lineno", 0)
    except RecursionError:
        return


def _full(node: ast.AST, known: dict[str, str]) -> str:
    if isinstance(node, ast.Name):
        return known.get(node.id, node.id if node.id in BY_TEXT else "")
    if isinstance(node, ast.Attribute):
        before = _full(node.value, known)
        return f"{before}.{node.attr}" if before else ""
    return ""

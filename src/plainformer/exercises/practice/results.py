"""Calls and their results as short texts, and the source of an exercise's reference."""

from __future__ import annotations

import copy
import inspect
import io
import random
import re
import textwrap
import tokenize
from dataclasses import dataclass
from typing import Any

import numpy as np

from plainformer.exercises.compare import as_code
from plainformer.exercises.runner import run
from plainformer.exercises.spec import Answer, Args, Case, Exercise, task_and_body

__all__ = [
    "Source", "Tried", "call_of", "cases_by_length", "code_lines", "rng_of", "same", "source_of",
    "tried", "written",
]  # fmt: skip

SHORT = 150  # characters of a result that a reader takes in at a glance
CALL = 240  # characters of a call
SECONDS = 2.0  # for one call of a wrong answer, some of which never end


@dataclass(frozen=True)
class Source:
    """A reference in parts: its first line, what the docstring says, the body's lines.

    The body has neither comments nor empty lines: comments would give a bug away, because they
    still say what the line was meant to do.
    """

    head: str
    about: str
    body: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join(self.body)


def source_of(exercise: Exercise) -> Source:
    """Return the parts of an exercise's reference."""
    task, body = task_and_body(exercise.reference)
    head = re.split(r'^\s+r?"""', task, maxsplit=1, flags=re.M)[0].rstrip()
    about = re.split(r"^\s*>>>", inspect.getdoc(exercise.reference) or "", flags=re.M)[0].strip()
    return Source(head, about, code_lines(body))


def code_lines(text: str) -> tuple[str, ...]:
    """The lines of some code, from the left margin on, without comments and empty lines.

    >>> code_lines("    # Look.\\n    x = '#'  # a sign\\n\\n    return x")
    ("x = '#'", 'return x')
    """
    lines = textwrap.dedent(text).splitlines()
    for token in tokenize.generate_tokens(io.StringIO("\n".join(lines)).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    return tuple(line.rstrip() for line in lines if line.strip())


def written(value: Any) -> str | None:
    """A value as Python code with rounded numbers, or None if it is not short and simple.

    >>> written((np.array([1.0, 2 / 3]), np.int64(3), "cat"))
    "(np.array([1.0, 0.6667]), 3, 'cat')"
    >>> written(object()) is None, written(list(range(100))) is None
    (True, True)
    """
    text = _written(value)
    return text if text is not None and len(text) <= SHORT and "\n" not in text else None


def _written(value: Any) -> str | None:
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, int | np.integer | str | bytes) or value is None:
        return repr(value.item() if isinstance(value, np.integer) else value)
    if isinstance(value, float | np.floating):
        return repr(round(float(value), 4))
    if isinstance(value, list | tuple):
        inner = [_written(each) for each in value]
        if None in inner:
            return None
        text = ", ".join(str(each) for each in inner)
        if isinstance(value, list):
            return f"[{text}]"
        return f"({text},)" if len(value) == 1 else f"({text})"
    if type(value) is dict:
        pairs = [(_written(key), _written(each)) for key, each in value.items()]
        if any(None in pair for pair in pairs):
            return None
        return "{" + ", ".join(f"{key}: {each}" for key, each in pairs) + "}"
    return as_code(value)


def call_of(exercise: Exercise, args: Args) -> str | None:
    """The call as a reader would write it, or None if it is not short and simple."""
    parts = [written(arg) for arg in args]
    if None in parts:
        return None
    text = f"{exercise.entry}({', '.join(str(part) for part in parts)})"
    return text if len(text) <= CALL else None


def cases_by_length(exercise: Exercise) -> list[tuple[str, str, Case]]:
    """The public cases that are short enough to show, with their call and answer, shortest first.

    The answer is the reference's, because the one that the case states may be rounded.
    """
    found = []
    for case in exercise.cases:
        call = call_of(exercise, case.args)
        if call is not None:
            answer = written(exercise.reference(*copy.deepcopy(case.args)))
            if answer is not None:
                found.append((call, answer, case))
    return sorted(found, key=lambda each: len(each[0]) + len(each[1]))


@dataclass(frozen=True)
class Tried:
    """What an answer did with a case: what it returned or raised as text, and whether it is right.

    The text is None if the answer needed too long, or if its result is not short and simple.
    """

    text: str | None
    right: bool
    raised: bool = False

    @property
    def shows_a_mistake(self) -> bool:
        return self.text is not None and not self.right


def tried(exercise: Exercise, answer: Answer, case: Case) -> Tried:
    """Try an answer on a case."""
    outcome = run(answer, case.args, SECONDS)
    if outcome.error is not None:
        name, said = type(outcome.error).__name__, str(outcome.error)
        text = f"{name}: {said}" if 0 < len(said) <= SHORT and "\n" not in said else name
        return Tried(None if outcome.out_of_time else text, right=False, raised=True)
    expected = exercise.reference(*copy.deepcopy(case.args))
    shown = written(outcome.value)
    accepted = same(exercise, expected, outcome.value) and not outcome.changed
    # Results that look the same, since they are rounded or differ in their dtype, show nothing.
    return Tried(None if shown == written(expected) else shown, right=accepted)


def same(exercise: Exercise, expected: Any, value: Any) -> bool:
    """Whether the exercise accepts a value."""
    return exercise.compare.difference(expected, value) is None


def rng_of(task_id: str) -> random.Random:
    """A source of random numbers of a task's own, the same in every build."""
    return random.Random(task_id)

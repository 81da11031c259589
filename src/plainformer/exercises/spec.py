"""What an exercise is: everything that a check, a hint or a test needs to know about it.

An exercise lives in one file and is built around its *reference*: a plain, readable solution, the
same one that the page shows folded. Its first line, arguments and docstring are also the stub that
the reader completes, so that the two can never part.

Beside it stand the answers that the checker itself is tested with. A *mutant* is a plausible wrong
answer together with the hint that it must trigger; an *alternate* is a right answer written in
another way, which must pass.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from plainformer.exercises.compare import Compare, Exact, as_code

__all__ = ["Case", "Exercise", "Mutant"]

Args = tuple[Any, ...]


@dataclass(frozen=True)
class Case:
    """One public example: arguments, and the answer worked out by hand (not by the reference)."""

    args: Args
    expected: Any


@dataclass(frozen=True)
class Mutant:
    """A plausible wrong answer and the hint for a reader who gave it."""

    function: Callable[..., Any]
    hint: str


@dataclass(frozen=True)
class Exercise:
    """The specification of one exercise.

    Args:
        id: part, concept and number, such as "inputs.tokenization.2".
        title: a few words for headings and tables.
        reference: the solution; its name, arguments and docstring are the reader's task.
        cases: public examples with hand-made answers, the simplest first.
        generate: draws the arguments of one further case; answers come from the reference.
        hints: help in steps, from a nudge to nearly there; none of them is the solution.
        mutants: wrong answers, each with its own hint.
        alternates: right answers, different from the reference.
        points: what a right answer earns.
        compare: how an answer is compared with the expected one.
        n_generated: how many cases to draw.
        seed: of the generator: every reader, and every run, gets the same cases.
        seconds: the time limit of one check, for all its cases together.
    """

    id: str
    title: str
    reference: Callable[..., Any]
    cases: tuple[Case, ...]
    generate: Callable[[np.random.Generator], Args]
    hints: tuple[str, ...]
    mutants: tuple[Mutant, ...]
    alternates: tuple[Callable[..., Any], ...]
    points: int = 1
    compare: Compare = field(default_factory=Exact)
    n_generated: int = 40
    seed: int = 0
    seconds: float = 5.0

    @property
    def entry(self) -> str:
        """The name of the function that the reader writes."""
        return self.reference.__name__

    @property
    def number(self) -> str:
        """Its number in the chapter, the last part of the id."""
        return self.id.rpartition(".")[2]

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of its arguments, in order."""
        return tuple(inspect.signature(self.reference).parameters)

    @property
    def stub(self) -> str:
        """The source text that the reader starts from: the reference without its body."""
        lines = textwrap.dedent(inspect.getsource(self.reference)).splitlines()
        function = ast.parse("\n".join(lines)).body[0]
        if not isinstance(function, ast.FunctionDef) or ast.get_docstring(function) is None:
            raise ValueError(f"{self.id}: the reference must be a def with a docstring, the task")
        start, docstring = function.lineno - 1, function.body[0]
        return "\n".join([*lines[start : docstring.end_lineno], "    ..."])

    def call_text(self, args: Args, width: int = 300) -> str:
        """The call as the reader would write it: `merge(['a', 'b'], ('a', 'b'))`."""
        shown = [as_code(arg) or self.compare.show(arg) for arg in args]
        text = f"{self.entry}({', '.join(shown)})"
        return text if len(text) <= width else text[: width - 2] + "…)"

"""What an exercise is: everything that a check, a hint or a test needs to know about it.

An exercise lives in one file and is built around its *reference*: a plain, readable solution, the
same one that the page shows folded. Its first line, arguments and docstring are also the stub that
the reader completes, so that the two can never part.

It is accompanied by the answers that the checker itself is tested with. A *mutant* is a plausible
wrong answer, filed under the hint that it must trigger; an *alternate* is a right answer written
in another way, which must pass. Most mutants are the reference with one thing changed, which is
written as `"keys <= queries -> keys < queries"`.
"""

from __future__ import annotations

import ast
import copy
import functools
import inspect
import linecache
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from plainformer.arrays import Array
from plainformer.exercises.compare import Arrays, Compare, Exact, as_code

# All that an exercise's file needs.
__all__ = ["Answer", "Args", "Array", "Arrays", "Case", "Exact", "Exercise", "Group"]

Args = tuple[Any, ...]
Answer = Callable[..., Any]
_F = TypeVar("_F", bound=Answer)
NEEDED = ("numpy", "array_api_compat")  # by the grader's own worker


@dataclass(frozen=True)
class Case:
    """One public example: arguments, and the answer worked out by hand (not by the reference)."""

    args: Args
    expected: Any


@dataclass(frozen=True)
class Group:
    """Inputs of one kind, which earn a share of the points together.

    Args:
        title: what kind, in words for students, such as "lists with one item or none".
        weight: its share of the points, compared with those of the other groups.
        holds: arguments to whether they are of this kind; the last group takes all that are left.
    """

    title: str
    weight: float = 1
    holds: Callable[..., bool] = lambda *args: True


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
        mutants: wrong answers by the hint that each must trigger: a function, or a change to the
            reference, "old -> new". Longer ones follow the exercise: `@EXERCISE.mutant("hint")`.
        alternates: right answers written in another way; longer ones use `@EXERCISE.alternate`.
        points: what a right answer earns.
        compare: how an answer is compared with the expected one.
        n_generated: how many cases to draw.
        seed: of the generator: every reader, and every run, gets the same cases.
        seconds: the time limit of one check, for all its cases together.
        groups: kinds of input that a teacher's mark is divided among, the most ordinary first; a
            case is of the first group that holds. Without them, a mark is all or nothing.
        forbids: packages, such as "plainformer" or "torch", that could do the task by themselves:
            the sandbox in which a teacher marks this exercise has none of them.
    """

    id: str
    title: str
    reference: Answer
    cases: tuple[Case, ...]
    generate: Callable[[np.random.Generator], Args]
    hints: tuple[str, ...]
    mutants: dict[str, Answer | str] = field(default_factory=dict)
    alternates: list[Answer | str] = field(default_factory=list)
    points: int = 1
    compare: Compare = field(default_factory=Exact)
    n_generated: int = 40
    seed: int = 0
    seconds: float = 5.0
    groups: tuple[Group, ...] = ()
    forbids: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check what is forbidden, since a mistake there would only be seen in a mark."""
        names = self.forbids if isinstance(self.forbids, tuple) else ("",)
        if any(each in NEEDED or not each.isidentifier() for each in names):
            raise ValueError(
                "forbids must be a tuple of packages that the grader itself can do without, "
                f"such as ('torch',); got {self.forbids!r}"
            )

    @functools.cached_property
    def drawn(self) -> tuple[Case, ...]:
        """The cases that every check draws, with the reference's answers to copies of them."""
        rng = np.random.default_rng(self.seed)
        drawn = [self.generate(rng) for _ in range(self.n_generated)]
        return tuple(Case(args, self.reference(*copy.deepcopy(args))) for args in drawn)

    def group_of(self, args: Args) -> Group | None:
        """The group of a case, if there are groups."""
        last = self.groups[-1] if self.groups else None
        return next((each for each in self.groups if each.holds(*args)), last)

    def share(self, group: Group) -> float:
        """The points that a group earns."""
        return round(self.points * group.weight / sum(each.weight for each in self.groups), 2)

    def mutant(self, hint: str) -> Callable[[_F], _F]:
        """Add the decorated function to the wrong answers."""

        def add(function: _F) -> _F:
            if hint in self.mutants:
                raise ValueError(f"hint must be new; {hint!r} has its wrong answer already")
            self.mutants[hint] = function
            return function

        return add

    def alternate(self, function: _F) -> _F:
        """Add the decorated function to the right answers."""
        self.alternates.append(function)
        return function

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
        return "\n".join([task_and_body(self.reference)[0], "    ..."])

    def wrong_answers(self) -> list[tuple[str, Answer]]:
        """The mutants as functions, each with its hint."""
        return [(hint, self._function(answer)) for hint, answer in self.mutants.items()]

    def right_answers(self) -> list[Answer]:
        """The alternates as functions."""
        return [self._function(answer) for answer in self.alternates]

    def _function(self, answer: Answer | str) -> Answer:
        return changed(self.reference, answer) if isinstance(answer, str) else answer

    def call_text(self, args: Args, width: int = 300) -> str:
        """The call as the reader would write it: `merge(['a', 'b'], ('a', 'b'))`."""
        shown = [as_code(arg) or self.compare.show(arg) for arg in args]
        text = f"{self.entry}({', '.join(shown)})"
        return text if len(text) <= width else text[: width - 2] + "…)"


@functools.cache
def changed(reference: Answer, change: str) -> Answer:
    """The reference with its body changed: `old -> new`, or `old -> new; old -> new`.

    Args:
        reference: a plain function; its docstring stays as it is.
        change: each `old` must occur in the body exactly once; `new` may be empty.

    Raises:
        ValueError: there is no arrow, or an `old` that is missing or not unique.
    """
    body = task_and_body(reference)[1]
    for part in change.split("; "):
        old, arrow, new = part.partition(" ->")
        if not arrow or body.count(old) != 1:
            stands = f"stands there {body.count(old)} times" if arrow else "has no arrow"
            raise ValueError(
                f"change must be 'old -> new', with an old that {reference.__name__} has once; "
                f"got {part!r}, which {stands}"
            )
        body = body.replace(old, new.removeprefix(" "))
    return with_body(reference, body, change)


def with_body(reference: Answer, body: str, change: str) -> Answer:
    """The reference with another body, which is indented by four spaces.

    Args:
        change: says what is different, in tracebacks.
    """
    source = f"{task_and_body(reference)[0]}\n{body}\n"
    name = f"<{reference.__name__}: {change}>"
    # The standard library looks here for the source of code that is not in a file.
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    names: dict[str, Any] = {}
    exec(compile(source, name, "exec"), reference.__globals__, names)
    function: Answer = names[reference.__name__]
    return function


def task_and_body(reference: Answer) -> tuple[str, str]:
    """The source of a function in two parts: its first line with the docstring, and its body."""
    lines = textwrap.dedent(inspect.getsource(reference)).splitlines()
    function = ast.parse("\n".join(lines)).body[0]
    if not isinstance(function, ast.FunctionDef) or ast.get_docstring(function) is None:
        raise ValueError(f"{reference.__name__} must be a def with a docstring, the task")
    end = function.body[0].end_lineno
    return "\n".join(lines[function.lineno - 1 : end]), "\n".join(lines[end:])

"""What a task is: the data that the page shows, and what it says to each answer."""

from __future__ import annotations

import zlib
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from plainformer.exercises.spec import Exercise

__all__ = ["Choice", "FindTheBug", "OrderTheLines", "Pair", "Task", "WhatComesOut", "task_id"]


@dataclass(frozen=True)
class Choice:
    """One answer that can be chosen, and what is said to a reader who chooses it."""

    text: str
    reply: str
    right: bool = False


@dataclass(frozen=True)
class Pair:
    """Piece `first` must come before piece `then`; `reply` says why."""

    first: int
    then: int
    reply: str


@dataclass(frozen=True)
class Task:
    """What all tasks have in common.

    Args:
        id: stays the same as long as the answer behind the task does, so that a reader's progress
            survives a new edition of the book.
        exercise: the id of the exercise that the task is derived from.
        title: the exercise's title.
        about: what the function is for: its docstring, without the examples.
    """

    kind: ClassVar[str]

    id: str
    exercise: str
    title: str
    about: str

    def as_json(self) -> dict[str, Any]:
        """The task as the page's script reads it."""
        return {"kind": self.kind, **asdict(self)}


@dataclass(frozen=True)
class FindTheBug(Task):
    """A function with one wrong line, and a call that shows it.

    Args:
        head: the line with `def`.
        lines: the body; the right choice is the line with the bug.
        call: the call that goes wrong, as a reader would write it.
        got: what it returns, or the error that it raises.
        raised: whether it raises an error.
        expected: what it should return.
        mends: three replacements for the line, of which one is right.
    """

    kind: ClassVar[str] = "bug"

    head: str
    lines: tuple[Choice, ...]
    call: str
    got: str
    raised: bool
    expected: str
    mends: tuple[Choice, ...]


@dataclass(frozen=True)
class OrderTheLines(Task):
    """The body of a function in pieces, with one piece too many.

    Args:
        head: the line with `def`.
        pieces: the pieces in an order in which they work, and then the one that does not belong.
        extra: what is said to a reader who uses the piece that does not belong.
        pairs: which pieces must come before which; all orders that obey them are right.
        shuffled: the order in which the page shows the pieces.
    """

    kind: ClassVar[str] = "order"

    head: str
    pieces: tuple[str, ...]
    extra: str
    pairs: tuple[Pair, ...]
    shuffled: tuple[int, ...]


@dataclass(frozen=True)
class WhatComesOut(Task):
    """A call whose result the reader works out.

    Args:
        call: the call, as a reader would write it.
        answer: the result as JSON's numbers, texts and lists.
        shown: the result as Python shows it.
        wrong: results that the exercise's wrong answers give, each with its explanation.
    """

    kind: ClassVar[str] = "value"

    call: str
    answer: Any
    shown: str
    wrong: tuple[tuple[Any, str], ...]


def task_id(exercise: Exercise, kind: str, text: str = "") -> str:
    """The id of a task that is derived from this exercise and this text.

    >>> from plainformer.exercises import exercise
    >>> task_id(exercise("attention.masking.2"), "order")
    'attention.masking.2/order'
    """
    return f"{exercise.id}/{kind}" + (f"-{zlib.crc32(text.encode()):08x}" if text else "")

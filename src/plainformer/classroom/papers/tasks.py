"""What a sheet of paper can ask about an exercise: trace, predict, find the bug.

A call is drawn from the exercise's own generator until one has a result that can be worked out with
a pencil, and at least one known mistake would show in it. The answer is computed, never typed in. A
bug is one of the exercise's wrong answers, as on the book's *Practice* tasks.
"""

from __future__ import annotations

import copy
import itertools
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np

from plainformer.classroom.bank.questions import Block, about_blocks
from plainformer.exercises.practice import find_the_bug
from plainformer.exercises.practice.results import call_of, source_of, written
from plainformer.exercises.practice.values import alike, simple
from plainformer.exercises.runner import run
from plainformer.exercises.spec import Args, Exercise

__all__ = ["KINDS", "PaperTask", "bugs", "predict", "trace"]

KINDS = ("trace", "predict", "bug")
DRAWS = 60  # calls that are looked at, for one that suits
LINES = range(2, 15)  # of a function that is traced
LOOKS = 5  # calls, of which the one is taken in which most known mistakes show
CALL = 90  # characters of a call
NUMBERS = 6  # of a result, or of one value in a trace
WORK = 60  # lines that run, at most
STEPS = 10  # values that one name takes
LARGEST = 1000
SECONDS = 2.0


@dataclass(frozen=True)
class PaperTask:
    """One task of a sheet.

    Attributes:
        key: what makes it this one: no sheet has two of the same key.
        kind: one of KINDS.
        exercise: its id.
        title: of the exercise.
        ask: what is printed.
        room: how many lines are left free for the answer.
        answer: what the key says.
    """

    key: str
    kind: str
    exercise: str
    title: str
    ask: tuple[Block, ...]
    room: int
    answer: tuple[Block, ...]


def predict(exercise: Exercise, rng: np.random.Generator) -> PaperTask | None:
    """Ask for the result of a drawn call; None if no drawn call suits.

    >>> from plainformer.exercises import exercise
    >>> task = predict(exercise("attention.masking.2"), np.random.default_rng(3))
    >>> task.ask[-2].text, task.answer[0].text
    ('causal_mask_after(1, 3)', 'It returns `np.array([[True, True, True, True]])`.')
    """
    suited = (
        (call, args, list(_mistakes(exercise, args, value)))
        for call, args, value in _calls(exercise, rng)
    )
    call, args, wrong = max(
        itertools.islice(suited, LOOKS), key=lambda each: len(each[2]), default=("", (), [])
    )
    if not wrong:
        return None
    shown = written(exercise.reference(*copy.deepcopy(args)))
    answer = [Block(f"It returns `{shown}`.")]
    answer += [Block(f"`{written(other)}` comes of a known mistake: {hint}")
               for other, hint in wrong]  # fmt: skip
    how = "What does this call return? Show how you got there."
    return PaperTask(
        f"predict {call}", "predict", exercise.id, exercise.title,
        (*_about(exercise), Block(call, code=True), Block(_rounded(how, str(shown)))),
        5, tuple(answer),
    )  # fmt: skip


def trace(exercise: Exercise, rng: np.random.Generator) -> PaperTask | None:
    """Ask for the values that the names of a function take; None if no drawn call suits.

    >>> from plainformer.exercises import exercise
    >>> task = trace(exercise("attention.masking.2"), np.random.default_rng(3))
    >>> [block.text for block in task.answer][:2]
    ['`queries`: `[[5]]`', '`keys`: `[[0, 1, 2, 3, 4, 5]]`']
    """
    source = source_of(exercise)
    if len(source.body) not in LINES:
        return None
    suited = ((call, args, _values(exercise, args)) for call, args, _ in _calls(exercise, rng))
    call, args, values = max(
        itertools.islice(suited, LOOKS), key=lambda each: len(str(each[2])), default=("", (), {})
    )
    if not values:
        return None
    numbered = [f"{i:2}  {line}" for i, line in enumerate(source.body, 1)]
    names = [f"`{name}`" for name in values]
    listed = " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)
    shown = written(exercise.reference(*copy.deepcopy(args)))
    answer = [Block(f"`{name}`: {', then '.join(f'`{each}`' for each in taken)}")
              for name, taken in values.items()]  # fmt: skip
    how = (
        f"Write down every value that {listed} {'take' if names[1:] else 'takes'}, in order and "
        "without repeating one that stays the same, and what the call returns."
    )
    return PaperTask(
        f"trace {call}", "trace", exercise.id, exercise.title,
        (
            Block("\n".join([source.head, *numbered]), code=True),
            Block("This function is called as follows:"), Block(call, code=True),
            Block(_rounded(how, f"{shown} {values}")),
        ),
        3 + 2 * len(values), (*answer, Block(f"It returns `{shown}`.")),
    )  # fmt: skip


def bugs(exercise: Exercise) -> list[PaperTask]:
    """Every task of finding a bug that an exercise has.

    >>> from plainformer.exercises import exercise
    >>> [task.answer[0].text for task in bugs(exercise("attention.masking.2"))][0]
    'Line 3 is wrong. It should be `return keys <= queries`.'
    """
    found = []
    with warnings.catch_warnings():  # a wrong answer may divide by nothing
        warnings.simplefilter("ignore")
        tasks = find_the_bug(exercise, most=20)
    for task in tasks:
        numbered = [f"{i:2}  {line.text}" for i, line in enumerate(task.lines, 1)]
        (line,) = [i for i, each in enumerate(task.lines, 1) if each.right]
        (mend,) = [each.text for each in task.mends if each.right]
        ends = "raises" if task.raised else "returns"
        found.append(
            PaperTask(
                f"bug {task.id}", "bug", exercise.id, exercise.title,
                (
                    *_about(exercise),
                    Block("\n".join([task.head, *numbered]), code=True),
                    Block("One line of it is wrong. This call shows it:"),
                    Block(task.call, code=True),
                    Block(f"It {ends} `{task.got}`, but it should return `{task.expected}`."),
                    Block("Which line is wrong, why, and what should it be?"),
                ),
                5,
                (
                    Block(f"Line {line} is wrong. It should be `{mend}`."),
                    Block(f"What the exercise says of it: {_hint_of(task.lines[line - 1])}"),
                ),
            )
        )  # fmt: skip
    return found


def _hint_of(choice: Any) -> str:
    """The hint of a wrong answer, out of the reply of a choice."""
    return str(choice.reply).partition("“")[2].rstrip("”") or str(choice.reply)


def _calls(exercise: Exercise, rng: np.random.Generator) -> Iterator[tuple[str, Args, Any]]:
    """Drawn calls with results for a pencil; no call whose result the students know already."""
    known = exercise.reference.__doc__ or ""
    known += "".join(call_of(exercise, case.args) or "" for case in exercise.cases)
    for _ in range(DRAWS):
        args = exercise.generate(rng)
        call = call_of(exercise, args)
        if call is None or len(call) > CALL or call in known:
            continue
        value = simple(exercise.reference(*copy.deepcopy(args)))
        if value in ([], "") or not _by_pencil(value):
            continue
        if _watched(exercise, args, lambda names: None) <= WORK:
            yield call, args, value


def _mistakes(exercise: Exercise, args: Args, value: Any) -> Iterator[tuple[Any, str]]:
    """What known mistakes return instead, each value once."""
    seen = [value]
    for hint, function in exercise.wrong_answers():
        with warnings.catch_warnings():  # a wrong answer may divide by nothing
            warnings.simplefilter("ignore")
            outcome = run(function, args, SECONDS)
        other = None if outcome.error is not None else simple(outcome.value)
        if other is not None and written(other) and not any(alike(other, each) for each in seen):
            seen.append(other)
            yield other, hint


def _values(exercise: Exercise, args: Args) -> dict[str, list[str]]:
    """The values that each name of a function takes, in order; without names that do not suit."""
    taken: dict[str, list[str | None]] = {}

    def look(names: dict[str, Any]) -> None:
        for name in names:
            if name not in exercise.parameters:
                value = simple(names[name])
                row = taken.setdefault(name, [])
                shown = written(value) if _by_pencil(value) else None
                if not row or row[-1] != shown:
                    row.append(shown)

    _watched(exercise, args, look)
    return {
        name: [str(each) for each in row]
        for name, row in taken.items()
        if len(row) <= STEPS and None not in row
    }


def _watched(exercise: Exercise, args: Args, look: Callable[[dict[str, Any]], None]) -> int:
    """Call a reference, look at its names after each line; return how many lines that were."""
    code, steps = exercise.reference.__code__, 0

    def watch(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal steps
        if frame.f_code is not code:
            return None
        steps += event == "line"
        look(frame.f_locals)
        return watch

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        exercise.reference(*copy.deepcopy(args))
    finally:
        sys.settrace(before)
    return steps


def _by_pencil(value: Any) -> bool:
    if isinstance(value, list):
        return _count(value) <= NUMBERS and all(_by_pencil(each) for each in value)
    if isinstance(value, str):
        return len(value) <= 20
    return value is not None and abs(value) <= LARGEST


def _count(value: Any) -> int:
    return sum(map(_count, value)) if isinstance(value, list) else 1


def _rounded(how: str, shown: str) -> str:
    """What is asked, with a word on rounding where a value has decimals."""
    return f"{how} Round to two decimals." if re.search(r"\d\.\d*[1-9]", shown) else how


def _about(exercise: Exercise) -> tuple[Block, ...]:
    return about_blocks(source_of(exercise).about)

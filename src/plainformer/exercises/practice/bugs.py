"""Find the bug: the reference with one line changed, a call that goes wrong, three ways to mend it.

A wrong answer makes a task if it changes a single line of the reference, if a short public case
shows that something is wrong, and if two other wrong answers change the same line: they become
the mends that do not help.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from plainformer.exercises.practice.items import Choice, FindTheBug, task_id
from plainformer.exercises.practice.results import (
    Source,
    cases_by_length,
    code_lines,
    rng_of,
    source_of,
    tried,
)  # fmt: skip
from plainformer.exercises.spec import Case, Exercise, changed, task_and_body

__all__ = ["Change", "find_the_bug", "one_line_changes"]

LINES = range(2, 13)  # of the body: one line leaves nothing to find, and many take too long to read
MENDS = 3
MOST = 4  # of one exercise: more would show the same function again


@dataclass(frozen=True)
class Change:
    """A wrong answer that differs from the reference in a single line of its body."""

    line: int
    text: str
    change: str
    hint: str


def one_line_changes(exercise: Exercise, source: Source) -> list[Change]:
    """The wrong answers that change one line, each with the text that the line then has."""
    found, seen = [], set(source.body)
    for hint, answer in exercise.mutants.items():
        if not isinstance(answer, str):
            continue
        body = task_and_body(exercise.reference)[1]
        for part in answer.split("; "):
            old, _, new = part.partition(" ->")
            body = body.replace(old, new.removeprefix(" "))
        lines = code_lines(body)
        if len(lines) != len(source.body):
            continue
        differing = [i for i, line in enumerate(lines) if line != source.body[i]]
        if len(differing) != 1 or not lines[differing[0]].strip():
            continue
        text = lines[differing[0]]
        if text not in seen:
            seen.add(text)
            found.append(Change(differing[0], text, answer, hint))
    return found


def find_the_bug(exercise: Exercise, most: int = MOST) -> list[FindTheBug]:
    """Derive tasks of this kind from an exercise.

    Args:
        exercise: the specification.
        most: how many tasks to derive at most. They are drawn at random, and every call draws the
            same ones.

    >>> from plainformer.exercises import exercise
    >>> task = find_the_bug(exercise("attention.masking.2"), most=1)[0]
    >>> task.call, task.got, task.expected
    ('causal_mask_after(1, 0)', 'np.array([[False]])', 'np.array([[True]])')
    >>> [choice.text for choice in task.lines if choice.right]
    ['return keys < queries']
    >>> [choice.text for choice in task.mends if choice.right]
    ['return keys <= queries']
    """
    source = source_of(exercise)
    if len(source.body) not in LINES:
        return []
    changes = one_line_changes(exercise, source)
    cases = cases_by_length(exercise)
    drawn = rng_of(exercise.id).sample(changes, len(changes))
    tasks = (_task(exercise, source, bug, changes, cases) for bug in drawn)
    return list(itertools.islice((task for task in tasks if task is not None), most))


def _task(
    exercise: Exercise,
    source: Source,
    bug: Change,
    changes: list[Change],
    cases: list[tuple[str, str, Case]],
) -> FindTheBug | None:
    others = [each for each in changes if each.line == bug.line and each is not bug]
    if len(others) < MENDS - 1:
        return None
    wrong = changed(exercise.reference, bug.change)
    shown = next((each for each in cases if tried(exercise, wrong, each[2]).shows_a_mistake), None)
    if shown is None:
        return None
    call, expected, case = shown
    got = tried(exercise, wrong, case)
    id = task_id(exercise, "bug", bug.change)
    rng = rng_of(id)
    mended = f"With this line the call returns `{expected}`, as it should."
    mends = [Choice(source.body[bug.line].strip(), mended, right=True)]
    mends += [
        Choice(each.text.strip(), f"That would be another mistake. {_said(each)}")
        for each in rng.sample(others, MENDS - 1)
    ]
    rng.shuffle(mends)
    lines = [
        Choice(bug.text, _said(bug), right=True)
        if i == bug.line
        else Choice(line, _about_right_line(exercise, i, changes, case))
        for i, line in enumerate(source.body)
    ]
    return FindTheBug(
        id=id, exercise=exercise.id, title=exercise.title, about=source.about, head=source.head,
        lines=tuple(lines), call=call, got=str(got.text), raised=got.raised, expected=expected,
        mends=tuple(mends),
    )  # fmt: skip


def _about_right_line(exercise: Exercise, line: int, changes: list[Change], case: Case) -> str:
    """What to say to a reader who takes a right line for the bug: how a mistake in it looks."""
    for each in changes:
        if each.line == line:
            got = tried(exercise, changed(exercise.reference, each.change), case)
            if got.shows_a_mistake:
                ends = "raise" if got.raised else "return"
                return (
                    f"This line is right. A mistake here would look different: with "
                    f"`{each.text.strip()}`, the call would {ends} `{got.text}`."
                )
    return "This line is right, so the mistake must be in another one."


def _said(change: Change) -> str:
    return f"To an answer with this line, the exercise says: “{change.hint}”"

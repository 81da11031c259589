"""The verdict: from what an answer did to a mark, and to words for the student.

What may be told: of a public case everything; of a hidden one no more than how it failed. The words
that come from a student's code were shortened, and made harmless, by the judge before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from plainformer.exercises.grading import Trial, recognise
from plainformer.exercises.spec import Exercise

__all__ = ["Mark", "Status", "give_mark", "judged", "stopped"]

Status = Literal[
    "ok", "wrong", "timeout", "memory", "crashed", "unreadable", "violation", "missing"
]


@dataclass(frozen=True)
class Mark:
    """What one exercise of one submission earned, and why, for the student.

    Attributes:
        exercise: its id.
        status: "ok", or what came between.
        points: earned, of `possible`.
        public, hidden: how many cases were right, and of how many.
        text: what to tell the student: never a hidden case or an expected value of one.
        hint: of the known mistake that this answer makes; None if it is none of them.
        groups: for each kind of input its title, how many cases were right, of how many, and the
            points; empty where a mark is all or nothing.
        by_hand: whether a person has set the points.
        comment: of that person, for the student.
        taken: what a rule took off of the points, and why; see `rules`.
        waiting: whether nobody has marked it yet, so that it counts for nothing.
    """

    exercise: str
    status: Status
    points: float
    possible: float
    public: tuple[int, int] = (0, 0)
    hidden: tuple[int, int] = (0, 0)
    text: str = ""
    hint: str | None = None
    groups: tuple[tuple[str, int, int, float], ...] = ()
    by_hand: bool = False
    comment: str = ""
    taken: tuple[tuple[str, float], ...] = ()
    waiting: bool = False


STOPPED = {
    "timeout": "It did not come to an end within {limit:g} seconds. Is there a loop without end?",
    "memory": "It used more memory, or started more processes, than a submission may.",
    "crashed": "Python itself stopped while your code ran.",
    "violation": "What came back is more than the grader reads of one answer, or your code wrote "
    "where only the grader writes.",
}


def stopped(
    exercise: Exercise, status: Status, trials: list[Trial], limit: float, loading: bool
) -> Mark:
    """The mark of code that was ended, with the public case at which it was."""
    text = STOPPED[status].format(limit=limit)
    if loading:
        text += "\nIt was busy with your cells, before your function was called."
    elif len(trials) < len(exercise.cases):
        text += f"\nThe call:  {exercise.call_text(exercise.cases[len(trials)].args)}"
    return give_mark(exercise, status, text, trials)


def judged(exercise: Exercise, trials: list[Trial], plain: Callable[[Any], Any]) -> Mark:
    """The mark of code that answered every case.

    Args:
        exercise: the specification.
        trials: of all cases.
        plain: a value to what is left of it when it has travelled.
    """
    wrong = [trial for trial in trials if not trial.right]
    if not wrong:
        return give_mark(exercise, "ok", "All cases are right, the hidden ones too.", trials)
    if all(trial.outcome.seen is not None and trial.outcome.seen.nothing for trial in trials):
        return give_mark(exercise, "missing", "Your function returns nothing.", trials)
    public = [trial for trial in wrong if trial.public]
    hint, sure = recognise(exercise, trials, wrong, (public or wrong)[0], plain)
    text = _public(exercise, public[0]) if public else _hidden(wrong)
    if hint is not None and not sure:
        hint = f"Perhaps this is it: {hint}"
    return give_mark(exercise, "wrong", text, trials, hint)


def _public(exercise: Exercise, trial: Trial) -> str:
    """What went wrong with a public case."""
    outcome = trial.outcome
    lines = [f"The call:    {exercise.call_text(trial.args)}"]
    if outcome.error is not None:
        said, notes = str(outcome.error), getattr(outcome.error, "__notes__", [""])
        lines.append(f"It stopped:  {type(outcome.error).__name__}: {said}")
        lines += [f"In line:     {notes[0]}"] if notes[0] else []
        return "\n".join(lines)
    shown = outcome.seen.shown if outcome.seen else ""
    lines.append(f"Your answer: {shown}")
    lines.append(f"Expected:    {exercise.compare.show(trial.expected)}")
    if trial.difference is None:
        lines.append("The answer is right, but it changed what it was given.")
    else:
        lines.append(f"Look here:   {trial.difference}.")
    return "\n".join(lines)


def _hidden(wrong: list[Trial]) -> str:
    """What may be told of hidden cases: how they went wrong, and not which they are."""
    said = "All public cases are right; hidden ones are not."
    # The exception is not named, because its class may be chosen by the input that it met.
    if any(trial.outcome.error is not None for trial in wrong):
        said += " In some of them your function stopped with an exception."
    return said


def give_mark(
    exercise: Exercise,
    status: Status,
    text: str,
    trials: Sequence[Trial] = (),
    hint: str | None = None,
) -> Mark:
    """A mark, with the points that its status earns and the cases counted."""
    right = [sum(t.right for t in trials if t.public is public) for public in (True, False)]
    groups = _by_group(exercise, trials) if status in ("ok", "wrong") and trials else ()
    points = exercise.points if status == "ok" else round(sum(each[3] for each in groups), 2)
    return Mark(
        exercise.id,
        status,
        points,
        exercise.points,
        (right[0], len(exercise.cases)),
        (right[1], exercise.n_generated),
        text,
        hint,
        groups,
    )


def _by_group(
    exercise: Exercise, trials: Sequence[Trial]
) -> tuple[tuple[str, int, int, float], ...]:
    """What each kind of input earned: its points if all of it is right.

    The first kind is the task itself. Without it the others earn nothing, since an answer that is
    always empty would be right where the input is.
    """
    found: list[tuple[str, int, int, float]] = []
    for group in exercise.groups:
        of_it = [trial.right for trial in trials if exercise.group_of(trial.args) is group]
        earned = all(of_it) and (not found or found[0][1] == found[0][2])
        share = exercise.share(group) if earned else 0
        found.append((group.title, sum(of_it), len(of_it), share))
    return tuple(found)

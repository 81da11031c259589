"""Grade an answer: run it on every case, find the first thing that is wrong, and say it kindly.

The checks follow the order in which a person would look. Is it a function with the right
arguments? Is it still the untouched stub? Does it finish? Is each answer right? Are the arguments
unchanged? If several answers are wrong, the simplest case is shown. Then the mutants are run: a
reader whose answers are those of a known mistake is told about that mistake, without being shown
the solution.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from plainformer.exercises import limit
from plainformer.exercises.compare import describe_size, describe_type, safe_repr, shorten
from plainformer.exercises.runner import Outcome, does_nothing, guarded, line_of, run
from plainformer.exercises.spec import Args, Exercise

__all__ = ["Description", "Reason", "Result", "Trial", "compared", "grade", "is_right", "recognise"]

PATIENCE = 3  # how many endless calls the search for a hint waits for, one second each

Reason = Literal["passed", "stub", "call", "raised", "time", "wrong", "changed"]


@dataclass(frozen=True)
class Result:
    """The result of a check: its points, why, and the text for the reader.

    True in an `if` when the answer passed. Shows nothing of its own in a notebook, where the
    check has already printed `message`.
    """

    exercise: str
    reason: Reason
    points: int
    possible: int
    message: str
    hint: str | None = None

    @property
    def passed(self) -> bool:
        return self.reason == "passed"

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        return f"<{self.exercise}: {self.reason}, {self.points} of {self.possible} points>"

    def _ipython_display_(self) -> None:
        """Keep a notebook from printing the verdict twice."""


@dataclass(frozen=True)
class Description:
    """What is said about an answer, put into words within its time limit."""

    difference: str | None
    shown: str = ""
    nothing: bool = False


@dataclass(frozen=True)
class Trial:
    """One case that was run: the arguments, the right answer, what the answer did."""

    args: Args
    expected: Any
    public: bool
    outcome: Outcome

    @property
    def difference(self) -> str | None:
        return self.outcome.seen.difference if self.outcome.seen else None

    @property
    def right(self) -> bool:
        return self.outcome.error is None and self.difference is None and not self.outcome.changed


def grade(exercise: Exercise, candidate: object) -> Result:
    """Grade one answer; print nothing, and raise nothing because of what the answer does.

    Args:
        exercise: the specification.
        candidate: what the reader hands in, hopefully a function.

    Returns:
        The result, with the message for the reader.
    """
    if wrong := guarded(lambda: _cannot_be_called(exercise, candidate), otherwise=None):
        return _result(exercise, "call", wrong)
    function: Callable[..., Any] = candidate  # type: ignore[assignment]
    trials = list(_trials(exercise, function))
    wrong_trials = [trial for trial in trials if not trial.right]
    if not wrong_trials:
        n = len(exercise.cases)
        checked = f"Checked on {n} examples and {len(trials) - n} random inputs."
        return _result(exercise, "passed", checked)
    if _is_stub(function, wrong_trials[0]):
        return _result(exercise, "stub", f"Hint: hint({exercise.id!r})")

    late = [trial for trial in wrong_trials if trial.outcome.out_of_time]
    worst = late[0] if late else _simplest(exercise, wrong_trials)
    text, reason = _explain(exercise, function, worst)
    hint, sure = recognise(exercise, trials, wrong_trials, worst)
    if hint is not None:
        text += f"\n\n{'' if sure else 'Perhaps this is it: '}{hint}"
    return _result(exercise, reason, f"{text}\n\n{_tally(exercise, trials)}", hint)


def _cannot_be_called(exercise: Exercise, candidate: object) -> str | None:
    """Why the thing handed in cannot be called with the exercise's arguments, or None."""
    asked = f"check({exercise.id!r}, {exercise.entry})"
    if not callable(candidate):
        return (
            f"A check needs your function itself, and it got {describe_type(candidate)}.\n"
            f"Write the function's name without brackets: {asked}"
        )
    try:
        signature = inspect.signature(candidate)
    except (TypeError, ValueError):  # some built-in functions have none
        return None
    try:
        signature.bind(*exercise.parameters)
    except TypeError:
        name = getattr(candidate, "__name__", exercise.entry)
        return (
            f"It will be called as {exercise.entry}({', '.join(exercise.parameters)}), "
            f"but yours is defined as {name}{signature}.\n"
            "Names are up to you; the number of arguments, and their order, are not."
        )
    return None


def is_right(exercise: Exercise, function: Callable[..., Any]) -> bool:
    """Whether an answer passes: asked up to the first case that it does not, and told no hint.

    >>> from plainformer.exercises import exercise
    >>> is_right(exercise("attention.masking.2"), lambda T, offset: None)
    False
    """
    return all(trial.right for trial in _trials(exercise, function))


def _trials(exercise: Exercise, function: Callable[..., Any]) -> Iterator[Trial]:
    """Run the public cases and then the random ones, up to the first that runs out of time or
    returns something wrong and huge."""
    todo = [(case, True) for case in exercise.cases]
    todo += [(case, False) for case in exercise.drawn]  # before the reader's code runs
    deadline = limit.clock.now() + exercise.seconds
    for case, public in todo:
        left = max(deadline - limit.clock.now(), 0.001)
        examine = partial(_describe, exercise, case.expected, public)
        outcome = run(function, case.args, left, examine)
        yield (trial := Trial(case.args, case.expected, public, outcome))
        if outcome.out_of_time or not (outcome.kept or trial.right):
            return


def _describe(exercise: Exercise, expected: Any, public: bool, value: Any) -> Description:
    """Describe a value, within the time limit, because its own methods may do anything."""
    difference = compared(exercise, expected, value, reveal=public)
    if difference is None:
        return Description(None)
    return Description(difference, exercise.compare.show(value), value is None)


def compared(exercise: Exercise, want: Any, have: Any, *, reveal: bool = True) -> str | None:
    """The difference of two answers; an answer whose own methods fail differs."""
    try:
        return exercise.compare.difference(want, have, reveal=reveal)
    except (Exception, SystemExit) as error:
        return f"it cannot be compared: {describe_type(have)} that raises {type(error).__name__}"


def _is_stub(function: Callable[..., Any], trial: Trial) -> bool:
    if issubclass(type(trial.outcome.error), NotImplementedError):
        return True
    nothing = trial.outcome.seen is not None and trial.outcome.seen.nothing
    return nothing and guarded(lambda: does_nothing(function), otherwise=False)


def _simplest(exercise: Exercise, wrong: list[Trial]) -> Trial:
    """The first public example that fails, or else the drawn case with the shortest input."""
    public = [trial for trial in wrong if trial.public]
    return public[0] if public else min(wrong, key=lambda trial: len(safe_repr(trial.args)))


def _explain(exercise: Exercise, function: Callable[..., Any], trial: Trial) -> tuple[str, Reason]:
    """What went wrong in one case."""
    outcome, show = trial.outcome, exercise.compare.show
    lines = [f"The call:    {exercise.call_text(trial.args)}"]
    if outcome.out_of_time and outcome.returned:
        lines.append(
            f"Your function returned something, and within {exercise.seconds:g} seconds we could "
            "not look at all of it: is it huge, or does a method of its own never end?"
        )
        return "\n".join(lines), "time"
    if outcome.out_of_time:
        lines.append(
            f"No answer within {exercise.seconds:g} seconds. Is there a loop that never ends? "
            "Look for the value that should change in it and does not."
        )
        if getattr(outcome.error, "still_running", False):
            lines.append("It could not be stopped: restart the kernel to be rid of it.")
        return "\n".join(lines), "time"
    if outcome.error is not None:
        lines.append(_explain_error(function, outcome.error))
        return "\n".join(lines), "raised"
    if trial.difference is None:
        names = " and ".join(exercise.parameters[i] for i in outcome.changed)
        lines.append(
            f"The answer is right, but your function has changed {names}, which belongs to its "
            "caller and may still be needed. Build something new instead."
        )
        return "\n".join(lines), "changed"

    lines.append(f"Your answer: {outcome.seen.shown}")
    kind = f"{describe_size(trial.expected)} (a random input, so the values stay hidden)"
    lines.append(f"Expected:    {show(trial.expected) if trial.public else kind}")
    if outcome.seen.nothing:
        printed = "printed something but " if outcome.printed.strip() else ""
        lines.append(f"Your function {printed}returned nothing. Is there a `return` missing?")
    else:
        lines.append(f"Look here:   {trial.difference}.")
    if outcome.printed.strip():
        lines.append(f"It printed:  {shorten(outcome.printed.strip(), 300)}")
    if not trial.public:
        lines.append("Of all inputs that went wrong this is the simplest: work it out on paper.")
    return "\n".join(lines), "wrong"


def _explain_error(function: Callable[..., Any], error: BaseException) -> str:
    """The reader's exception, with the reader's own line and nothing of ours."""
    where = guarded(lambda: line_of(function, error), otherwise=None)
    if issubclass(type(error), RecursionError):
        said = "Your function calls itself without end (RecursionError). When should it stop?"
    elif issubclass(type(error), SystemExit):
        said = "Your function tried to leave Python (exit, quit or sys.exit). Use `return` instead."
    else:
        text = guarded(lambda: shorten(safe_repr(error, str), 200), otherwise="")
        said = f"Your function stopped with {type(error).__name__}{': ' if text else ''}{text}"
    return f"{said}\n{where[0].upper() + where[1:]}" if where else said


def recognise(
    exercise: Exercise,
    trials: list[Trial],
    wrong: list[Trial],
    shown: Trial,
    plain: Callable[[Any], Any] = lambda value: value,
) -> tuple[str | None, bool]:
    """The hint of the mutant that answers like the reader, and whether it does so everywhere.

    If there is none, the hint of a mutant that is wrong in the same way: either in all cases that
    went wrong or, since a reader may have made two mistakes, in the case that the message shows
    and in most others of its kind (wrong values or exceptions).

    `plain` applies to a mutant's value the same conversion that the reader's value went through.
    """
    answered = [trial for trial in trials if not trial.outcome.out_of_time]
    failed = [trial for trial in wrong if not trial.outcome.out_of_time]
    if not failed:
        return None, False
    mutants = exercise.wrong_answers()
    patience = [PATIENCE]

    def alike(mutant: Callable[..., Any], trial: Trial) -> bool:
        if patience[0] == 0:
            return False
        found, in_time = _alike(exercise, mutant, trial, plain)
        patience[0] -= not in_time
        return found

    for some, sure in ((answered, True), (failed, False)):
        for hint, mutant in mutants:
            if all(alike(mutant, trial) for trial in some):
                return hint, sure
    kind = [t for t in failed if (t.outcome.error is None) == (shown.outcome.error is None)]
    for hint, mutant in mutants:
        agreed = sum(alike(mutant, trial) for trial in kind)
        if 2 * agreed > len(kind) and alike(mutant, shown):
            return hint, False
    return None, False


def _alike(
    exercise: Exercise,
    mutant: Callable[..., Any],
    trial: Trial,
    plain: Callable[[Any], Any],
) -> tuple[bool, bool]:
    """Whether a mutant behaves like the answer in this case, and whether that was decided in
    time."""
    theirs = trial.outcome
    if not theirs.kept:
        return False, True
    with np.errstate(all="ignore"):  # a reader need not see a mutant overflow
        ours = run(
            mutant,
            trial.args,
            1.0,
            lambda value: compared(exercise, plain(value), theirs.value) is None,
        )
    if theirs.error is not None or ours.error is not None:
        # By name, because the reader's exception may come from another process.
        both = theirs.error is not None and ours.error is not None
        alike = type(theirs.error).__name__ == type(ours.error).__name__
        return both and alike, not ours.out_of_time
    return bool(ours.seen) and ours.changed == theirs.changed, True


def _tally(exercise: Exercise, trials: list[Trial]) -> str:
    n = len(exercise.cases)
    right = [sum(trial.right for trial in part) for part in (trials[:n], trials[n:])]
    tally = f"Right so far: {right[0]} of {n} examples"
    if len(trials) > n:
        tally += f", {right[1]} of {len(trials) - n} random inputs"
    return f"{tally}.\n{_way_to_a_hint(exercise)}"


def _way_to_a_hint(exercise: Exercise) -> str:
    return f"For a hint: hint({exercise.id!r})"


def _result(exercise: Exercise, reason: Reason, text: str, hint: str | None = None) -> Result:
    points = exercise.points if reason == "passed" else 0
    verdict = "not yet"
    if reason == "passed":
        verdict = f"correct, {points} of {points} {'point' if points == 1 else 'points'}"
    message = f"{exercise.id} ({exercise.entry}): {verdict}.\n{text}"
    if reason == "stub":  # two short lines: the page shows them under every exercise
        message = f"Exercise {exercise.number}: nothing here yet.\n{text}"
    return Result(exercise.id, reason, points, exercise.points, message, hint)

"""The history of a training run: its losses, its learning rates, and snapshots of the model.

A training loop fills it through `History.report`, and the widget `TrainingRun` displays it. As JSON
it takes at most `MAX_BYTES`, so that a trained model can carry the history of its training along.
In a long run each point of the saved curve is the mean of several steps, which flattens a spike of
a single step.

>>> history = History("toy")
>>> for step, loss in enumerate([4.0, 3.0, 2.5, 2.25]):
...     history.report(TrainingStep(step, loss, learning_rate=0.01))
>>> history.loss
[4.0, 3.0, 2.5, 2.25]
>>> history.downsampled(2).loss  # the mean of every two steps
[3.5, 2.375]
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from plainformer.arrays import as_array, as_numpy, check_number, check_size

__all__ = ["MAX_BYTES", "History", "Snapshot", "TrainingStep"]

MAX_BYTES = 200_000
"""The largest size of a history as JSON."""

MAX_POINTS = 2_000
"""The largest number of points on the saved curve."""

MAX_SAMPLE, MAX_TOKENS = 2_000, 32
"""The largest number of characters in a snapshot's sample, and of tokens in its attention map."""


class Progress(Protocol):
    """What a loop reports after a step; it may have more attributes."""

    @property
    def step(self) -> int: ...
    @property
    def loss(self) -> float: ...
    @property
    def learning_rate(self) -> float: ...


class TrainingStep(NamedTuple):
    """One training step: its number, its loss in nats per token, and its learning rate."""

    step: int
    loss: float
    learning_rate: float


@dataclass(frozen=True)
class Snapshot:
    """What the model did at one step.

    Attributes:
        step: the number of updates before it.
        sample: text that the model generated.
        tokens: T tokens that the model read; there may be none.
        attention: (T, T), the attention of each token to each, in one head or as a mean of several.
    """

    step: int
    sample: str
    tokens: list[str] = field(default_factory=list)
    attention: list[list[float]] = field(default_factory=list)


@dataclass
class History:
    """The learning curve of a run, its losses on held-out text, and its snapshots.

    Attributes:
        name: the name of the run.
        steps: (N,), increasing.
        loss: (N,), the loss of each step's batch, in nats per token.
        learning_rate: (N,).
        held_out: pairs of a step and the loss on held-out text.
        snapshots: what the model generated and attended to, in the order of their steps. In JSON
            they are called "moments", as in files that older versions wrote.
    """

    name: str
    steps: list[int] = field(default_factory=list)
    loss: list[float] = field(default_factory=list)
    learning_rate: list[float] = field(default_factory=list)
    held_out: list[tuple[int, float]] = field(default_factory=list)
    snapshots: list[Snapshot] = field(default_factory=list)

    def report(self, progress: Progress) -> None:
        """Add a step, which a training loop does after each of its steps.

        Raises:
            TypeError: something is not a number.
            ValueError: the step is not above the last one; the loss or the rate is not finite.
        """
        step = _next_step(progress.step, self.steps)
        loss = check_number(progress.loss, "loss")
        self.learning_rate.append(check_number(progress.learning_rate, "learning_rate"))
        self.steps.append(step)
        self.loss.append(loss)

    def add_held_out(self, step: int, loss: float) -> None:
        """Add a loss on held-out text; raises the same errors as `report`.

        >>> history = History("toy")
        >>> history.add_held_out(100, 2.5)
        >>> history.held_out
        [(100, 2.5)]
        """
        before = [each for each, _ in self.held_out]
        self.held_out.append((_next_step(step, before), check_number(loss, "loss")))

    def add_snapshot(
        self, step: int, sample: str, tokens: Iterable[str] = (), attention: Any = ()
    ) -> None:
        """Add a snapshot of what the model does: generated text and an attention map.

        Args:
            step: above those of the earlier snapshots.
            sample: generated text of at most `MAX_SAMPLE` characters.
            tokens: T of them, at most `MAX_TOKENS`.
            attention: (T, T), weights from 0 to 1, as a NumPy array, a torch tensor, or lists.

        Raises:
            TypeError: an argument is of another kind.
            ValueError: an argument is too long, of another shape, or out of range.

        >>> history = History("toy")
        >>> history.add_snapshot(0, "qzx", ["a", "b"], [[1.0, 0.0], [0.25, 0.75]])
        >>> history.snapshots[0].attention[1]
        [0.25, 0.75]
        """
        step = _next_step(step, [each.step for each in self.snapshots])
        words = tokens if isinstance(tokens, str) else list(tokens)
        if isinstance(words, str) or not all(isinstance(each, str) for each in words):
            raise TypeError(f"tokens must be a list of strings; got {tokens!r}")
        if len(words) > MAX_TOKENS:
            raise ValueError(f"tokens must be at most {MAX_TOKENS}; got {len(words)}")
        weights = as_numpy(as_array(attention, "attention")).astype(np.float64)
        T = len(words)
        if weights.shape != (T, T) and not (T == 0 and weights.size == 0):
            raise ValueError(
                f"attention must have shape ({T}, {T}), as tokens; got {weights.shape}"
            )
        if not ((weights >= 0) & (weights <= 1 + 1e-6)).all():  # this also refuses NaN
            raise ValueError("attention must hold weights from 0 to 1")
        rows = weights.tolist() if T else []
        self.snapshots.append(Snapshot(step, _text(sample, "sample", MAX_SAMPLE), words, rows))

    def rewind(self, step: int) -> None:
        """Remove everything from `step` on, for a run that resumes from an earlier checkpoint.

        >>> history = History("toy", [0, 1, 2], [3.0, 2.0, 1.0], [0.1, 0.1, 0.1])
        >>> history.rewind(1)
        >>> history.steps
        [0]
        """
        kept = sum(each < check_size(step, "step", least=0) for each in self.steps)
        for column in (self.steps, self.loss, self.learning_rate):
            del column[kept:]
        self.held_out = [pair for pair in self.held_out if pair[0] < step]
        self.snapshots = [each for each in self.snapshots if each.step < step]

    def downsampled(self, points: int, snapshots: int | None = None) -> History:
        """Return the history with at most this many points and this many snapshots.

        Each point is then the mean loss of a group of 2, 4, 8, ... steps, at the last of them.
        Downsampling twice gives the same result as downsampling once. Snapshots are dropped
        evenly, and the first and the last are kept.
        """
        check_size(points, "points")
        width = 1
        while len({step // width for step in self.steps}) > points:
            width *= 2
        groups: dict[int, list[int]] = {}
        for i, step in enumerate(self.steps):
            groups.setdefault(step // width, []).append(i)
        return History(
            self.name,
            [self.steps[each[-1]] for each in groups.values()],
            [float(np.mean([self.loss[i] for i in each])) for each in groups.values()],
            [self.learning_rate[each[-1]] for each in groups.values()],
            _evenly(self.held_out, points),
            _evenly(self.snapshots, len(self.snapshots) if snapshots is None else snapshots),
        )

    def to_json(self, *, exact: bool = False) -> str:
        """Return the history as JSON of at most `MAX_BYTES`.

        A history that is too long is downsampled: first the curve, to `MAX_POINTS`, and then the
        snapshots, until they fit. Losses have five decimals, rates six digits, and attention
        weights three decimals.

        Args:
            exact: keep every point and every digit instead, however large the result, so that a
                run can be resumed with it.

        >>> History("toy", [0], [4.0], [0.01]).to_json()
        '{"name":"toy","steps":[0],"loss":[4.0],"held_out":[],"learning_rate":[0.01],"moments":[]}'
        """
        if exact:
            return json.dumps(self.as_data(exact=True), **_COMPACT)
        most = max(1, len(self.snapshots))
        text = json.dumps(self.downsampled(MAX_POINTS).as_data(), **_COMPACT)
        while len(text.encode()) > MAX_BYTES and most > 1:
            most = (most + 1) // 2
            text = json.dumps(self.downsampled(MAX_POINTS, most).as_data(), **_COMPACT)
        return text

    def as_data(self, *, exact: bool = False) -> dict[str, Any]:
        """Return dicts, lists and numbers as JSON has them, rounded as in `to_json`."""
        digits = (lambda x, _: x) if exact else round
        return {
            "name": self.name,
            "steps": list(self.steps),
            "loss": [digits(each, 5) for each in self.loss],
            "held_out": [[step, digits(loss, 5)] for step, loss in self.held_out],
            "learning_rate": [
                each if exact else float(f"{each:.6g}") for each in self.learning_rate
            ],
            "moments": [
                {
                    "step": each.step,
                    "sample": each.sample,
                    "tokens": each.tokens,
                    "attention": [[digits(w, 3) for w in row] for row in each.attention],
                }
                for each in self.snapshots
            ],
        }

    @classmethod
    def from_json(cls, text: str) -> History:
        """Return the history that `to_json` wrote.

        Raises:
            TypeError: text is not a string, or one of its values is of another kind.
            ValueError: it is not JSON, something is missing, or a value is out of range.

        >>> History.from_json(History("toy", [0], [4.0], [0.01]).to_json()).loss
        [4.0]
        >>> History.from_json("{}")
        Traceback (most recent call last):
        ValueError: a history must have name, steps, loss, held_out, learning_rate, moments; it
        lacks name
        """
        if not isinstance(text, str):
            raise TypeError(f"text must be a string of JSON; got {type(text).__name__}")
        try:
            data = json.loads(text)
        except json.JSONDecodeError as error:
            raise ValueError(f"text must be a history as JSON; {error}") from error
        _check_keys(data, list(cls("").as_data()), "a history")
        for name in ("steps", "loss", "learning_rate", "held_out", "moments"):
            if not isinstance(data[name], list):
                raise TypeError(f"{name} must be a list; got {type(data[name]).__name__}")
        history = cls(_text(data["name"], "name", MAX_SAMPLE))
        columns = [data[name] for name in ("steps", "loss", "learning_rate")]
        if len({len(column) for column in columns}) > 1:
            lengths = ", ".join(str(len(column)) for column in columns)
            raise ValueError(f"steps, loss and learning_rate must be of one length; got {lengths}")
        for row in zip(*columns, strict=True):
            history.report(TrainingStep(*row))
        for pair in data["held_out"]:
            if not isinstance(pair, list) or len(pair) != 2:
                raise ValueError(f"each of held_out must be a step and a loss; got {pair}")
            history.add_held_out(*pair)
        for snapshot in data["moments"]:
            _check_keys(snapshot, ["step", "sample", "tokens", "attention"], "a moment")
            history.add_snapshot(**snapshot)
        return history


_COMPACT: dict[str, Any] = {"separators": (",", ":"), "ensure_ascii": False}


def _next_step(step: Any, before: Sequence[int]) -> int:
    number = check_size(step, "step", least=0)
    if before and number <= before[-1]:
        raise ValueError(
            f"step must be above the last, {before[-1]}; got {step} (history.rewind({step}) "
            "removes what came later)"
        )
    return number


def _text(value: Any, name: str, most: int) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string; got {type(value).__name__}")
    if len(value) > most:
        raise ValueError(f"{name} must have at most {most:,} characters; got {len(value):,}")
    # Half of a surrogate pair could not be written to a file.
    return value.encode(errors="replace").decode()


def _check_keys(value: Any, names: list[str], what: str) -> None:
    if not isinstance(value, dict):
        raise TypeError(f"{what} must be an object; got {type(value).__name__}")
    needs = f"{what} must have {', '.join(names)}"
    if missing := [name for name in names if name not in value]:
        raise ValueError(f"{needs}; it lacks {missing[0]}")
    if unknown := [name for name in value if name not in names]:
        raise ValueError(f"{needs}, and nothing else; got {unknown[0]!r}")


def _evenly(items: list[Any], most: int) -> list[Any]:
    """Return at most this many items, evenly spaced, with the first and the last among them."""
    if len(items) <= most:
        return list(items)
    return [items[i] for i in np.linspace(0, len(items) - 1, max(1, most)).round().astype(int)]

"""The history of a training run: its losses, its learning rates, and snapshots of the model.

A training loop fills it through `History.report`, and the widget `TrainingRun` displays it.

>>> history = History("toy")
>>> for step, loss in enumerate([4.0, 3.0, 2.5, 2.25]):
...     history.report(Progress(step, loss, learning_rate=0.01))
>>> history.loss
[4.0, 3.0, 2.5, 2.25]
>>> history.downsampled(2).loss  # the mean of every two steps, which flattens a spike
[3.5, 2.375]
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby
from typing import Any

import numpy as np

from plainformer.arrays import as_array, as_numpy, check_number, check_size

__all__ = ["MAX_BYTES", "History", "Progress", "Snapshot"]

MAX_BYTES = 200_000  # size limit of a history as JSON
MAX_POINTS = 2_000  # most points in a saved curve
MAX_SAMPLE, MAX_TOKENS = 2_000, 32  # characters of a snapshot's sample, tokens of its attention map


@dataclass(frozen=True)
class Progress:
    """The report on a training step: its number, and what was measured before the update."""

    step: int
    loss: float  # in nats per token
    learning_rate: float
    gradient_norm: float = 0.0  # before clipping
    tokens: int = 0  # targets of the step, padding included


@dataclass(frozen=True)
class Snapshot:
    """What the model did at one step: text that it generated, and what its tokens attended to.

    `attention` is (T, T), from one head or the mean of several. Both lists may be empty.
    """

    step: int
    sample: str
    tokens: list[str] = field(default_factory=list)
    attention: list[list[float]] = field(default_factory=list)


@dataclass
class History:
    """The learning curve of a run, its losses on held-out text, and its snapshots.

    Every list is in order of increasing step.
    """

    name: str
    steps: list[int] = field(default_factory=list)
    loss: list[float] = field(default_factory=list)  # of each step's batch, in nats per token
    learning_rate: list[float] = field(default_factory=list)
    held_out: list[tuple[int, float]] = field(default_factory=list)  # pairs of a step and a loss
    snapshots: list[Snapshot] = field(default_factory=list)

    def report(self, progress: Progress) -> None:
        """Add a step, which must come after the last one and have a finite loss and rate."""
        step = _next_step(progress.step, self.steps)
        loss = check_number(progress.loss, "loss")
        self.learning_rate.append(check_number(progress.learning_rate, "learning_rate"))
        self.steps.append(step)
        self.loss.append(loss)

    def add_held_out(self, step: int, loss: float) -> None:
        """Add a loss on held-out text; raises the same errors as `report`."""
        before = [each for each, _ in self.held_out]
        self.held_out.append((_next_step(step, before), check_number(loss, "loss")))

    def add_snapshot(
        self, step: int, sample: str, tokens: Iterable[str] = (), attention: Any = ()
    ) -> None:
        """Add a snapshot of what the model does: generated text and an attention map.

        The text may have at most `MAX_SAMPLE` characters, and there may be at most `MAX_TOKENS`
        tokens. For T tokens, `attention` holds (T, T) weights from 0 to 1, as an array, a tensor or
        lists.

        >>> history = History("toy")
        >>> history.add_snapshot(0, "qzx", ["a", "b"], [[1.0, 0.0], [0.25, 0.75]])
        >>> history.snapshots[0].attention[1]
        [0.25, 0.75]
        """
        step, words = _next_step(step, [each.step for each in self.snapshots]), list(tokens)
        if len(sample) > MAX_SAMPLE or len(words) > MAX_TOKENS:
            raise ValueError(
                f"sample must have at most {MAX_SAMPLE:,} characters, and tokens must be at most "
                f"{MAX_TOKENS}; got {len(sample):,} and {len(words)}"
            )
        weights = as_numpy(as_array(attention, "attention")).astype(np.float64)
        T = len(words)
        if weights.shape != (T, T) and not (T == 0 and weights.size == 0):
            raise ValueError(f"attention must be ({T}, {T}), as tokens; got {weights.shape}")
        if not ((weights >= 0) & (weights <= 1 + 1e-6)).all():  # this also rejects NaN
            raise ValueError("attention must hold weights from 0 to 1")
        sample = sample.encode(errors="replace").decode()  # UTF-8 cannot hold lone surrogates
        self.snapshots.append(Snapshot(step, sample, words, weights.tolist() if T else []))

    def rewind(self, step: int) -> None:
        """Remove everything from `step` on, for a run that resumes from an earlier checkpoint."""
        kept = sum(each < check_size(step, "step", least=0) for each in self.steps)
        for column in (self.steps, self.loss, self.learning_rate):
            del column[kept:]
        self.held_out = [pair for pair in self.held_out if pair[0] < step]
        self.snapshots = [each for each in self.snapshots if each.step < step]

    def downsampled(self, points: int, snapshots: int | None = None) -> History:
        """Return the history with at most this many points and this many snapshots.

        If there are too many points, each becomes the mean loss of 2, 4, 8, ... steps, placed at
        the last of them. Downsampling twice gives the same result as downsampling once. The
        snapshots that remain are evenly spaced and include the last one and, unless only one
        remains, the first.
        """
        check_size(points, "points")
        width = 1
        while len({step // width for step in self.steps}) > points:
            width *= 2
        rows = range(len(self.steps))
        groups = [list(each) for _, each in groupby(rows, lambda i: self.steps[i] // width)]
        return History(
            self.name,
            [self.steps[each[-1]] for each in groups],
            [float(np.mean([self.loss[i] for i in each])) for each in groups],
            [self.learning_rate[each[-1]] for each in groups],
            _evenly(self.held_out, points),
            _evenly(self.snapshots, len(self.snapshots) if snapshots is None else snapshots),
        )

    def to_json(self, *, exact: bool = False) -> str:
        """Return the history as JSON of at most `MAX_BYTES`.

        A history that is too long is downsampled: first the curve, to `MAX_POINTS`, and then the
        snapshots, until they fit or none is left. With `exact`, every point and every digit is kept
        instead, however large the result, so that a run can be resumed with it.

        >>> History("toy", [0], [4.0], [0.01]).to_json()
        '{"name":"toy","steps":[0],"loss":[4.0],"held_out":[],"learning_rate":[0.01],"snapshots":[]}'
        """
        if exact:
            return _dump(asdict(self))
        most = len(self.snapshots)
        text = _dump(self.downsampled(MAX_POINTS).as_data())
        while len(text.encode()) > MAX_BYTES and most:
            most //= 2
            text = _dump(self.downsampled(MAX_POINTS, most).as_data())
        return text

    def as_data(self) -> dict[str, Any]:
        """Return what `to_json` writes, as dicts, lists and numbers.

        Losses are rounded to 5 decimals, learning rates to 6 digits, and weights to 3 decimals.
        """
        snapshots = [asdict(each) for each in self.snapshots]
        for each in snapshots:
            each["attention"] = [[round(w, 3) for w in row] for row in each["attention"]]
        return {
            "name": self.name,
            "steps": list(self.steps),
            "loss": [round(each, 5) for each in self.loss],
            "held_out": [[step, round(loss, 5)] for step, loss in self.held_out],
            "learning_rate": [float(f"{each:.6g}") for each in self.learning_rate],
            "snapshots": snapshots,
        }

    @classmethod
    def from_json(cls, text: str) -> History:
        """Return the history that `to_json` wrote; anything else is a ValueError.

        >>> History.from_json("{}")
        Traceback (most recent call last):
        ValueError: text must be a history as JSON; it has no 'name'
        """
        try:
            data = json.loads(text)
            history = cls(data["name"])
            for row in zip(data["steps"], data["loss"], data["learning_rate"], strict=True):
                history.report(Progress(*row))
            for step, loss in data["held_out"]:
                history.add_held_out(step, loss)
            for snapshot in data["snapshots"]:
                history.add_snapshot(**snapshot)
        except KeyError as error:
            raise ValueError(f"text must be a history as JSON; it has no {error}") from None
        except (TypeError, ValueError) as error:
            raise ValueError(f"text must be a history as JSON; {error}") from error
        return history


def _dump(data: dict[str, Any]) -> str:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)


def _next_step(step: Any, before: Sequence[int]) -> int:
    number = check_size(step, "step", least=0)
    if before and number <= before[-1]:
        rewind = f"history.rewind({step}) removes what came later"
        raise ValueError(f"step must be above the last, {before[-1]}; got {step} ({rewind})")
    return number


def _evenly(items: list[Any], most: int) -> list[Any]:
    """Return at most this many items, evenly spaced, with the last and, if it fits, the first."""
    if len(items) <= most:
        return list(items)
    return [items[i] for i in np.linspace(len(items) - 1, 0, most).round().astype(int)[::-1]]

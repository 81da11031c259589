"""The history of a training run: its losses, its learning rates, and moments to look at.

Plain numbers and text, as JSON of at most `MAX_BYTES`, so that a trained model can carry along how
it came to be. A loop fills it through `History.report`; `TrainingRun` shows it.

>>> history = History("toy")
>>> for step, loss in enumerate([4.0, 3.0, 2.5, 2.25]):
...     history.report(Seen(step, loss, learning_rate=0.01))
>>> history.loss
[4.0, 3.0, 2.5, 2.25]
>>> history.thinned(2).loss  # two steps a point: their mean
[3.5, 2.375]

But: it is no log. In a long run each point is the mean of several steps, and a spike of one step
is flattened.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from plainformer.arrays import as_array, as_numpy, check_number, check_size

__all__ = ["MAX_BYTES", "History", "Moment", "Seen"]

MAX_BYTES = 200_000
"""The most that a history weighs as JSON."""

MAX_POINTS = 2_000
"""The most points of the curve of losses that are written."""

MAX_SAMPLE, MAX_TOKENS = 2_000, 32
"""The most characters of a moment's sample, and the most tokens of its attention map."""


class Progress(Protocol):
    """What a loop reports after a step; it may have more."""

    @property
    def step(self) -> int: ...
    @property
    def loss(self) -> float: ...
    @property
    def learning_rate(self) -> float: ...


class Seen(NamedTuple):
    """One step, as a loop may report it: its number, its loss in nats per token, its rate."""

    step: int
    loss: float
    learning_rate: float


@dataclass(frozen=True)
class Moment:
    """What the model did at one step.

    Attributes:
        step: after how many updates.
        sample: text that it wrote.
        tokens: T tokens that it read; may be none.
        attention: (T, T), how much each token looked at each: one head, or a mean of some.
    """

    step: int
    sample: str
    tokens: list[str] = field(default_factory=list)
    attention: list[list[float]] = field(default_factory=list)


@dataclass
class History:
    """A run: a curve of losses and rates, losses on held-out text, and moments.

    Attributes:
        name: of the run.
        steps: (N,), rising.
        loss: (N,), of the batch of that step, in nats per token.
        learning_rate: (N,).
        held_out: pairs of a step and the loss on text that is not trained on.
        moments: what the model wrote and where it looked, in the order of their steps.
    """

    name: str
    steps: list[int] = field(default_factory=list)
    loss: list[float] = field(default_factory=list)
    learning_rate: list[float] = field(default_factory=list)
    held_out: list[tuple[int, float]] = field(default_factory=list)
    moments: list[Moment] = field(default_factory=list)

    def report(self, progress: Progress) -> None:
        """Add a step; a training loop calls this after each.

        Raises:
            TypeError: a number is none.
            ValueError: the step is not above the last; the loss or the rate is not finite.
        """
        step = _after(progress.step, self.steps, "step")
        loss = check_number(progress.loss, "loss")
        self.learning_rate.append(check_number(progress.learning_rate, "learning_rate"))
        self.steps.append(step)
        self.loss.append(loss)

    def add_held_out(self, step: int, loss: float) -> None:
        """Add a loss on held-out text; raises as `report` does.

        >>> history = History("toy")
        >>> history.add_held_out(100, 2.5)
        >>> history.held_out
        [(100, 2.5)]
        """
        before = [each for each, _ in self.held_out]
        self.held_out.append((_after(step, before, "step"), check_number(loss, "loss")))

    def add_moment(
        self, step: int, sample: str, tokens: Iterable[str] = (), attention: Any = ()
    ) -> None:
        """Add what the model does at a step: text, and a map of its attention.

        Args:
            step: above those of the moments before.
            sample: text that it wrote, of at most `MAX_SAMPLE` characters.
            tokens: T of them, at most `MAX_TOKENS`.
            attention: (T, T), weights from 0 to 1; NumPy's, torch's, or lists.

        Raises:
            TypeError: an argument is of another kind.
            ValueError: it is too long, of another shape, or out of range.

        >>> history = History("toy")
        >>> history.add_moment(0, "qzx", ["a", "b"], [[1.0, 0.0], [0.25, 0.75]])
        >>> history.moments[0].attention[1]
        [0.25, 0.75]
        """
        step = _after(step, [each.step for each in self.moments], "step")
        words = _strings(tokens)
        weights = _weights(attention, len(words))
        self.moments.append(Moment(step, _text(sample, "sample", MAX_SAMPLE), words, weights))

    def rewind(self, step: int) -> None:
        """Forget all that came at `step` or later: for a run that goes on from a checkpoint.

        >>> history = History("toy", [0, 1, 2], [3.0, 2.0, 1.0], [0.1, 0.1, 0.1])
        >>> history.rewind(1)
        >>> history.steps
        [0]
        """
        kept = sum(each < check_size(step, "step", least=0) for each in self.steps)
        for column in (self.steps, self.loss, self.learning_rate):
            del column[kept:]
        self.held_out = [pair for pair in self.held_out if pair[0] < step]
        self.moments = [each for each in self.moments if each.step < step]

    def thinned(self, points: int, moments: int | None = None) -> History:
        """Return the history with at most so many points, and at most so many moments.

        A point then stands for a stretch of 2, 4, 8, ... steps: the mean of their losses, at the
        last of them. Thinning twice is like thinning once. Moments are left out evenly; the first
        and the last stay.
        """
        check_size(points, "points")
        width = 1
        while len({step // width for step in self.steps}) > points:
            width *= 2
        stretches: dict[int, list[int]] = {}
        for i, step in enumerate(self.steps):
            stretches.setdefault(step // width, []).append(i)
        places = list(stretches.values())
        return History(
            self.name,
            [self.steps[each[-1]] for each in places],
            [float(np.mean([self.loss[i] for i in each])) for each in places],
            [self.learning_rate[each[-1]] for each in places],
            _spread(self.held_out, points),
            _spread(self.moments, len(self.moments) if moments is None else moments),
        )

    def to_json(self) -> str:
        """Return it as JSON of at most `MAX_BYTES`.

        What is too long is thinned: first the curve, to `MAX_POINTS`, then the moments, until they
        fit. Losses have five decimals, rates six digits, weights three decimals.

        >>> History("toy", [0], [4.0], [0.01]).to_json()
        '{"name":"toy","steps":[0],"loss":[4.0],"held_out":[],"learning_rate":[0.01],"moments":[]}'
        """
        most = max(1, len(self.moments))
        text = json.dumps(self.thinned(MAX_POINTS).as_data(), **_COMPACT)
        while len(text.encode()) > MAX_BYTES and most > 1:
            most = (most + 1) // 2
            text = json.dumps(self.thinned(MAX_POINTS, most).as_data(), **_COMPACT)
        return text

    def as_data(self) -> dict[str, Any]:
        """Return it as what JSON has: dicts, lists, numbers rounded as `to_json` says."""
        return {
            "name": self.name,
            "steps": list(self.steps),
            "loss": [round(each, 5) for each in self.loss],
            "held_out": [[step, round(loss, 5)] for step, loss in self.held_out],
            "learning_rate": [float(f"{each:.6g}") for each in self.learning_rate],
            "moments": [
                {
                    "step": each.step,
                    "sample": each.sample,
                    "tokens": each.tokens,
                    "attention": [[round(w, 3) for w in row] for row in each.attention],
                }
                for each in self.moments
            ],
        }

    @classmethod
    def from_json(cls, text: str) -> History:
        """Return the history that `to_json` wrote.

        Raises:
            TypeError: text is no string, or one of its values is of another kind.
            ValueError: it is no JSON, something is missing, or a value is out of range.

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
        history = cls(_text(data["name"], "name", MAX_SAMPLE))
        columns = [_list(data[name], name) for name in ("steps", "loss", "learning_rate")]
        if len({len(column) for column in columns}) > 1:
            lengths = ", ".join(str(len(column)) for column in columns)
            raise ValueError(f"steps, loss and learning_rate must be of one length; got {lengths}")
        for row in zip(*columns, strict=True):
            history.report(Seen(*row))
        for pair in _list(data["held_out"], "held_out"):
            if len(_list(pair, "each of held_out")) != 2:
                raise ValueError(f"each of held_out must be a step and a loss; got {pair}")
            history.add_held_out(*pair)
        for moment in _list(data["moments"], "moments"):
            _check_keys(moment, ["step", "sample", "tokens", "attention"], "a moment")
            history.add_moment(**moment)
        return history


_COMPACT: dict[str, Any] = {"separators": (",", ":"), "ensure_ascii": False}


def _after(step: Any, before: Sequence[int], name: str) -> int:
    """A step that comes after all that were."""
    number = check_size(step, name, least=0)
    if before and number <= before[-1]:
        raise ValueError(
            f"{name} must be above the last, {before[-1]}; got {step} (history.rewind({step}) "
            "forgets what came later)"
        )
    return number


def _text(value: Any, name: str, most: int) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string; got {type(value).__name__}")
    if len(value) > most:
        raise ValueError(f"{name} must have at most {most:,} characters; got {len(value):,}")
    if half := re.search("[\ud800-\udfff]", value):
        raise ValueError(f"{name} must be whole characters; got half of one, {half[0]!r}")
    return value


def _strings(value: Any) -> list[str]:
    words = value if isinstance(value, str) or not isinstance(value, Iterable) else list(value)
    if not isinstance(words, list) or not all(isinstance(each, str) for each in words):
        raise TypeError(f"tokens must be a list of strings; got {value!r}")
    if len(words) > MAX_TOKENS:
        raise ValueError(f"tokens must be at most {MAX_TOKENS}; got {len(words)}")
    return [_text(each, "each of tokens", MAX_SAMPLE // 10) for each in words]


def _weights(value: Any, T: int) -> list[list[float]]:
    """A (T, T) map of weights as lists; none for no tokens."""
    weights = as_numpy(as_array(value, "attention")).astype(np.float64)
    if weights.shape != (T, T) and not (T == 0 and weights.size == 0):
        raise ValueError(f"attention must have shape ({T}, {T}), as tokens; got {weights.shape}")
    if not ((weights >= 0) & (weights <= 1 + 1e-6)).all():  # nor is a NaN
        raise ValueError("attention must hold weights from 0 to 1")
    return [[float(each) for each in row] for row in weights] if T else []


def _list(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f"{name} must be a list; got {type(value).__name__}")
    return value


def _check_keys(value: Any, names: list[str], what: str) -> None:
    if not isinstance(value, dict):
        raise TypeError(f"{what} must be an object; got {type(value).__name__}")
    needs = f"{what} must have {', '.join(names)}"
    if missing := [name for name in names if name not in value]:
        raise ValueError(f"{needs}; it lacks {missing[0]}")
    if unknown := [name for name in value if name not in names]:
        raise ValueError(f"{needs}, and nothing else; got {unknown[0]!r}")


def _spread(items: list[Any], most: int) -> list[Any]:
    """At most so many of a list, evenly spread, the first and the last among them."""
    if len(items) <= most:
        return list(items)
    return [items[i] for i in np.linspace(0, len(items) - 1, max(1, most)).round().astype(int)]

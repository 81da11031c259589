"""The stages between a model's logits and the draw, in a row, each with a name.

A stage is any function of logits and history that returns logits. The order is the caller's, and
it matters: see `LogitsPipeline.standard` for the one that is common.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from plainformer.arrays import Array, check_number
from plainformer.decoding.logits import check_logits
from plainformer.decoding.penalties import (
    frequency_penalty,
    presence_penalty,
    repetition_penalty,
)
from plainformer.decoding.sampling.filters import min_p, top_k, top_p
from plainformer.decoding.temperature import apply_temperature

__all__ = ["History", "LogitsPipeline", "Stage"]


@dataclass(frozen=True)
class History:
    """How often each token has occurred: what penalties ask.

    Attributes:
        prompt_counts: (..., V) whole numbers, in the prompt.
        output_counts: (..., V) whole numbers, in what was written
            since.
    """

    prompt_counts: Array
    output_counts: Array

    @classmethod
    def none(cls, vocab_size: int) -> History:
        """Nothing has occurred yet."""
        zeros = np.zeros(vocab_size, dtype=np.int64)
        return cls(zeros, zeros)


Stage = Callable[[Array, History], Array]
"""(..., V) logits and the history, to (..., V) logits."""


class LogitsPipeline:
    """Stages, applied one after the other.

    Args:
        stages: pairs of a name and a stage, in the order in which
            they are applied; none at all changes nothing.

    Raises:
        TypeError: a pair is no pair of a name and a function.

    >>> import numpy as np
    >>> z = np.log([40.0, 20.0, 12.0, 8.0])
    >>> cut = LogitsPipeline([("top-k", lambda z, _: top_k(z, 3)),
    ...                       ("top-p", lambda z, _: top_p(z, .8))])
    >>> np.exp(cut(z)).round().tolist()
    [40.0, 20.0, 0.0, 0.0]
    >>> for name, logits in cut.stages(z):
    ...     print(name, np.exp(logits).round().tolist())
    top-k [40.0, 20.0, 12.0, 0.0]
    top-p [40.0, 20.0, 0.0, 0.0]
    """

    def __init__(self, stages: Iterable[tuple[str, Stage]] = ()) -> None:
        self._stages = [_check_stage(pair, i) for i, pair in enumerate(stages)]

    @classmethod
    def standard(
        cls,
        *,
        frequency: float = 0,
        presence: float = 0,
        repetition: float = 1,
        temperature: float = 1,
        top_k: int | None = None,
        top_p: float | None = None,
        min_p: float | None = None,
    ) -> LogitsPipeline:
        """Penalties, then temperature, then top-k, top-p and min-p.

        A stage whose number changes nothing is left out. The
        first two penalties look at the output, the third at the
        prompt as well.

        >>> LogitsPipeline.standard(temperature=0.7, top_p=0.9)
        LogitsPipeline: temperature → top-p
        """
        stages: list[tuple[str, Stage]] = []
        if check_number(frequency, "frequency") != 0:
            stages.append(("frequency", _frequency_stage(frequency)))
        if check_number(presence, "presence") != 0:
            stages.append(("presence", _presence_stage(presence)))
        if check_number(repetition, "repetition") != 1:
            stages.append(("repetition", _repetition_stage(repetition)))
        if check_number(temperature, "temperature") != 1:
            stages.append(("temperature", _temperature_stage(temperature)))
        if top_k is not None:
            stages.append(("top-k", _top_k_stage(top_k)))
        if top_p is not None:
            stages.append(("top-p", _top_p_stage(top_p)))
        if min_p is not None:
            stages.append(("min-p", _min_p_stage(min_p)))
        pipeline = cls(stages)
        pipeline(np.zeros(1))  # a number that a stage refuses is refused here, not in mid-text
        return pipeline

    @property
    def names(self) -> list[str]:
        """The names of the stages, in order."""
        return [name for name, _ in self._stages]

    def __call__(self, logits: Array, history: History | None = None) -> Array:
        """Apply all stages.

        Args:
            logits: (..., V).
            history: what occurred before; None means nothing.

        Returns:
            (..., V), what the last stage leaves.

        Raises:
            TypeError, ValueError: a stage refuses what it is given,
                returns another shape, or leaves no token possible.
        """
        stages = self.stages(logits, history)
        return stages[-1][1] if stages else check_logits(logits)

    def stages(self, logits: Array, history: History | None = None) -> list[tuple[str, Array]]:
        """As a call, but returns each stage's name and the (..., V) logits as it leaves them."""
        logits = check_logits(logits)
        history = History.none(logits.shape[-1]) if history is None else history
        done = []
        for name, stage in self._stages:
            after = check_logits(stage(logits, history), f"what stage {name!r} leaves")
            if after.shape != logits.shape:
                raise ValueError(
                    f"stage {name!r} must leave logits of shape {tuple(logits.shape)}; "
                    f"got shape {tuple(after.shape)}"
                )
            logits = after
            done.append((name, logits))
        return done

    def __repr__(self) -> str:
        return f"LogitsPipeline: {' → '.join(self.names) or 'nothing'}"


# The stages of the standard order


def _frequency_stage(penalty: float) -> Stage:
    return lambda logits, history: frequency_penalty(logits, history.output_counts, penalty)


def _presence_stage(penalty: float) -> Stage:
    return lambda logits, history: presence_penalty(logits, history.output_counts, penalty)


def _repetition_stage(penalty: float) -> Stage:
    def stage(logits: Array, history: History) -> Array:
        counts = history.prompt_counts + history.output_counts
        return repetition_penalty(logits, counts, penalty)

    return stage


def _temperature_stage(temperature: float) -> Stage:
    return lambda logits, _: apply_temperature(logits, temperature)


def _top_k_stage(k: int) -> Stage:
    return lambda logits, _: top_k(logits, k)


def _top_p_stage(p: float) -> Stage:
    return lambda logits, _: top_p(logits, p)


def _min_p_stage(p: float) -> Stage:
    return lambda logits, _: min_p(logits, p)


def _check_stage(pair: Any, index: int) -> tuple[str, Stage]:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise TypeError(f"stages[{index}] must be a pair of a name and a function; got {pair!r}")
    name, stage = pair
    if not isinstance(name, str) or not callable(stage):
        raise TypeError(f"stages[{index}] must be a pair of a name and a function; got {pair!r}")
    return name, stage

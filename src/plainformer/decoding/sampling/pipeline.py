"""The stages between a model's logits and the draw, in a row, each with a name.

A stage is any function of logits and token counts that returns logits. The order is the caller's,
and it matters: see `LogitsPipeline.standard` for the one that is common.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from plainformer.arrays import Array, check_number, check_size
from plainformer.decoding.checks import (
    check_counts,
    check_logits,
    check_share,
    check_temperature,
)
from plainformer.decoding.penalties import (
    frequency_penalty,
    presence_penalty,
    repetition_penalty,
)
from plainformer.decoding.sampling.filters import min_p, top_k, top_p
from plainformer.decoding.temperature import apply_temperature

__all__ = ["LogitsPipeline", "Stage", "TokenCounts", "apply_checked"]


@dataclass(frozen=True)
class TokenCounts:
    """How often each token has occurred: what penalties ask.

    Attributes:
        prompt_counts: (..., V) whole numbers, in the prompt.
        output_counts: (..., V) whole numbers, in what was written
            since.
    """

    prompt_counts: Array
    output_counts: Array

    @classmethod
    def none(cls, vocab_size: int) -> TokenCounts:
        """Nothing has occurred yet."""
        zeros = np.zeros(vocab_size, dtype=np.int64)
        return cls(zeros, zeros)

    def of(self, rows: Array) -> TokenCounts:
        """The counts of the texts in these rows of a batch, (b,): a copy."""
        return TokenCounts(self.prompt_counts[rows], self.output_counts[rows])


Stage = Callable[[Array, TokenCounts], Array]
"""(..., V) logits and the token counts, to (..., V) logits."""


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
        frequency_penalty: float = 0,
        presence_penalty: float = 0,
        repetition_penalty: float = 1,
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
        if check_number(frequency_penalty, "frequency_penalty") != 0:
            stages.append(("frequency", _frequency(frequency_penalty)))
        if check_number(presence_penalty, "presence_penalty") != 0:
            stages.append(("presence", _presence(presence_penalty)))
        if check_number(repetition_penalty, "repetition_penalty") != 1:
            stages.append(("repetition", _repetition(repetition_penalty)))
        if check_number(temperature, "temperature") != 1:
            stages.append(("temperature", _temperature(temperature)))
        if top_k is not None:
            stages.append(("top-k", _top_k(top_k)))
        if top_p is not None:
            stages.append(("top-p", _top_p(top_p)))
        if min_p is not None:
            stages.append(("min-p", _min_p(min_p)))
        pipeline = cls(stages)
        pipeline(np.zeros(1))  # a number that a stage refuses is refused here, not in mid-text
        return pipeline

    @property
    def names(self) -> list[str]:
        """The names of the stages, in order."""
        return [name for name, _ in self._stages]

    def __call__(self, logits: Array, token_counts: TokenCounts | None = None) -> Array:
        """Apply all stages.

        Args:
            logits: (..., V).
            token_counts: what occurred before; None means nothing.

        Returns:
            (..., V), what the last stage leaves.

        Raises:
            TypeError, ValueError: a stage refuses what it is given,
                returns another shape, or leaves no token possible.
        """
        return self._run(check_logits(logits), token_counts)[-1][1]

    def stages(
        self, logits: Array, token_counts: TokenCounts | None = None
    ) -> list[tuple[str, Array]]:
        """As a call, but returns each stage's name and the (..., V) logits as it leaves them."""
        return self._run(check_logits(logits), token_counts)[1:]

    def _run(self, logits: Array, token_counts: TokenCounts | None) -> list[tuple[str, Array]]:
        """The logits, which have been checked, and what each stage leaves of them."""
        done = [("", logits)]
        token_counts = TokenCounts.none(logits.shape[-1]) if token_counts is None else token_counts
        for name, stage in self._stages:
            after = stage(logits, token_counts)
            if not isinstance(stage, _Harmless):
                after = check_logits(after, f"what stage {name!r} leaves")
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


def apply_checked(pipeline: Stage, logits: Array, token_counts: TokenCounts) -> Array:
    """A pipeline, or any other function, of logits that have been checked."""
    if not isinstance(pipeline, LogitsPipeline):
        return check_logits(pipeline(logits, token_counts), "what pipeline leaves")
    return pipeline._run(logits, token_counts)[-1][1]


# The stages of the standard order: formulas, of logits that were checked before the first stage


@dataclass(frozen=True)
class _Harmless:
    """A stage that leaves checked logits as good as they were: no need to look at them again.

    Temperature and the filters are such. A penalty is not: a large one may overflow.
    """

    stage: Stage

    def __call__(self, logits: Array, token_counts: TokenCounts) -> Array:
        return self.stage(logits, token_counts)


def _frequency(penalty: float) -> Stage:
    def stage(logits: Array, token_counts: TokenCounts) -> Array:
        counts = check_counts(token_counts.output_counts, logits)
        return frequency_penalty.formula(logits, counts, penalty)

    return stage


def _presence(penalty: float) -> Stage:
    def stage(logits: Array, token_counts: TokenCounts) -> Array:
        counts = check_counts(token_counts.output_counts, logits)
        return presence_penalty.formula(logits, counts, penalty)

    return stage


def _repetition(penalty: float) -> Stage:
    if penalty <= 0:
        raise ValueError(f"repetition_penalty must be above 0; got {penalty}")

    def stage(logits: Array, token_counts: TokenCounts) -> Array:
        counts = check_counts(token_counts.prompt_counts + token_counts.output_counts, logits)
        return repetition_penalty.formula(logits, counts, penalty)

    return stage


def _temperature(temperature: float) -> Stage:
    def stage(logits: Array, _: TokenCounts) -> Array:
        tau = check_temperature(temperature, logits)  # must fit the logits' dtype
        return apply_temperature.formula(logits, tau)

    return _Harmless(stage)


def _top_k(k: int) -> Stage:
    k = check_size(k, "top_k")
    return _Harmless(lambda logits, _: top_k.formula(logits, k))


def _top_p(p: float) -> Stage:
    p = check_share(p, "top_p")
    return _Harmless(lambda logits, _: top_p.formula(logits, p))


def _min_p(p: float) -> Stage:
    p = check_share(p, "min_p")
    return _Harmless(lambda logits, _: min_p.formula(logits, p))


def _check_stage(pair: Any, index: int) -> tuple[str, Stage]:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise TypeError(f"stages[{index}] must be a pair of a name and a function; got {pair!r}")
    name, stage = pair
    if not isinstance(name, str) or not callable(stage):
        raise TypeError(f"stages[{index}] must be a pair of a name and a function; got {pair!r}")
    return name, stage

"""The named stages that logits pass through between the model and the draw.

A stage is any function of logits and token counts that returns logits. The order is up to the
caller, and it matters; `LogitsPipeline.standard` has the common one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from plainformer.arrays import Array, asarray_like
from plainformer.decoding import penalties
from plainformer.decoding.logits import check_logits
from plainformer.decoding.sampling.filters import FILTERS
from plainformer.decoding.temperature import apply_temperature

__all__ = ["LogitsPipeline", "Stage", "TokenCounts"]


@dataclass(frozen=True)
class TokenCounts:
    """How often each token has occurred, which is what penalties depend on.

    Attributes:
        prompt_counts: (..., V) whole numbers, for the prompt.
        output_counts: (..., V) whole numbers, for what was generated since.
    """

    prompt_counts: Array
    output_counts: Array

    def select(self, rows: Array) -> TokenCounts:
        """A copy of the counts of these rows of a batch, (b,)."""
        return TokenCounts(self.prompt_counts[rows], self.output_counts[rows])


Stage = Callable[[Array, TokenCounts], Array]
"""A function of (..., V) logits and token counts that returns (..., V) logits."""


class LogitsPipeline:
    """Stages that are applied to logits one after the other.

    Args:
        stages: pairs of a name and a stage, in the order in which they are applied. Without any,
            the logits stay as they are.

    Raises:
        TypeError: a pair does not consist of a name and a function.

    >>> from plainformer.decoding import top_k, top_p
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
        self._stages = list(stages)
        for i, pair in enumerate(self._stages):
            good = isinstance(pair, tuple | list) and len(pair) == 2
            if not (good and isinstance(pair[0], str) and callable(pair[1])):
                raise TypeError(f"stages[{i}] must be a pair of a name and a function; got {pair}")

    @classmethod
    def standard(
        cls,
        *,
        frequency_penalty: float = 0,
        presence_penalty: float = 0,
        repetition_penalty: float = 1,
        temperature: float = 1,
        **filters: float | None,
    ) -> LogitsPipeline:
        """The penalties, then temperature, then the filters.

        A stage that would change nothing is left out. The first two penalties take the counts of
        the output, and the third those of the prompt as well.

        Args:
            frequency_penalty, presence_penalty, repetition_penalty: see the functions of this name.
            temperature: see `apply_temperature`.
            filters: top_k, top_p and min_p, see the functions of this name; None leaves one out.

        >>> LogitsPipeline.standard(temperature=0.7, top_p=0.9)
        LogitsPipeline: temperature → top-p
        """
        if unknown := filters.keys() - FILTERS.keys():
            known = ", ".join(FILTERS)
            raise TypeError(f"the filters are {known}; got {', '.join(sorted(unknown))}")
        stages: list[tuple[str, Stage]] = []
        one, count = np.zeros(1), np.ones(1, dtype=np.int64)  # to try each setting before its use

        check_setting(
            "frequency_penalty", penalties.frequency_penalty, one, count, frequency_penalty
        )
        if frequency_penalty != 0:
            frequency = penalties.frequency_penalty.unchecked
            stages.append(
                (
                    "frequency",
                    lambda z, counts: frequency(z, counts.output_counts, frequency_penalty),
                )
            )
        check_setting("presence_penalty", penalties.presence_penalty, one, count, presence_penalty)
        if presence_penalty != 0:
            presence = penalties.presence_penalty.unchecked
            stages.append(
                ("presence", lambda z, counts: presence(z, counts.output_counts, presence_penalty))
            )
        check_setting(
            "repetition_penalty", penalties.repetition_penalty, one, count, repetition_penalty
        )
        if repetition_penalty != 1:
            repetition = penalties.repetition_penalty.unchecked
            stages.append(
                (
                    "repetition",
                    lambda z, counts: repetition(
                        z, counts.prompt_counts + counts.output_counts, repetition_penalty
                    ),
                )
            )
        check_setting("temperature", apply_temperature, one, temperature)
        if temperature != 1:
            stages.append(("temperature", lambda z, _: apply_temperature.unchecked(z, temperature)))
        for name, filter_ in FILTERS.items():
            if (number := filters.get(name)) is not None:
                check_setting(name, filter_, one, number)
                stage = functools.partial(apply_filter, filter_.unchecked, number)
                stages.append((name.replace("_", "-"), stage))
        return cls(stages)

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
            (..., V), the result of the last stage; always a new array.

        Raises:
            TypeError, ValueError: a stage does not accept its arguments, or returns another shape
                or logits that `check_logits` refuses.
        """
        stages = self.stages(logits, token_counts)
        result = stages[-1][1] if stages else check_logits(logits)
        return 1 * result if result is logits else result  # writing to it leaves `logits` alone

    def stages(
        self, logits: Array, token_counts: TokenCounts | None = None
    ) -> list[tuple[str, Array]]:
        """As a call, but returns every stage's name and its result, (..., V) logits."""
        logits = check_logits(logits)
        if token_counts is None:
            none = np.zeros(logits.shape[-1], dtype=np.int64)
            token_counts = TokenCounts(none, none)
        token_counts = TokenCounts(
            asarray_like(token_counts.prompt_counts, like=logits),
            asarray_like(token_counts.output_counts, like=logits),
        )
        results: list[tuple[str, Array]] = []
        for name, stage in self._stages:
            result = check_logits(stage(logits, token_counts), f"the result of stage {name!r}")
            if result.shape != logits.shape:
                raise ValueError(
                    f"stage {name!r} must return logits of shape {tuple(logits.shape)}; "
                    f"got shape {tuple(result.shape)}"
                )
            logits = result
            results.append((name, result))
        return results

    def __repr__(self) -> str:
        return f"LogitsPipeline: {' → '.join(self.names) or 'no stages'}"


def apply_filter(
    function: Callable[[Array, Any], Array], number: float, logits: Array, _: TokenCounts
) -> Array:
    """A filter as a stage, which does not depend on what has occurred."""
    return function(logits, number)


def check_setting(name: str, function: Callable[..., Array], *args: Any) -> None:
    """Try a setting on one token, so that a mistake is reported before any text is generated."""
    try:
        function(*args)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from None

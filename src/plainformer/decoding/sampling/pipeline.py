"""The named stages that logits pass through between the model and the draw."""

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
    """How often each token has occurred, in the prompt and in what was generated since."""

    prompt_counts: Array
    output_counts: Array


Stage = Callable[[Array, TokenCounts], Array]
"""A function of (..., V) logits and token counts that returns (..., V) logits."""


STANDARD: dict[str, tuple[Any, float | None, str | None]] = {
    "frequency_penalty": (penalties.frequency_penalty, 0, "output"),
    "presence_penalty": (penalties.presence_penalty, 0, "output"),
    "repetition_penalty": (penalties.repetition_penalty, 1, "text"),
    "temperature": (apply_temperature, 1, None),
    **{name: (function, None, None) for name, function in FILTERS.items()},
}
"""The settings of `LogitsPipeline.standard`, in order: the function, the value that changes
nothing, and the part of the text whose tokens are counted for it."""


class LogitsPipeline:
    """Stages that are applied to logits one after the other.

    A stage is a name and a function of (..., V) logits and `TokenCounts` that returns new logits.
    The order matters; `standard` uses the usual one.

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
        """The penalties, then temperature, then the filters top_k, top_p and min_p.

        Each setting is as in the function of the same name, and a stage that would change nothing
        is left out. The frequency and presence penalties count the tokens of the output, and the
        repetition penalty counts those of the prompt as well.

        >>> LogitsPipeline.standard(temperature=0.7, top_p=0.9)
        LogitsPipeline: temperature → top-p
        """
        if unknown := filters.keys() - FILTERS.keys():
            known = ", ".join(FILTERS)
            raise TypeError(f"the filters are {known}; got {', '.join(sorted(unknown))}")
        numbers = {
            "frequency_penalty": frequency_penalty,
            "presence_penalty": presence_penalty,
            "repetition_penalty": repetition_penalty,
            "temperature": temperature,
            **filters,
        }
        stages: list[tuple[str, Stage]] = []
        for name, (function, neutral, counted) in STANDARD.items():
            number = numbers.get(name)
            if number is None:
                continue
            try:  # on one token, so that a mistake is reported before any text is generated
                function(np.zeros(1), *([np.ones(1, dtype=np.int64)] if counted else []), number)
            except (TypeError, ValueError) as error:
                raise type(error)(f"{name}: {error}") from None
            if number != neutral:
                label = name.removesuffix("_penalty").replace("_", "-")
                stage = functools.partial(apply_stage, function.unchecked, number, counted)
                stages.append((label, stage))
        return cls(stages)

    @property
    def names(self) -> list[str]:
        """The names of the stages, in order."""
        return [name for name, _ in self._stages]

    def __call__(self, logits: Array, token_counts: TokenCounts | None = None) -> Array:
        """Apply all stages, and return a new array.

        `token_counts` says which tokens occurred before; None means that none did.
        """
        given = logits = check_logits(logits)
        if token_counts is None:
            none = np.zeros(logits.shape[-1], dtype=np.int64)
            token_counts = TokenCounts(none, none)
        token_counts = TokenCounts(
            asarray_like(token_counts.prompt_counts, like=logits),
            asarray_like(token_counts.output_counts, like=logits),
        )
        for name, stage in self._stages:
            result = check_logits(stage(logits, token_counts), f"the result of stage {name!r}")
            if result.shape != logits.shape:
                raise ValueError(
                    f"stage {name!r} must return logits of shape {tuple(logits.shape)}; "
                    f"got shape {tuple(result.shape)}"
                )
            logits = result
        return 1 * logits if logits is given else logits  # never the caller's array

    def stages(
        self, logits: Array, token_counts: TokenCounts | None = None
    ) -> list[tuple[str, Array]]:
        """The name of every stage, and the (..., V) logits after it."""
        return [
            (name, LogitsPipeline(self._stages[: i + 1])(logits, token_counts))
            for i, name in enumerate(self.names)
        ]

    def __repr__(self) -> str:
        return f"LogitsPipeline: {' → '.join(self.names) or 'no stages'}"


def apply_stage(
    function: Any, number: float, counted: str | None, logits: Array, counts: TokenCounts
) -> Array:
    """Call a penalty with the counts of the output or the whole text, and others without counts."""
    if counted is None:
        result = function(logits, number)
    elif counted == "output":
        result = function(logits, counts.output_counts, number)
    else:
        result = function(logits, counts.prompt_counts + counts.output_counts, number)
    return result

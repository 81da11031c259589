"""A text by chance: ask the model, run the pipeline, draw, append, again.

`generate` hands out each token as it comes; `sample` waits, and returns whole texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np

from plainformer.arrays import Array, as_numpy, asarray_like, check_size
from plainformer.decoding.checks import check_eos_token_id, check_rngs
from plainformer.decoding.ids import check_prompts
from plainformer.decoding.model import CausalModel, LogitsFn, as_model
from plainformer.decoding.penalties import count_tokens
from plainformer.decoding.sampling.draw import Uniform, draw_numbers, draw_token
from plainformer.decoding.sampling.pipeline import LogitsPipeline, TokenCounts, apply_checked
from plainformer.decoding.stepping import continue_texts, whole_texts

__all__ = ["generate", "sample"]


@overload
def sample(
    model: CausalModel | LogitsFn,
    prompt: Sequence[int],
    *,
    max_new_tokens: int,
    pipeline: LogitsPipeline | None = None,
    rng: Uniform | Sequence[Uniform],
    eos_token_id: int | None = None,
) -> list[int]: ...


@overload
def sample(
    model: CausalModel | LogitsFn,
    prompt: Sequence[Sequence[int]],
    *,
    max_new_tokens: int,
    pipeline: LogitsPipeline | None = None,
    rng: Uniform | Sequence[Uniform],
    eos_token_id: int | None = None,
) -> list[list[int]]: ...


@overload  # an array may be one prompt or several
def sample(
    model: CausalModel | LogitsFn,
    prompt: Array,
    *,
    max_new_tokens: int,
    pipeline: LogitsPipeline | None = None,
    rng: Uniform | Sequence[Uniform],
    eos_token_id: int | None = None,
) -> Any: ...


def sample(
    model: CausalModel | LogitsFn,
    prompt: Any,
    *,
    max_new_tokens: int,
    pipeline: LogitsPipeline | None = None,
    rng: Uniform | Sequence[Uniform],
    eos_token_id: int | None = None,
) -> Any:
    """Continue a prompt, or several, by drawing token after token.

    Args:
        model: any `CausalModel`, as a transformer with a cache, or
            any function of (B, T) ids that returns (B, V) logits.
        prompt: (T,) ids, or several such, each of its own length.
        max_new_tokens: stop after so many, 1 or more.
        pipeline: what is done to the logits before each draw;
            None draws from the model's own distribution.
        rng: where chance comes from. The same seed gives the same
            tokens. One for all takes one number a text and step,
            also for texts that have ended: so a text depends on
            its place among the others. A list, one for each
            prompt, gives each text what it would get alone.
        eos_token_id: the id of the end of text; a text stops when it
            comes. None: no token ends a text.

    Returns:
        The prompt and what follows, the end of text included: a
        list of ids; for several prompts, a list of such lists.

    Raises:
        TypeError, ValueError: an argument is out of range, or
            the model does not answer as it must, see `CausalModel`.

    >>> def coin(ids):  # two tokens, as probable as each other
    ...     return np.zeros((len(ids), 2))
    >>> rng = np.random.default_rng(0)
    >>> sample(coin, [0], max_new_tokens=4, rng=rng)
    [0, 1, 0, 0, 0]
    """
    prompts, single = check_prompts(prompt)
    steps = _steps(model, prompts, max_new_tokens, pipeline, rng, eos_token_id)
    texts = whole_texts(prompts, steps)
    return texts[0] if single else texts


@overload
def generate(
    model: CausalModel | LogitsFn,
    prompt: Sequence[int],
    *,
    max_new_tokens: int,
    pipeline: LogitsPipeline | None = None,
    rng: Uniform | Sequence[Uniform],
    eos_token_id: int | None = None,
) -> Iterator[int]: ...


@overload
def generate(
    model: CausalModel | LogitsFn,
    prompt: Sequence[Sequence[int]],
    *,
    max_new_tokens: int,
    pipeline: LogitsPipeline | None = None,
    rng: Uniform | Sequence[Uniform],
    eos_token_id: int | None = None,
) -> Iterator[list[int | None]]: ...


@overload  # an array may be one prompt or several
def generate(
    model: CausalModel | LogitsFn,
    prompt: Array,
    *,
    max_new_tokens: int,
    pipeline: LogitsPipeline | None = None,
    rng: Uniform | Sequence[Uniform],
    eos_token_id: int | None = None,
) -> Iterator[Any]: ...


def generate(
    model: CausalModel | LogitsFn,
    prompt: Any,
    *,
    max_new_tokens: int,
    pipeline: LogitsPipeline | None = None,
    rng: Uniform | Sequence[Uniform],
    eos_token_id: int | None = None,
) -> Iterator[Any]:
    """As `sample`, but each token is handed out as soon as it is drawn.

    Yields:
        For one prompt, a token id. For several, a list with one id
        for each text, and None for a text that has ended.

    >>> def coin(ids):
    ...     return np.zeros((len(ids), 2))
    >>> rng = np.random.default_rng(0)
    >>> for token in generate(coin, [0], max_new_tokens=3, rng=rng):
    ...     print(token)
    1
    0
    0
    """
    prompts, single = check_prompts(prompt)
    steps = _steps(model, prompts, max_new_tokens, pipeline, rng, eos_token_id)
    return (tokens[0] for tokens in steps) if single else steps


def _steps(
    model: CausalModel | LogitsFn,
    prompts: list[list[int]],
    max_new_tokens: int,
    pipeline: LogitsPipeline | None,
    rng: Uniform | Sequence[Uniform],
    eos_token_id: int | None,
) -> Iterator[list[int | None]]:
    """A token for each prompt, step by step; what is wrong is said before the first."""
    check_size(max_new_tokens, "max_new_tokens")
    eos_token_id = check_eos_token_id(eos_token_id)
    if pipeline is not None and not callable(pipeline):
        kind = type(pipeline).__name__
        raise TypeError(f"pipeline must be a LogitsPipeline, or None; got {kind}")
    draw = _Draw(prompts, pipeline, check_rngs(rng, len(prompts)))
    return continue_texts(
        as_model(model), prompts, draw, max_new_tokens=max_new_tokens, eos_token_id=eos_token_id
    )


class _Draw:
    """How one step of sampling chooses: what occurred, the pipeline, the draw."""

    def __init__(
        self,
        prompts: list[list[int]],
        pipeline: LogitsPipeline | None,
        rngs: list[Uniform],
    ) -> None:
        self._prompts, self._pipeline, self._rngs = prompts, pipeline, rngs
        self._token_counts: TokenCounts | None = None

    def __call__(self, logits: Array, rows: Array) -> Array:
        """Tokens, (b,), of logits, (b, V), which belong to these of the prompts."""
        u = asarray_like(self._numbers()[rows], like=logits)
        if self._pipeline is None:
            return as_numpy(draw_token.formula(logits, u))
        token_counts = self._counts_of(logits.shape[-1])
        logits = apply_checked(self._pipeline, logits, token_counts.of(rows))
        tokens = as_numpy(draw_token.formula(logits, u))
        token_counts.output_counts[rows, tokens] += 1
        return tokens

    def _numbers(self) -> Array:
        """One number for each prompt, also for those that have ended: (B,)."""
        if len(self._rngs) == 1:
            return draw_numbers(self._rngs[0], len(self._prompts))
        return np.concatenate([draw_numbers(rng, 1) for rng in self._rngs])

    def _counts_of(self, vocab_size: int) -> TokenCounts:
        """What occurred, for all prompts; counted once, and kept up to date from then on."""
        if self._token_counts is None:
            prompts = (np.array(prompt) for prompt in self._prompts)
            counts = np.stack([count_tokens(prompt, vocab_size) for prompt in prompts])
            self._token_counts = TokenCounts(counts, np.zeros_like(counts))
        return self._token_counts

"""Sampling a text: ask the model, apply the pipeline, draw a token, append it, and repeat."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from plainformer.arrays import Array
from plainformer.decoding.ids import check_prompts
from plainformer.decoding.logits import check_logits
from plainformer.decoding.model import CausalModel, LogitsFn
from plainformer.decoding.penalties import count_tokens
from plainformer.decoding.sampling.draw import RNG, check_rng, draw_token
from plainformer.decoding.sampling.pipeline import Stage, TokenCounts
from plainformer.decoding.state import DecodingState, generation_loop, join_steps
from plainformer.shapes import Count, Size, checked

__all__ = ["generate", "sample"]


@checked
def sample(
    model: CausalModel | LogitsFn,
    prompt: Any,
    *,
    max_new_tokens: Size,
    pipeline: Stage | None = None,
    rng: RNG | Sequence[RNG],
    eos_token_id: Count | None = None,
) -> list[Any]:
    """Continue a prompt, or several, by drawing one token after another.

    Returns the prompt and what follows it, including the end-of-text token: a list of ids, or for
    several prompts a list of such lists.

    Args:
        model: any `CausalModel`, such as a transformer with a cache, or any function of (B, T) ids
            that returns (B, V) logits.
        prompt: (T,) ids, or several such sequences, each with a length of its own.
        max_new_tokens: how many tokens to generate at most.
        pipeline: what is applied to the logits before each draw, usually a `LogitsPipeline`. None
            draws from the model's own distribution.
        rng: the source of random numbers. A single one draws one number for each text at each
            step, even for texts that have ended, so a text depends on its place in the batch. With
            a list of one for each prompt, each text is the same as if it were generated alone.
        eos_token_id: the id of the end-of-text token, at which a text stops; or None.

    >>> def coin(ids):  # two equally likely tokens
    ...     return np.zeros((len(ids), 2))
    >>> sample(coin, [0], max_new_tokens=4, rng=np.random.default_rng(0))
    [0, 1, 0, 0, 0]
    """
    prompts, single = check_prompts(prompt)
    steps = generate.unchecked(
        model, prompts, max_new_tokens=max_new_tokens, pipeline=pipeline, rng=rng,
        eos_token_id=eos_token_id,
    )  # fmt: skip
    texts = join_steps(prompts, steps)
    return texts[0] if single else texts


@checked
def generate(
    model: CausalModel | LogitsFn,
    prompt: Any,
    *,
    max_new_tokens: Size,
    pipeline: Stage | None = None,
    rng: RNG | Sequence[RNG],
    eos_token_id: Count | None = None,
) -> Iterator[Any]:
    """Like `sample`, but each token is yielded as soon as it is drawn.

    For several prompts, each step is a list with an id for each text, or None for a text that has
    ended.

    >>> def coin(ids):
    ...     return np.zeros((len(ids), 2))
    >>> list(generate(coin, [0], max_new_tokens=3, rng=np.random.default_rng(0)))
    [1, 0, 0]
    """
    prompts, single = check_prompts(prompt)
    state = DecodingState(model, prompts, eos_token_id)
    steps = generation_loop(state, Sampler(prompts, pipeline, rng), max_new_tokens)
    return map(operator.itemgetter(0), steps) if single else steps


class Sampler:
    """How sampling chooses tokens: token counts, the pipeline, and a draw."""

    def __init__(
        self, prompts: list[list[int]], pipeline: Stage | None, rng: RNG | Sequence[RNG]
    ) -> None:
        if pipeline is not None and not callable(pipeline):
            kind = type(pipeline).__name__
            raise TypeError(f"pipeline must be a LogitsPipeline or None; got {kind}")
        rngs = list(rng) if isinstance(rng, Sequence) else [rng]
        for each in rngs:
            check_rng(each)
        if isinstance(rng, Sequence) and len(rngs) != len(prompts):
            raise ValueError(
                f"rng must be one, or one for each of the {len(prompts)} prompts; got {len(rngs)}"
            )
        self.prompts, self.pipeline, self.rngs = prompts, pipeline, rngs
        self.prompt_counts: Array = None  # (B, V), as soon as V is known

    def __call__(self, logits: Array, rows: Array) -> Array:
        """(b,) tokens for (b, V) logits, which belong to these rows of the prompts."""
        if len(self.rngs) == 1:
            u = self.rngs[0].random(len(self.prompts))
        else:
            u = np.concatenate([rng.random(1) for rng in self.rngs])
        if self.pipeline is None:
            return np.array(draw_token.unchecked(logits, u[rows]).tolist())
        if self.prompt_counts is None:
            V = logits.shape[-1]
            self.prompt_counts = np.stack(
                [count_tokens.unchecked(np.array(prompt), V) for prompt in self.prompts]
            )
            self.output_counts = np.zeros_like(self.prompt_counts)
        counts = TokenCounts(self.prompt_counts[rows], self.output_counts[rows])
        logits = check_logits(self.pipeline(logits, counts), "the pipeline's result")
        tokens = np.array(draw_token.unchecked(logits, u[rows]).tolist())
        self.output_counts[rows, tokens] += 1
        return tokens

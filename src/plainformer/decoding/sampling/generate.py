"""A text by chance: ask the model, run the pipeline, draw, append, again.

`generate` hands out each token as it comes; `sample` waits, and returns whole texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from plainformer.arrays import Array, beside, check_size
from plainformer.decoding.logits import LogitsFn, check_eos, check_prompts, next_logits
from plainformer.decoding.penalties import count_tokens
from plainformer.decoding.sampling.draw import Uniform, check_rng, draw
from plainformer.decoding.sampling.pipeline import History, LogitsPipeline

__all__ = ["generate", "sample"]


def sample(
    logits_fn: LogitsFn,
    prompt: Any,
    *,
    max_new_tokens: int,
    pipeline: LogitsPipeline | None = None,
    rng: Uniform | list[Uniform],
    eos_id: int | None = None,
) -> Any:
    """Continue a prompt, or several, by drawing token after token.

    Args:
        logits_fn: the model, (B, T) ids to (B, V) logits.
        prompt: (T,) ids, or several such, each of its own length.
        max_new_tokens: stop after so many.
        pipeline: what is done to the logits before each draw;
            None draws from the model's own distribution.
        rng: where chance comes from. The same seed gives the same
            tokens. One for all takes one number a text and step,
            also for texts that have ended: so a text depends on
            its place among the others. A list, one for each
            prompt, gives each text what it would get alone.
        eos_id: the id of the end of text; a text stops when it
            comes. None: no token ends a text.

    Returns:
        The prompt and what follows, the end of text included: a
        list of ids; for several prompts, a list of such lists.

    Raises:
        TypeError, ValueError: an argument is out of range, or
            the model does not answer as a `LogitsFn` must.

    >>> def coin(ids):  # two tokens, as probable as each other
    ...     return np.zeros((len(ids), 2))
    >>> rng = np.random.default_rng(0)
    >>> sample(coin, [0], max_new_tokens=4, rng=rng)
    [0, 1, 0, 0, 0]
    """
    prompts, single = check_prompts(prompt)
    texts = [list(each) for each in prompts]
    for tokens in generate(
        logits_fn,
        prompts,
        max_new_tokens=max_new_tokens,
        pipeline=pipeline,
        rng=rng,
        eos_id=eos_id,
    ):
        for text, token in zip(texts, tokens, strict=True):
            if token is not None:
                text.append(token)
    return texts[0] if single else texts


def generate(
    logits_fn: LogitsFn,
    prompt: Any,
    *,
    max_new_tokens: int,
    pipeline: LogitsPipeline | None = None,
    rng: Uniform | list[Uniform],
    eos_id: int | None = None,
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
    check_size(max_new_tokens, "max_new_tokens", least=0)
    if eos_id is not None:
        eos_id = check_size(eos_id, "eos_id", least=0)
    if pipeline is not None and not callable(pipeline):
        raise TypeError(f"pipeline must be a LogitsPipeline; got {type(pipeline).__name__}")
    rngs = _check_rngs(rng, len(prompts))
    steps = _steps(logits_fn, prompts, max_new_tokens, pipeline, rngs, eos_id)
    return (tokens[0] for tokens in steps) if single else steps


def _steps(
    logits_fn: LogitsFn,
    prompts: list[list[int]],
    max_new_tokens: int,
    pipeline: LogitsPipeline | None,
    rngs: list[Uniform],
    eos_id: int | None,
) -> Iterator[list[int | None]]:
    B = len(prompts)
    lengths = {len(each) for each in prompts}
    groups = [_Group(prompts, length, max_new_tokens) for length in sorted(lengths)]
    for _ in range(max_new_tokens):
        u = rngs[0].random(B) if len(rngs) == 1 else np.concatenate([r.random(1) for r in rngs])
        tokens: list[int | None] = [None] * B
        for group in groups:
            logits = next_logits(logits_fn, group.ids)  # (b, V)
            check_eos(eos_id, logits)
            if pipeline is not None:
                logits = pipeline(logits, group.history(logits.shape[-1]))
            drawn = draw(logits, beside(u[group.rows], like=logits)).tolist()
            for row, token in zip(group.rows, drawn, strict=True):
                tokens[row] = token
            group.append(drawn, eos_id)
        yield tokens
        groups = [group for group in groups if group.rows]
        if not groups:
            return


class _Group:
    """Texts of one length, which can share a call of the model.

    Attributes:
        rows: (b,) places of these texts among all prompts.
        ids: (b, t) what each holds so far.
    """

    def __init__(self, prompts: list[list[int]], length: int, more: int) -> None:
        self.rows = [i for i, each in enumerate(prompts) if len(each) == length]
        self._held = np.zeros((len(self.rows), length + more), dtype=np.int64)
        self._held[:, :length] = [prompts[i] for i in self.rows]
        self._length = length
        self._counts: tuple[Array, Array] | None = None

    @property
    def ids(self) -> Array:
        return self._held[:, : self._length]

    def history(self, vocab_size: int) -> History:
        """What occurred; counted once, and kept up to date from then on."""
        if self._counts is None:
            prompt = count_tokens(self.ids, vocab_size)
            self._counts = prompt, np.zeros_like(prompt)
        return History(*self._counts)

    def append(self, tokens: list[int], eos_id: int | None) -> None:
        """Add a token to each text, and let go of those that have ended."""
        self._held[:, self._length] = tokens
        self._length += 1
        if self._counts is not None:
            self._counts[1][np.arange(len(tokens)), tokens] += 1
        if eos_id not in tokens:
            return
        going = [i for i, token in enumerate(tokens) if token != eos_id]
        self.rows = [self.rows[i] for i in going]
        self._held = self._held[going]
        if self._counts is not None:
            prompt, output = self._counts
            self._counts = prompt[going], output[going]


def _check_rngs(rng: Any, count: int) -> list[Uniform]:
    rngs = list(rng) if isinstance(rng, list | tuple) else [rng]
    for each in rngs:
        check_rng(each)
    if len(rngs) != 1 and len(rngs) != count:
        raise ValueError(f"rng must be one, or one for each of {count} prompts; got {len(rngs)}")
    return rngs

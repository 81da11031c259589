"""The state of decoding, and the loop that greedy search and sampling share.

Every method of decoding asks a `DecodingState` for logits, appends tokens, selects rows, or takes
tokens back. The model is given exactly those tokens that its cache does not hold, and the logits
are checked once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np

from plainformer.arrays import Array, asarray_like
from plainformer.decoding.logits import check_logits
from plainformer.decoding.model import CausalModel, LogitsFn, as_model, input_like

__all__ = ["DecodingState", "generation_loop", "join_steps", "next_logits"]


class DecodingState:
    """Texts that one model continues together: their tokens, and its cache for them.

    Shorter prompts are padded on the left. `eos_token_id` is the id of the end-of-text token, which
    must be in the model's vocabulary, or None.

    >>> table = np.array([[0.0, 5.0, 1.0], [5.0, 0.0, 1.0], [0.0, 0.0, 9.0]])
    >>> state = DecodingState(lambda ids: table[ids[:, -1]], [[2, 0], [1]])
    >>> state.logits().argmax(axis=-1).tolist()
    [[1], [0]]
    >>> state.append(np.array([1, 0]))
    >>> state.select(np.array([1]))  # the first text leaves the batch
    >>> state.logits().tolist()
    [[[0.0, 5.0, 1.0]]]
    """

    def __init__(
        self,
        model: CausalModel | LogitsFn,
        prompts: list[list[int]],
        eos_token_id: int | None = None,
    ) -> None:
        self.model, self.eos_token_id = as_model(model), eos_token_id
        self.length = max(map(len, prompts))  # of each row, padding included
        self._padding = np.zeros(len(prompts), dtype=np.int64)
        self._ids = np.zeros((len(prompts), self.length), dtype=np.int64)
        for row, prompt in enumerate(prompts):
            self._padding[row] = self.length - len(prompt)
            self._ids[row, self._padding[row] :] = prompt
        self._like = input_like(self.model)
        self._cache = self.model.new_cache(len(prompts), None)

    def __len__(self) -> int:
        """B, the number of texts."""
        return len(self._ids)

    def logits_after_last(self, n: int) -> Iterator[Array]:
        """Yield (B, V) logits after each of the last n tokens, in the order of the text, checked.

        A model with a cache computes all of them in one call. Any other is called for each of them
        separately, and only when it is needed.
        """
        if self._cache is None:
            for end in range(self.length - n + 1, self.length + 1):
                yield self.logits(1, end)[:, -1, :]
        else:
            logits = self.logits(n)
            for i in range(n):
                yield logits[:, i, :]

    def logits(self, n: int = 1, end: int | None = None) -> Array:
        """(B, n, V) logits after each of the last n tokens, checked.

        With an `end`, they are the last n before that column.
        """
        end = self.length if end is None else end
        start = 0
        if self._cache is not None:
            start = min(self._cache.length, end - n)
            # A token is read again if its logits are asked for.
            if start < self._cache.length:
                self._cache.rewind(start)
        ids, positions = self._ids[:, start:end], None
        if self._padding.any():
            # Negative for padding.
            positions = np.arange(start, end) - self._padding[:, None]
            positions = asarray_like(positions, like=self._like)
        torch = sys.modules.get("torch")
        with torch.no_grad() if torch else nullcontext():
            answer = self.model(
                asarray_like(ids, like=self._like),
                cache=self._cache,
                positions=positions,
            )
        if self._cache is not None and answer.shape[:-1] != ids.shape:
            raise ValueError(
                "the model must return (B, T, V) logits "
                f"with T = {end - start} and B = {len(ids)} here; "
                f"got shape {tuple(answer.shape)}"
            )
        logits = check_logits(answer[:, -n:, :], "the model's logits")
        V = logits.shape[-1]
        if self.eos_token_id is not None and self.eos_token_id >= V:
            below = f"below the vocabulary's size, {V}"
            got = f"got {self.eos_token_id}"
            raise ValueError(f"eos_token_id must be {below}; {got}")
        return logits

    def append(self, tokens: Array) -> None:
        """Add tokens to each text: (B,) for one, or (B, n) for several."""
        tokens = tokens.reshape(len(self._ids), -1)
        end = self.length + tokens.shape[1]
        if end > self._ids.shape[1]:  # move into an array of twice the size
            grown = np.zeros((len(self._ids), 2 * end), dtype=np.int64)
            grown[:, : self.length] = self._ids[:, : self.length]
            self._ids = grown
        self._ids[:, self.length : end] = tokens
        self.length = end

    def select(self, rows: Array) -> None:
        """Keep only the texts with these indices, (b,), in this order; repeats are allowed."""
        self._ids, self._padding = self._ids[rows], self._padding[rows]
        if self._cache is not None:
            self._cache.select(rows)

    def rewind(self, length: int) -> None:
        """Keep the first `length` tokens of each text, padding included."""
        self.length = length
        if self._cache is not None and length < self._cache.length:
            self._cache.rewind(length)


def generation_loop(
    state: DecodingState,
    choose: Callable[[Array, Array], Array],
    max_new_tokens: int,
) -> Iterator[list[int | None]]:
    """Continue texts token by token. A text leaves the state after its end-of-text token.

    `choose` maps (b, V) logits, and (b,) the rows of the original batch that they belong to, to
    (b,) tokens. Each step yields a token for each text of the original batch, None for one that has
    ended.

    >>> def cycle(ids):  # the most likely token after i is i + 1
    ...     return 5.0 * np.eye(4)[(ids[:, -1] + 1) % 4]
    >>> state = DecodingState(cycle, [[0], [1]], eos_token_id=3)
    >>> best = lambda logits, rows: logits.argmax(axis=-1)
    >>> list(generation_loop(state, best, 3))
    [[1, 2], [2, 3], [3, None]]
    """
    B = len(state)
    rows = np.arange(B)  # the text of the batch that each row continues
    for _ in range(max_new_tokens):
        tokens = choose(state.logits()[:, -1, :], rows)
        step: list[int | None] = [None] * B
        for row, token in zip(rows.tolist(), tokens.tolist(), strict=True):
            step[row] = token
        yield step
        state.append(tokens)
        unfinished = np.flatnonzero(tokens != state.eos_token_id)
        if len(unfinished) == 0:
            return
        if len(unfinished) < len(rows):
            state.select(unfinished)
            rows = rows[unfinished]


def join_steps(prompts: list[list[int]], steps: Iterable[list[int | None]]) -> list[list[int]]:
    """Each prompt with the tokens that `generation_loop` yields for it.

    >>> join_steps([[5], [6, 7]], [[1, 2], [3, None]])
    [[5, 1, 3], [6, 7, 2]]
    """
    texts = list(map(list, prompts))
    for tokens in steps:
        for text, token in zip(texts, tokens, strict=True):
            if token is not None:
                text.append(token)
    return texts


def next_logits(model: CausalModel | LogitsFn, ids: Any) -> Array:
    """Call a model once with (B, T) ids, and return (B, V) logits for what follows, checked.

    >>> next_logits(lambda ids: np.zeros(3), np.array([[1, 2]]))
    Traceback (most recent call last):
    ValueError: the model must return (B, T, V) logits, or (B, V) for the next token alone, with
    B = 1 here; got shape (3,)
    """
    return DecodingState(model, [list(row) for row in ids]).logits()[:, -1, :]

"""The loop under every way to write a text: ask, choose, append, and let go of what has ended.

`Texts` holds what the texts of a batch have so far, and the model's cache of it. Whoever writes
asks it for logits, adds tokens, keeps some rows and drops others, takes tokens back. It sees to it
that the model is given what its cache does not hold, no more and no less, and that logits are
looked at once. What is done with them is the business of others: greedy search and sampling hand
`continue_texts` a choice, beam search and speculation move the rows and the length themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from plainformer.arrays import Array
from plainformer.decoding.checks import check_answer, check_eos, check_logits
from plainformer.decoding.model import (
    CausalModel,
    LogitsFn,
    as_given_to,
    as_model,
    example_of,
    no_grad,
)

__all__ = ["Texts", "continue_texts", "next_logits", "whole_texts"]


class Texts:
    """Texts that one model continues together: their ids, and its cache of them.

    Args:
        model: any `CausalModel` or `LogitsFn`.
        prompts: the ids of each, 1 or more; shorter ones are padded on the left.
        eos_token_id: the id of the end of text, which the model must have; or None.

    >>> table = np.array([[0.0, 5.0, 1.0], [5.0, 0.0, 1.0], [0.0, 0.0, 9.0]])
    >>> texts = Texts(lambda ids: table[ids[:, -1]], [[2, 0], [1]])
    >>> texts.next_logits().argmax(axis=-1).tolist()
    [1, 0]
    >>> texts.append(np.array([1, 0]))
    >>> texts.select(np.array([1]))  # the first leaves
    >>> texts.next_logits().tolist()
    [[0.0, 5.0, 1.0]]
    """

    def __init__(
        self,
        model: CausalModel | LogitsFn,
        prompts: list[list[int]],
        eos_token_id: int | None = None,
    ) -> None:
        self.model, self.eos_token_id = as_model(model), eos_token_id
        self.length = max(map(len, prompts))  # of a row, padding included
        self._padding = np.array([self.length - len(each) for each in prompts])  # (B,)
        self._ids = np.zeros((len(prompts), self.length), dtype=np.int64)
        for row, prompt in zip(self._ids, prompts, strict=True):
            row[self.length - len(prompt) :] = prompt
        self._like = example_of(self.model)
        self._cache = self.model.new_cache(len(prompts), None)
        self._answers_all = self._cache is not None  # or for the end of a text alone

    def __len__(self) -> int:
        """How many texts there are."""
        return len(self._ids)

    @property
    def ids(self) -> Array:
        """(B, T) what each holds so far, padding included: a view."""
        return self._ids[:, : self.length]

    # Asking

    def next_logits(self) -> Array:
        """(B, V) logits for the token after each text, checked."""
        return self._checked(self._ask(1)[:, -1, :])

    def each_of_last(self, n: int) -> Iterator[Array]:
        """(B, V) logits after each of the last n tokens, checked.

        They come in the order of the text. A model that answers for
        all places is called once. One that answers for the end of a
        text alone is asked for each when it is wanted.
        """
        if self._answers_all:
            logits = self._checked(self._ask(n)[:, -n:, :])
            yield from (logits[:, i, :] for i in range(n))
            return
        for end in range(self.length - n + 1, self.length + 1):
            yield self._checked(self._call(0, end, None)[:, -1, :])

    def _ask(self, n: int) -> Array:
        """(B, m, V) logits after each of the last m tokens, m ≥ n."""
        if self._cache is None:
            return self._call(0, self.length, None)
        known = min(self._cache.length, self.length - n)
        # Asked about what it holds, the model reads that again.
        self._cache.rewind(known)
        return self._call(known, self.length, self._cache)

    def _checked(self, logits: Array) -> Array:
        logits = check_logits(logits, "what the model returns")
        check_eos(self.eos_token_id, logits)
        return logits

    def _call(self, start: int, end: int, cache: Any) -> Array:
        ids = self._ids[:, start:end]
        positions = None
        if self._padding.any():
            positions = np.arange(start, end) - self._padding[:, None]  # (B, T), padding below 0
            positions = as_given_to(self._like, positions)
        with no_grad():
            answer = self.model(as_given_to(self._like, ids), cache=cache, positions=positions)
        logits = check_answer(answer, ids.shape, all_places=cache is not None)
        self._answers_all = cache is not None or logits.shape[1] == end - start > 1
        return logits

    # Moving on

    def append(self, tokens: Array) -> None:
        """Add tokens to each text: (B,) one, or (B, n) several. There is room for any number."""
        tokens = tokens.reshape(len(self), -1)
        end = self.length + tokens.shape[1]
        if end > self._ids.shape[1]:  # into an array of twice the size
            grown = np.zeros((len(self), 2 * end), dtype=np.int64)
            grown[:, : self.length] = self.ids
            self._ids = grown
        self._ids[:, self.length : end] = tokens
        self.length = end

    def select(self, rows: Array) -> None:
        """Keep these texts, (b,) whole numbers, in this order; one may come twice."""
        self._ids, self._padding = self._ids[rows], self._padding[rows]
        if self._cache is not None:
            self._cache.select(rows)

    def rewind(self, length: int) -> None:
        """Keep the first `length` tokens of each text, padding included."""
        self.length = length
        if self._cache is not None:
            self._cache.rewind(min(self._cache.length, length))


def continue_texts(
    model: CausalModel | LogitsFn,
    prompts: list[list[int]],
    choose: Callable[[Array, Array], Array],
    *,
    max_new_tokens: int,
    eos_token_id: int | None,
) -> Iterator[list[int | None]]:
    """Continue texts token by token, each until it ends.

    Args:
        model: any `CausalModel` or `LogitsFn`.
        prompts: the ids of each.
        choose: maps logits, (b, V), and which of the prompts they
            belong to, (b,), to tokens, (b,).
        max_new_tokens: stop after so many.
        eos_token_id: a text that comes to it leaves the batch, and
            the cache; or None.

    Yields:
        A token for each prompt, None for one that has ended.

    >>> def cycle(ids):  # after token i, i + 1 is likeliest
    ...     return 5.0 * np.eye(4)[(ids[:, -1] + 1) % 4]
    >>> likeliest = lambda logits, rows: logits.argmax(axis=-1)
    >>> until_3 = dict(max_new_tokens=3, eos_token_id=3)
    >>> list(continue_texts(cycle, [[0], [1]], likeliest, **until_3))
    [[1, 2], [2, 3], [3, None]]
    """
    texts = Texts(model, prompts, eos_token_id)
    rows = np.arange(len(prompts))  # the prompt that each text continues
    for _ in range(max_new_tokens):
        tokens = choose(texts.next_logits(), rows)
        step: list[int | None] = [None] * len(prompts)
        for row, token in zip(rows.tolist(), tokens.tolist(), strict=True):
            step[row] = token
        yield step
        texts.append(tokens)
        going = np.flatnonzero(tokens != eos_token_id)
        if len(going) == 0:
            return
        if len(going) < len(rows):
            texts.select(going)
            rows = rows[going]


def whole_texts(
    prompts: list[list[int]],
    steps: Iterable[list[int | None]],
) -> list[list[int]]:
    """Each prompt and all that follows: what `continue_texts` yields, put together.

    >>> whole_texts([[5], [6, 7]], [[1, 2], [3, None]])
    [[5, 1, 3], [6, 7, 2]]
    """
    texts = [list(each) for each in prompts]
    for tokens in steps:
        for text, token in zip(texts, tokens, strict=True):
            if token is not None:  # this text has not ended
                text.append(token)
    return texts


def next_logits(model: CausalModel | LogitsFn, ids: Array) -> Array:
    """Ask a model once, and see that it answers as it must.

    Args:
        model: any `CausalModel` or `LogitsFn`.
        ids: (B, T) whole numbers.

    Returns:
        (B, V) logits for the token after each row.

    Raises:
        TypeError: `model` cannot be called.
        ValueError: the answer has another shape, or logits that `check_logits` refuses.

    >>> next_logits(lambda ids: np.zeros(3), np.array([[1, 2]]))
    Traceback (most recent call last):
    ValueError: the model must return (B, T, V) logits, or (B, V) for the next token alone, with
    B = 1 here; got shape (3,)
    """
    return Texts(model, [list(row) for row in ids]).next_logits()

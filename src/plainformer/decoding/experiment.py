"""Measurements for the chapters of this part, on token ids. Arguments are not checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from plainformer.arrays import Array
from plainformer.decoding.model import LogitsFn
from plainformer.decoding.next_token.ngram import NGramModel
from plainformer.decoding.penalties import count_tokens

__all__ = ["greedy_with_penalty", "held_out_logits", "last_loop", "repetition_rate"]

Penalty = Callable[[Array, Array, Array], Array]
"""Maps (B, V) logits, counts in the output, and counts in the whole text to (B, V) logits."""


def greedy_with_penalty(
    model: LogitsFn,
    prompts: Array,
    penalty: Penalty,
    n_tokens: int,
) -> Array:
    """Continue (B, T) prompts with the most likely token after a penalty, for `n_tokens` tokens.

    >>> always = lambda ids: np.tile([2.0, 1.0, 0.0], (len(ids), 1))
    >>> penalty = lambda z, output, text: z - 1.5 * output
    >>> greedy_with_penalty(always, np.array([[2]]), penalty, 4).tolist()
    [[0, 1, 0, 2]]
    """
    text, rows = prompts, np.arange(len(prompts))
    logits = model(text)  # (B, V)
    in_prompt = count_tokens(prompts, logits.shape[-1])
    output = np.zeros_like(in_prompt)
    for _ in range(n_tokens):
        token = penalty(logits, output, in_prompt + output).argmax(axis=-1)
        output[rows, token] += 1
        text = np.concatenate([text, token[:, None]], axis=1)
        logits = model(text)
    return text[:, prompts.shape[1] :]


def repetition_rate(text: Sequence[int], last: int, n: int = 4) -> float:
    """Of the final `last` n-grams of a text, the fraction that occurred in it before.

    >>> repetition_rate([1, 2, 3, 1, 2], last=2, n=2)  # 3 1 is new
    0.5
    """
    n_grams = [tuple(text[i : i + n]) for i in range(len(text) - n + 1)]
    first: dict[tuple[int, ...], int] = {}
    for i, n_gram in enumerate(n_grams):
        first.setdefault(n_gram, i)
    ends = range(len(n_grams) - last, len(n_grams))
    return float(np.mean([first[n_grams[i]] < i for i in ends]))


def last_loop(
    text: Sequence[int],
    window: int = 400,
    longest: int = 199,
) -> tuple[int, int] | None:
    """The loop that a text ends in: the token where it starts, and its length.

    All of the last `window` tokens must be in the loop. Loops longer than `longest` are not found.

    >>> last_loop([5, 6, 7, 1, 2, 1, 2, 1, 2], window=4)
    (3, 2)
    """
    for period in range(1, longest + 1):
        if text[-window:-period] == text[period - window :]:
            start = len(text) - window
            while start > 0 and text[start - 1] == text[start - 1 + period]:
                start -= 1
            return start, period
    return None


def held_out_logits(
    ids: Array,
    tenth: int,
    vocab_size: int,
) -> tuple[Array, Array]:
    """Fit an n-gram model of order 4 to nine tenths of a text, and let it predict the other.

    `tenth` says which one is predicted, counting from 1. Returns (n, V) logits for every fifth
    token in it, and those tokens themselves, (n,).

    >>> ids = np.arange(1000) % 7
    >>> z, right = held_out_logits(ids, tenth=3, vocab_size=7)
    >>> z.shape, bool((z.argmax(axis=-1) == right).all())
    ((20, 7), True)
    """
    parts = np.array_split(ids, 10)
    held_out = parts.pop(tenth - 1)
    windows = np.lib.stride_tricks.sliding_window_view(held_out, 4)
    n_grams = windows[::5]  # (n, 4)
    fitted = NGramModel(4, vocab_size=vocab_size).fit(np.concatenate(parts))
    return fitted(n_grams[:, :3]), n_grams[:, 3]

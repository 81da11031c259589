"""What the chapters of this part measure on texts that a model writes, or has not read.

A loop is what greedy decoding ends in, so there are two ways to see one: the share of a text that
had been said before, and the place from which the text only repeats itself. To see how well a model
predicts, a part of the text is kept from it.

But: these are measurements of small models, on ids. They look at nothing that they are given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from plainformer.arrays import Array
from plainformer.decoding.model import LogitsFn
from plainformer.decoding.next_token import NGramModel
from plainformer.decoding.penalties import count_tokens

__all__ = ["keep_apart", "last_loop", "said_before", "write_greedily"]

Penalty = Callable[[Array, Array, Array], Array]
"""(B, V) logits, counts in the output, counts in all of the text, to (B, V) logits."""


def write_greedily(
    model: LogitsFn,
    prompts: Array,
    penalty: Penalty,
    n_tokens: int,
) -> Array:
    """Continue texts by the likeliest token each time, after a penalty.

    Args:
        model: maps (B, T) ids to (B, V) logits.
        prompts: (B, T) ids.
        penalty: changes the logits, see `Penalty`.
        n_tokens: how many to write.

    Returns:
        (B, n_tokens) ids, the prompts left out.

    >>> always = lambda ids: np.tile([2.0, 1.0, 0.0], (len(ids), 1))
    >>> charged = lambda z, output, text: z - 1.5 * output
    >>> write_greedily(always, np.array([[2]]), charged, 4).tolist()
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


def said_before(text: Sequence[int], last: int, width: int = 4) -> float:
    """Which share of the last pieces of a text it had said before.

    Args:
        text: ids.
        last: how many pieces are looked at.
        width: tokens in a piece.

    >>> said_before([1, 2, 3, 1, 2], last=2, width=2)  # 3 1 is new
    0.5
    """
    starts = range(len(text) - width + 1)
    pieces = [tuple(text[i : i + width]) for i in starts]
    first: dict[tuple[int, ...], int] = {}
    for i, piece in enumerate(pieces):
        first.setdefault(piece, i)
    ends = range(len(pieces) - last, len(pieces))
    return float(np.mean([first[pieces[i]] < i for i in ends]))


def last_loop(
    text: Sequence[int],
    window: int = 400,
    longest: int = 199,
) -> tuple[int, int] | None:
    """The loop that a text ends in: from which token, and every how many.

    Args:
        text: ids, more than `window`.
        window: so many tokens, the last, must repeat themselves.
        longest: a loop of more tokens is not looked for.

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


def keep_apart(
    ids: Array,
    tenth: int,
    vocab_size: int,
) -> tuple[Array, Array]:
    """A model reads nine tenths of a text and predicts the other.

    It is an n-gram model of order 4.

    Args:
        ids: (N,) the text.
        tenth: which of its tenths is kept apart, from 1 to 10.
        vocab_size: V.

    Returns:
        (n, V) logits for every fifth token of that tenth, and (n,)
        the tokens that stand there.

    >>> z, right = keep_apart(np.arange(1000) % 7, tenth=3, vocab_size=7)
    >>> z.shape, bool((z.argmax(axis=-1) == right).all())
    ((20, 7), True)
    """
    parts = np.array_split(ids, 10)
    apart = parts.pop(tenth - 1)
    rest = np.lib.stride_tricks.sliding_window_view(apart, 4)[::5]  # (n, 4)
    fitted = NGramModel(4, vocab_size=vocab_size)
    fitted.fit(np.concatenate(parts))
    return fitted(rest[:, :3]), rest[:, 3]

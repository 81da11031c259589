"""The running sentence as numbers small enough to check by hand.

All chapters of this part use these numbers. Each token is described by four of them, which were
chosen by hand and not by training: is it a *thing*, is it a *quality*, does it *point* at something
(a, your), does it *link* (is)? They contain no positions, so both cats are the same vector.

Two heads, each two numbers wide, do something that can be followed with a pencil. In head 0 a thing
asks for qualities, and a quality and a pointer ask for things. In head 1 a thing asks what points
at it. No trained model is like this: its dimensions have no names, and there are thousands of them.

>>> (X @ W_Q)[1].tolist()  # what "cat" asks for: not a thing, a quality
[0.0, 2.0]
>>> from plainformer.attention import attention
>>> output, weights = attention(X @ W_Q, X @ W_K, X @ W_V)
>>> dict(zip(TOKENS, weights[1].round(2).tolist()))["lovely"]
0.77
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plainformer.arrays import Array

__all__ = [
    "KINDS", "SENTENCE", "TOKENS", "W_K", "W_K1", "W_O", "W_Q", "W_Q1", "W_V", "W_V1", "X",
]  # fmt: skip


def _fixed(rows: Sequence[Sequence[float]]) -> Array:
    """An array that cannot be changed by accident; `.copy()` returns one to play with."""
    array = np.array(rows, dtype=np.float64)
    array.flags.writeable = False
    return array


SENTENCE = "your cat is a lovely cat"
TOKENS = tuple(SENTENCE.split())
KINDS = ("thing", "quality", "pointer", "link")

X = _fixed(
    [
        [0, 0, 2, 0],  # your
        [2, 0, 0, 0],  # cat
        [0, 0, 0, 1],  # is
        [0, 0, 1, 0],  # a
        [0, 2, 0, 0],  # lovely
        [2, 0, 0, 0],  # cat
    ]
)
"""The tokens, (T, D) = (6, 4): how far each is a thing, a quality, a pointer or a link."""

# Head 0. Its queries and keys: [thing, quality].
W_Q = _fixed(
    [
        [0, 1],  # a thing asks for a quality
        [1, 0],  # a quality asks for a thing
        [1, 0],  # a pointer asks for a thing
        [1, 1],  # a link asks for both
    ]
)
"""The query weights of head 0, (D, K) = (4, 2)."""

W_K = _fixed([[1, 0], [0, 1], [0, 0], [0, 0]])
"""The key weights of head 0, (D, K): a thing matches as a thing, and a quality as a quality."""

W_V = _fixed([[1, 0], [0, 2], [0, -1], [-1, 0]])
"""The value weights of head 0, (D, K): what each token passes on."""

# Head 1. Its queries and keys: [pointer, thing].
W_Q1 = _fixed([[1, 0], [0, 1], [0, 0], [0, 0]])
"""The query weights of head 1, (D, K): a thing asks what points at it."""

W_K1 = _fixed([[0, 1], [0, 0], [1, 0], [0, 0]])
"""The key weights of head 1, (D, K)."""

W_V1 = _fixed([[0, 1], [0, 0], [1, 0], [0, 0]])
"""The value weights of head 1, (D, K)."""

W_O = _fixed([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 1]])
"""The output weights, (H · K, D) = (4, 4): they mix the outputs of the heads, head 0 first."""

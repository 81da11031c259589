"""Attention as a dictionary: a query is held against keys, and values come back.

A Python dictionary answers a query that equals one of its keys, and raises an error for any other.
Let keys be vectors, and a query can be *like* a key: their dot product says how much. Take the
value of the best key (`hard=True`), and every query has an answer. Mix all values, each weighted by
the softmax of its key's score, and the answer changes smoothly as query, keys and values do: that
can be trained. Attention is this soft lookup, with the scores scaled.

With one-hot keys, as `plainformer.inputs.one_hot` makes them, the hard lookup is a dictionary.

How sharp is the soft one? That is the length of the query: with 10 times the query every score is
10 times as far from the next, and the mixture comes close to the value of the best key.
"""

from __future__ import annotations

import array_api_compat

from plainformer.arrays import Array
from plainformer.attention.checks import check_lookup
from plainformer.attention.stable_softmax import softmax_formula
from plainformer.inputs.embedding import one_hot

__all__ = ["lookup"]


def lookup(
    query: Array,
    keys: Array,
    values: Array,
    *,
    hard: bool = False,
) -> Array:
    """The value of the key that a query matches best, or a mixture of all.

    Args:
        query: (K,), or (..., T, K) for several.
        keys: (S, K), one row for each key.
        values: (S, Dv), one row for each key.
        hard: whether the best key takes it all (of several, the first).
            Otherwise each value counts by the softmax of its key's score.

    Returns:
        (Dv,), or (..., T, Dv).

    Raises:
        TypeError: no real numbers, arrays of several libraries, or a `hard`
            that is neither True nor False.
        ValueError: shapes that do not fit, or no keys at all.

    Source: Sukhbaatar et al. 2015 (End-To-End Memory Networks), section
    2.1, equations 1 and 2, for the soft lookup.

    >>> import numpy as np
    >>> keys = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> values = np.array([[10.0], [20.0]])
    >>> query = np.array([np.log(3), 0.0])  # more like the first key
    >>> lookup(query, keys, values, hard=True).tolist()
    [10.0]
    >>> lookup(query, keys, values).round(6).tolist()  # 3 parts to 1
    [12.5]
    """
    query, keys, values, hard = check_lookup(query, keys, values, hard)
    scores = query @ keys.mT  # (..., S), one dot product for each key
    weights = _winner(scores) if hard else softmax_formula(scores)
    return weights @ values


def _winner(scores: Array) -> Array:
    """Weights that are 1 for the best score, the first of several, and 0 elsewhere."""
    xp = array_api_compat.array_namespace(scores)
    best = xp.argmax(scores, axis=-1)
    return xp.astype(one_hot(best, scores.shape[-1]), scores.dtype)

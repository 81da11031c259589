"""Attention as a dictionary: a query is compared with keys, and values come back.

A Python dictionary answers a query that equals one of its keys, and raises an error for any other.
If keys are vectors, a query can be *similar* to a key, and their dot product says how similar. When
the value of the best key is returned (`hard=True`), every query has an answer. When all values are
mixed instead, each weighted by the softmax of its key's score, the answer changes smoothly with
query, keys and values, so it can be trained. Attention is this soft lookup with scaled scores.

With one-hot keys, as `plainformer.inputs.one_hot` makes them, the hard lookup is a dictionary.

How sharp the soft one is depends on the length of the query: if the query is 10 times as long, the
scores are 10 times as far apart, and the mixture is close to the value of the best key.
"""

from __future__ import annotations

import array_api_compat

from plainformer.attention.stable_softmax import softmax
from plainformer.shapes import Array, Float, checked

__all__ = ["lookup"]


@checked
def lookup(
    query: Float[Array, "... K"],
    keys: Float[Array, "S K"],
    values: Float[Array, "S Dv"],
    *,
    hard: bool = False,
) -> Float[Array, "... Dv"]:
    """The value of the key that a query matches best, or a mixture of all
    values.

    Args:
        query: (K,), or (..., T, K) for several queries.
        keys: (S, K), one key per row.
        values: (S, Dv), one value per row.
        hard: whether the best key (of several, the first) takes it all.
            Otherwise each value counts by the softmax of its key's score.

    Returns:
        (Dv,), or (..., T, Dv).

    Raises:
        TypeError: arrays that are not real numbers or come from different
            libraries, or a `hard` that is neither True nor False.
        ValueError: shapes that do not fit, or no keys at all.

    Source: Sukhbaatar et al. 2015 (End-To-End Memory Networks), section 2.1,
    equations 1 and 2, for the soft lookup.

    >>> import numpy as np
    >>> keys = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> values = np.array([[10.0], [20.0]])
    >>> query = np.array([np.log(3), 0.0])  # more similar to the first key
    >>> lookup(query, keys, values, hard=True).tolist()
    [10.0]
    >>> lookup(query, keys, values).round(6).tolist()  # 3 parts to 1
    [12.5]
    """
    scores = query @ keys.T  # (..., S), one dot product for each key
    S = keys.shape[0]
    if hard and S > 0:
        xp = array_api_compat.array_namespace(keys)
        device = array_api_compat.device(keys)
        best = xp.argmax(scores, axis=-1, keepdims=True)  # (..., 1)
        one_hot = xp.arange(S, device=device) == best
        weights = xp.astype(one_hot, scores.dtype)
    else:
        weights = softmax.unchecked(scores)
    return weights @ values

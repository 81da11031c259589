"""Attention as a dictionary: a query is compared with keys, and values are returned.

A dictionary answers only a query that equals one of its keys. If keys are vectors, a query can be
*similar* to a key, and the softmax of their dot products says how much each value counts. The
answer then changes smoothly with query, keys and values, so it can be trained.
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
    """The value of the key that a query matches best, or a mixture of all values.

    With `hard`, only the value of the best key counts (if several tie, the first). Otherwise each
    value is weighted by the softmax of its key's score. Several queries are (..., T, K).

    Source: Sukhbaatar et al. 2015 (End-To-End Memory Networks), section 2.1, equations 1 and 2, for
    the soft lookup.

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

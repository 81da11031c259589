"""Attention block by block: the same output, without ever holding all scores at once.

A weighted mean can be kept up to date without storing the numbers that went into it, because the
sum of the weights and the sum of the weighted values are enough. When a block of keys raises the
largest score, both sums are multiplied by exp(old - new). This is the online softmax, and
FlashAttention is this loop with each block kept in the fast memory of a GPU. Autograd stores the
intermediate results of every block, which adds up to T · S numbers after all, whereas
FlashAttention recomputes the blocks in its backward pass.
"""

from __future__ import annotations

import math

import array_api_compat

from plainformer.shapes import Array, Float, Size, checked

__all__ = ["blockwise_attention", "online_attention"]


@checked
def blockwise_attention(
    q: Float[Array, "... T K"],
    k: Float[Array, "... S K"],
    v: Float[Array, "... S Dv"],
    *,
    block_size: Size = 128,
    causal: bool = False,
    scale: float | None = None,
) -> Float[Array, "... T Dv"]:
    """The output of `attention`, computed in blocks of queries and of keys.

    No more than block_size² scores of a head exist at any time; `block_size` need not divide T or
    S. The only mask available is `causal`. With it, the queries are the last T of S positions, as
    in decoding with a cache, and later keys are never read, which saves nearly half of the work.

    Source: Rabe and Staats 2021, sections 2 and 3; Dao 2023 (FlashAttention-2), algorithm 1.

    >>> import numpy as np
    >>> q = np.zeros((3, 1))  # scores 0: a mean of what is seen
    >>> v = np.array([[6.0], [2.0], [1.0]])
    >>> blockwise_attention(q, q, v, block_size=2).tolist()
    [[3.0], [3.0], [3.0]]
    >>> y = blockwise_attention(q, q, v, block_size=2, causal=True)
    >>> y.tolist()
    [[6.0], [4.0], [3.0]]
    """
    T, S = q.shape[-2], k.shape[-2]
    if T == 0:
        return q @ k.mT @ v
    if S == 0 or (causal and T > S):
        raise ValueError(
            "k must have a row, and in causal attention one for each "
            "query, because the queries "
            f"are the last T of S positions; got T = {T}, S = {S}"
        )
    xp = array_api_compat.array_namespace(q)
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    blocks = []
    for start in range(0, T, block_size):
        stop = min(start + block_size, T)
        queries = q[..., start:stop, :] * scale
        end = S - T + stop if causal else S  # later keys are never read
        keys, values = k[..., :end, :], v[..., :end, :]
        block = online_attention(queries, keys, values, block_size, causal)
        blocks.append(block)
    return xp.concat(blocks, axis=-2)  # (..., T, Dv)


def online_attention(
    q: Array, k: Array, v: Array, block_size: int, causal: bool
) -> Array:  # fmt: skip
    """The output for b queries that are already scaled, from `block_size` keys at a time.

    With `causal`, the queries are the last b of S positions.

    Source: Milakov and Gimelshein 2018, algorithm 3 (top and total); Rabe and Staats 2021, sections
    2 and 3, and Dao 2023 (FlashAttention-2), algorithm 1 (output, divided at the end).

    >>> import numpy as np
    >>> q, v = np.array([[1.0]]), np.array([[1.0], [5.0]])
    >>> k = np.array([[0.0], [np.log(3)]])  # scores 0, then log 3
    >>> online_attention(q, k, v, 1, False).round(6).tolist()
    [[4.0]]
    """
    xp = array_api_compat.array_namespace(q)
    device = array_api_compat.device(q)
    b, S = q.shape[-2], k.shape[-2]
    # A long sum may exceed 65,504, the largest float16.
    wide = xp.result_type(q.dtype, xp.float32)
    top = xp.asarray(-math.inf, dtype=wide, device=device)
    total, output = 0.0, 0.0
    for start in range(0, S, block_size):
        stop = min(start + block_size, S)
        keys, values = k[..., start:stop, :], v[..., start:stop, :]
        scores = xp.astype(q @ keys.mT, wide, copy=False)  # (..., b, block)
        # The key of the first query, counted from this block's first key.
        first = S - b - start
        # Some keys are later than some queries.
        if causal and first < scores.shape[-1] - 1:
            own_key = xp.arange(first, first + b, device=device)[:, None]
            keys_here = xp.arange(scores.shape[-1], device=device)[None, :]
            later = keys_here > own_key
            scores = xp.where(later, -math.inf, scores)
        highest = xp.max(scores, axis=-1, keepdims=True)  # (..., b, 1)
        old, top = top, xp.maximum(highest, top)
        fade = xp.exp(old - top)  # 1 where the top has not risen
        e = xp.exp(scores - top)  # each from 0 to 1
        values = xp.astype(values, wide, copy=False)
        total = fade * total + xp.sum(e, axis=-1, keepdims=True)
        output = fade * output + e @ values  # (..., b, Dv)
    return xp.astype(output / total, v.dtype, copy=False)

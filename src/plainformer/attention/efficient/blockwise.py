"""Attention block by block: the same output, and the scores are never all there at once.

A mean can be kept up to date without the numbers that went in: their sum and their count are
enough, and each new number is added to both. Attention's output is a weighted mean. So take one
block of keys after the other, and keep for each query

- `total`, the sum of its weights so far, each exp(score);
- `output`, the sum of its weighted values so far;
- `top`, the largest score so far, taken off every score before exp, which might overflow else.

When a block raises `top`, both sums were made with the old one: multiplied by exp(old - new), they
are as if made with the new one. At the end the output is divided by the total. This is the online
softmax, and FlashAttention is this loop with each block kept in the fast memory of a GPU.

Queries go block by block too. So no more than block_size² scores of a head exist at any time, be
the text ever so long; and where attention is causal, the keys after a block's last query are never
read, which saves nearly half of the work.

Scores that are infinite (an overflow, or numbers that were not finite) leave ∞ - ∞ behind. A block
of queries that finds anything but finite numbers is computed again by `attention`, which knows what
to do about them. So the two always agree, but for a NaN or ∞ in a value that no query may see: one
in a block that is skipped does not matter here.

But: no mask but the causal one, and no weights to look at. Autograd keeps what every block leaves
behind, T · S numbers after all; FlashAttention computes the blocks again in its backward pass.
After every block of queries there is a look for infinities, for which a GPU must catch up.
"""

from __future__ import annotations

import math

import array_api_compat
import numpy as np

from plainformer.arrays import Array, widen
from plainformer.attention.checks import check_blockwise
from plainformer.attention.masking import causal_mask
from plainformer.attention.self_attention import attention

__all__ = ["blockwise_attention", "online_attention"]


def online_attention(
    q: Array,
    k: Array,
    v: Array,
    block_size: int,
    causal: bool,
) -> Array:
    """What some queries find among keys that come block by block.

    Args:
        q: (..., b, K), scaled already.
        k: (..., S, K), of which `block_size` are taken at once.
        v: (..., S, Dv).
        block_size: how many keys are taken at once.
        causal: no query sees a later key; the queries are the last
            of S.

    Returns:
        (..., b, Dv).

    Source: Milakov and Gimelshein 2018, algorithm 3 (top and
    total); Rabe and Staats 2021, sections 2 and 3, and Dao 2023
    (FlashAttention-2), algorithm 1 (output, divided at the end).

    >>> q, v = np.array([[1.0]]), np.array([[1.0], [5.0]])
    >>> k = np.array([[0.0], [np.log(3)]])  # scores 0, then log 3
    >>> online_attention(q, k, v, 1, False).round(6).tolist()
    [[4.0]]
    """
    xp = array_api_compat.array_namespace(q, k, v)
    T, S = q.shape[-2], k.shape[-2]
    # In float32 or wider, for the sums may be long.
    top, total, output = -math.inf, 0.0, 0.0
    for start in range(0, S, block_size):
        keys = slice(start, start + block_size)
        scores = widen(q @ k[..., keys, :].mT)  # (..., b, block)
        if causal:
            scores = _hide_future(scores, offset=S - T - start)
        high = xp.max(scores, axis=-1, keepdims=True)  # (..., b, 1)
        old, top = top, xp.maximum(high, top)
        fade = xp.exp(old - top)  # 1 where the top has not risen
        e = xp.exp(scores - top)  # each from 0 to 1
        added = xp.sum(e, axis=-1, keepdims=True)  # (..., b, 1)
        total = fade * total + added
        output = fade * output + e @ widen(v[..., keys, :])  # (..., b, Dv)
    return xp.astype(output / total, v.dtype, copy=False)


def blockwise_attention(
    q: Array,
    k: Array,
    v: Array,
    *,
    block_size: int = 128,
    causal: bool = False,
    scale: float | None = None,
) -> Array:
    """The output of `attention`, by blocks of queries and of keys.

    Leading axes (batch, heads) broadcast, as in a matrix product.

    Args:
        q: (..., T, K), one row for each query.
        k: (..., S, K), one row for each key.
        v: (..., S, Dv), one row for each value.
        block_size: how many queries, and how many keys, are taken
            at once; it need not divide T or S.
        causal: no query sees a later key. The queries are the last
            T of S positions, as in decoding with a cache:
            `causal_mask(T, S, offset=S - T)`.
        scale: what the scores are multiplied by; None means 1/√K.

    Returns:
        (..., T, Dv).

    Raises:
        TypeError: no real numbers, several libraries, `block_size`
            no whole number, `causal` neither True nor False.
        ValueError: shapes that do not fit; causal with T > S; a
            query with no score above -∞, as `FullyMaskedRowError`.

    Source: Rabe and Staats 2021, sections 2 and 3; Dao 2023
    (FlashAttention-2), algorithm 1.

    >>> q = np.zeros((3, 1))  # scores 0: a mean of what is seen
    >>> v = np.array([[6.0], [2.0], [1.0]])
    >>> blockwise_attention(q, q, v, block_size=2).tolist()
    [[3.0], [3.0], [3.0]]
    >>> y = blockwise_attention(q, q, v, block_size=2, causal=True)
    >>> y.tolist()
    [[6.0], [4.0], [3.0]]
    """
    checked = check_blockwise(q, k, v, block_size, causal, scale)
    q, k, v, size, causal, scale = checked
    xp = array_api_compat.array_namespace(q)
    T, S = q.shape[-2], k.shape[-2]
    if T == 0 or S == 0:
        return _at_once(q, k, v, causal, start=0)
    blocks = []
    for start in range(0, T, size):
        queries = q[..., start : start + size, :] * scale
        end = S - T + start + queries.shape[-2] if causal else S
        seen = queries, k[..., :end, :], v[..., :end, :]
        with np.errstate(invalid="ignore"):  # ∞ - ∞
            block = online_attention(*seen, size, causal)  # (..., b, Dv)
        if not bool(xp.all(xp.isfinite(block))):  # seldom
            block = _at_once(*seen, causal, start)
        blocks.append(block)
    return xp.concat(blocks, axis=-2)  # (..., T, Dv)


def _hide_future(scores: Array, offset: int) -> Array:
    """-∞ for the keys after a query's own, which is key offset + i for query i."""
    xp, device = array_api_compat.array_namespace(scores), array_api_compat.device(scores)
    if scores.shape[-1] <= offset + 1:  # nothing here is later than the first query
        return scores
    own = xp.arange(offset, offset + scores.shape[-2], device=device)[:, None]
    keys = xp.arange(scores.shape[-1], device=device)[None, :]
    return xp.where(keys <= own, scores, -math.inf)


def _at_once(q: Array, k: Array, v: Array, causal: bool, start: int) -> Array:
    """A block of queries by the plain formula, which has an answer for infinite scores."""
    T, S = q.shape[-2], k.shape[-2]
    mask = causal_mask(T, S, offset=S - T, like=q) if causal else None
    return attention.unchecked(q, k, v, mask=mask, scale=1.0)[0]

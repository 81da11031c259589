"""Multi-head attention: H narrow attentions side by side, instead of one that is H times as wide.

One softmax makes one weighted mean, so one head can follow one relation at a time. H heads follow
H of them: each has queries, keys and values of its own, K = D / H numbers wide, cut out of one
product of matrices. What the heads found is put side by side again, and W_O mixes it. All of this
costs what a single head of width D does.

Between the cut and the join, the heads attend: `grouped.py`, which is next, and where several heads
may share their keys and values.

But: the projections here have no biases, as in the paper; those of the module have.
"""

from __future__ import annotations

from typing import Any

import array_api_compat

from plainformer.arrays import Array, as_array, as_floats, check_size
from plainformer.attention.multi_head.grouped import (
    check_heads,
    for_all_heads,
    grouped_query_attention,
)
from plainformer.attention.softmax import Empty

__all__ = ["check_head_counts", "merge_heads", "multi_head_attention", "split_heads"]


def split_heads(x: Array, n_heads: int) -> Array:
    """Cut every row into as many pieces as there are heads.

    Head h gets the columns from h · K to (h + 1) · K - 1.

    Args:
        x: (..., T, D).
        n_heads: the number H of heads, which divides D.

    Returns:
        (..., H, T, K) with K = D / H; in torch a view of x where
        possible.

    Raises:
        TypeError: `x` is no array of numbers.
        ValueError: `x` has no rows, or H does not divide D.

    >>> import numpy as np
    >>> x = np.array([[1, 2, 3, 4], [5, 6, 7, 8]])  # T = 2, D = 4
    >>> split_heads(x, 2).tolist()
    [[[1, 2], [5, 6]], [[3, 4], [7, 8]]]
    """
    x, n_heads = _check_split(x, n_heads)
    xp = array_api_compat.array_namespace(x)
    *rows, D = x.shape
    x = xp.reshape(x, (*rows, n_heads, D // n_heads))  # (..., T, H, K)
    return xp.moveaxis(x, -3, -2)  # (..., H, T, K)


def merge_heads(x: Array) -> Array:
    """Put a token's heads side by side: undo `split_heads`.

    Args:
        x: (..., H, T, K).

    Returns:
        (..., T, H · K), head 0 first.

    Raises:
        TypeError: `x` is no array of numbers.
        ValueError: `x` has no axis of heads.

    >>> import numpy as np
    >>> x = np.array([[[1, 2], [5, 6]], [[3, 4], [7, 8]]])  # H = 2
    >>> merge_heads(x).tolist()
    [[1, 2, 3, 4], [5, 6, 7, 8]]
    """
    x = check_heads(x, "x")
    xp = array_api_compat.array_namespace(x)
    x = xp.moveaxis(x, -3, -2)  # (..., T, H, K)
    *rows, H, K = x.shape
    return xp.reshape(x, (*rows, H * K))


def multi_head_attention(
    x_q: Array,
    x_kv: Array,
    w_q: Array,
    w_k: Array,
    w_v: Array,
    w_o: Array,
    *,
    n_heads: int,
    n_kv_heads: int | None = None,
    mask: Array | None = None,
    bias: Array | None = None,
    scale: float | None = None,
    empty: Empty = "error",
) -> tuple[Array, Array]:
    """Project, split into heads, attend in each, join, mix.

    With x_kv = x_q this is self-attention; with another text,
    cross-attention.

    Args:
        x_q: (..., T, D), the tokens that ask.
        x_kv: (..., S, D), the tokens that are asked.
        w_q: (D, H · K).
        w_k: (D, G · K).
        w_v: (D, G · Kv); as a rule Kv = K.
        w_o: (H · Kv, D).
        n_heads: the number H of heads, of queries.
        n_kv_heads: the number G of heads of keys and values; it
            divides H; None means H.
        mask: boolean, True where attention is allowed: (T, S);
            or (..., T, S) with the leading axes of x, for all
            heads alike; or (..., H, T, S), for each head.
        bias: numbers added to the scaled scores; broadcasts to
            (..., H, T, S), heads included, as ALiBi's (H, T, S).
        scale: what the scores are multiplied by; None means 1/√K.
        empty: as in `attention`.

    Returns:
        output: (..., T, D).
        weights: (..., H, T, S); every row sums to 1.

    Raises:
        TypeError, ValueError: shapes that do not fit, or as in
            `attention`.

    Source: Vaswani et al. 2017, section 3.2.2; for G < H,
    Ainslie et al. 2023 (GQA), section 2.2; for G = 1, Shazeer
    2019 (MQA), section 3.

    >>> import numpy as np
    >>> x_q = np.array([[1.0, 0.0]])
    >>> x_kv = np.array([[np.log(3), 8.0], [0.0, 4.0]])
    >>> w_q = np.array([[1.0, 0.0], [0.0, 0.0]])  # of head 0
    >>> w_k = np.array([[1.0, 1.0], [0.0, 0.0]])  # number 0
    >>> w_v = np.array([[0.0, 0.0], [1.0, 1.0]])  # number 1
    >>> output, weights = multi_head_attention(
    ...     x_q, x_kv, w_q, w_k, w_v, np.eye(2), n_heads=2
    ... )
    >>> weights.round(6).tolist()  # of head 0, of head 1
    [[[0.75, 0.25]], [[0.5, 0.5]]]
    >>> output.round(6).tolist()  # 6 + 1, and 4 + 2
    [[7.0, 6.0]]
    """
    n_heads, n_kv_heads = check_head_counts(n_heads, n_kv_heads)
    x_q, x_kv, w_q, w_k, w_v, w_o = _check_weights(
        x_q, x_kv, w_q, w_k, w_v, w_o, n_heads, n_kv_heads
    )
    mask = for_all_heads(mask, max(x_q.ndim, x_kv.ndim))
    q = split_heads(x_q @ w_q, n_heads)  # (..., H, T, K)
    k = split_heads(x_kv @ w_k, n_kv_heads)  # (..., G, S, K)
    v = split_heads(x_kv @ w_v, n_kv_heads)  # (..., G, S, Kv)
    heads, weights = grouped_query_attention(
        q, k, v, mask=mask, bias=bias, scale=scale, empty=empty
    )
    return merge_heads(heads) @ w_o, weights  # (..., T, D)


# What is refused


def check_head_counts(n_heads: Any, n_kv_heads: Any) -> tuple[int, int]:
    """Return H and G; None for G means H.

    Raises:
        TypeError, ValueError: one is no whole number of 1 or more, or G does not divide H.

    >>> check_head_counts(8, None), check_head_counts(8, 2)
    ((8, 8), (8, 2))
    """
    n_heads = check_size(n_heads, "n_heads")
    n_kv_heads = n_heads if n_kv_heads is None else check_size(n_kv_heads, "n_kv_heads")
    if n_heads % n_kv_heads:
        raise ValueError(f"n_kv_heads must divide n_heads, which is {n_heads}; got {n_kv_heads}")
    return n_heads, n_kv_heads


def _check_split(x: Any, n_heads: Any) -> tuple[Array, int]:
    x, n_heads = as_array(x, "x"), check_size(n_heads, "n_heads")
    if x.ndim < 2:
        raise ValueError(f"x must be (..., T, D); got shape {tuple(x.shape)}")
    if x.shape[-1] % n_heads:
        raise ValueError(
            f"n_heads must divide the width of x, which is {x.shape[-1]}; got {n_heads}"
        )
    return x, n_heads


def _check_weights(
    x_q: Any, x_kv: Any, w_q: Any, w_k: Any, w_v: Any, w_o: Any, H: int, G: int
) -> list[Array]:
    """The arrays as floats of one library and dtype; every matrix fits what it reads and makes."""
    x_q, x_kv, w_q, w_k, w_v, w_o = arrays = as_floats(
        x_q=x_q, x_kv=x_kv, w_q=w_q, w_k=w_k, w_v=w_v, w_o=w_o
    )
    for name, x in (("x_q", x_q), ("x_kv", x_kv)):
        if x.ndim < 2:
            raise ValueError(f"{name} must be (..., tokens, D); got shape {tuple(x.shape)}")
    for name, w, x, heads in (("w_q", w_q, x_q, H), ("w_k", w_k, x_kv, G), ("w_v", w_v, x_kv, G)):
        if w.ndim != 2 or w.shape[0] != x.shape[-1] or w.shape[1] % heads:
            raise ValueError(
                f"{name} must have {x.shape[-1]} rows, as tokens have numbers, and as many columns "
                f"for each of {heads} heads; got shape {tuple(w.shape)}"
            )
    width = w_v.shape[1] // G * H
    if w_o.ndim != 2 or w_o.shape[0] != width:
        raise ValueError(
            f"w_o must have {width} rows, the width of {H} heads; got shape {tuple(w_o.shape)}"
        )
    return arrays

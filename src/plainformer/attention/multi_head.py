"""Multi-head attention: H narrow attentions side by side, instead of one that is H times as wide.

One softmax makes one weighted mean, so one head can follow one relation at a time. H heads follow
H of them: each has queries, keys and values of its own, K = D / H numbers wide, cut out of one
product of matrices. What the heads found is put side by side again, and W_O mixes it. All of this
costs what a single head of width D does.

Between the cut and the join, the heads attend. Most of what decoding reads is keys and values, so
several heads may share them: G of them for H heads (grouped queries, GQA), or G = 1 (multi-query,
MQA). *Heads that share are no more than further queries of the same keys.* So their queries are
stacked and asked together, and no key is ever copied.

But: the projections here have no biases, as in the paper; those of the layer have
(`modules/multi_head.py`, which is next).
"""

from __future__ import annotations

import array_api_compat

from plainformer.arrays import Array
from plainformer.attention.checks import (
    FullyMasked,
    check_attention,
    check_heads,
    check_multi_head,
)
from plainformer.attention.stable_softmax import softmax_formula

__all__ = [
    "grouped_matmul",
    "grouped_query_attention",
    "grouped_query_formula",
    "merge_formula",
    "merge_heads",
    "multi_head_attention",
    "multi_head_formula",
    "split_formula",
    "split_heads",
]


def multi_head_formula(
    x_q: Array,
    x_kv: Array,
    w_q: Array,
    w_k: Array,
    w_v: Array,
    w_o: Array,
    n_heads: int,
    n_kv_heads: int,
    mask: Array | None,
    attn_bias: Array | None,
    scale: float,
    fully_masked: FullyMasked = "error",
) -> tuple[Array, Array]:
    """Project, cut, attend, join, mix: `multi_head_attention` unchecked."""
    q = split_formula(x_q @ w_q, n_heads)  # (..., H, T, K)
    k = split_formula(x_kv @ w_k, n_kv_heads)  # (..., G, S, K)
    v = split_formula(x_kv @ w_v, n_kv_heads)  # (..., G, S, Kv)
    options = mask, attn_bias, scale, fully_masked
    heads, weights = grouped_query_formula(q, k, v, *options)
    output = merge_formula(heads) @ w_o
    return output, weights  # (..., T, D), (..., H, T, S)


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
    attn_bias: Array | None = None,
    scale: float | None = None,
    fully_masked: FullyMasked = "error",
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
        attn_bias: numbers added to the scaled scores; broadcasts
            to (..., H, T, S), heads included, as ALiBi's (H, T, S).
        scale: what the scores are multiplied by; None means 1/√K.
        fully_masked: as in `attention`.

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
    arrays = {"x_q": x_q, "x_kv": x_kv, "w_q": w_q, "w_k": w_k, "w_v": w_v, "w_o": w_o}
    arguments = check_multi_head(arrays, n_heads, n_kv_heads, mask, attn_bias, scale, fully_masked)
    return multi_head_formula(*arguments)


# The cut and the join


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
    return split_formula(check_heads(x, n_heads), n_heads)


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
    return merge_formula(check_heads(x))


def split_formula(x: Array, n_heads: int) -> Array:
    """(..., T, D) -> (..., H, T, K): `split_heads` of what fits."""
    xp = array_api_compat.array_namespace(x)
    *rows, D = x.shape
    x = xp.reshape(x, (*rows, n_heads, D // n_heads))  # (..., T, H, K)
    return xp.moveaxis(x, -3, -2)  # (..., H, T, K)


def merge_formula(x: Array) -> Array:
    """(..., H, T, K) -> (..., T, H · K): `merge_heads` of what fits."""
    xp = array_api_compat.array_namespace(x)
    x = xp.moveaxis(x, -3, -2)  # (..., T, H, K)
    *rows, H, K = x.shape
    return xp.reshape(x, (*rows, H * K))


# How heads attend that share keys and values


def grouped_query_formula(
    q: Array,
    k: Array,
    v: Array,
    mask: Array | None,
    attn_bias: Array | None,
    scale: float,
    fully_masked: FullyMasked = "error",
) -> tuple[Array, Array]:
    """`attention_formula` with products that know of groups."""
    scores = grouped_matmul(q * scale, k.mT)  # (..., H, T, S)
    if attn_bias is not None:
        scores = scores + attn_bias
    weights = softmax_formula(scores, mask=mask, fully_masked=fully_masked)
    heads = grouped_matmul(weights, v)
    return heads, weights  # (..., H, T, Kv), (..., H, T, S)


def grouped_matmul(x: Array, y: Array) -> Array:
    """x @ y, where several heads of x share each head of y.

    Args:
        x: (..., H, T, W).
        y: (..., G, W, Z); G divides H.

    Returns:
        (..., H, T, Z).

    >>> import numpy as np
    >>> x = np.array([[[1.0]], [[2.0]]])  # H = 2
    >>> grouped_matmul(x, np.array([[[10.0]]])).tolist()  # G = 1
    [[[10.0]], [[20.0]]]
    """
    *lead, H, T, W = x.shape
    G = y.shape[-3]
    if G == H:
        return x @ y
    xp = array_api_compat.array_namespace(x)
    # Heads that share are further rows of one matrix.
    stacked = xp.reshape(x, (*lead, G, H // G * T, W))
    product = stacked @ y  # (..., G, H/G · T, Z)
    return xp.reshape(product, (*product.shape[:-3], H, T, y.shape[-1]))


def grouped_query_attention(
    q: Array,
    k: Array,
    v: Array,
    *,
    mask: Array | None = None,
    attn_bias: Array | None = None,
    scale: float | None = None,
    fully_masked: FullyMasked = "error",
) -> tuple[Array, Array]:
    """Attention of H heads of queries to G of keys and values.

    The first H / G heads of queries share head 0 of the keys and
    values, the next ones head 1, and so on. With G = H it is
    `attention`.

    Args:
        q: (..., H, T, K).
        k: (..., G, S, K); G divides H.
        v: (..., G, S, Kv).
        mask: boolean, True where attention is allowed;
            broadcasts to (..., H, T, S).
        attn_bias: numbers added to the scaled scores; broadcasts
            likewise.
        scale: what the scores are multiplied by; None means 1/√K.
        fully_masked: as in `attention`.

    Returns:
        output: (..., H, T, Kv).
        weights: (..., H, T, S).

    Raises:
        TypeError, ValueError: G does not divide H, or as in
            `attention`.

    Source: Ainslie et al. 2023 (GQA), section 2.2.

    >>> import numpy as np
    >>> q = np.array([[[1.0]], [[0.0]]])  # H = 2, T = 1
    >>> k = np.array([[[np.log(3)], [0.0]]])  # G = 1, S = 2
    >>> v = np.array([[[8.0], [4.0]]])
    >>> output, weights = grouped_query_attention(q, k, v)
    >>> output.round(6).tolist()
    [[[7.0]], [[6.0]]]
    """
    arguments = check_attention(q, k, v, mask, attn_bias, scale, fully_masked, heads=True)
    return grouped_query_formula(*arguments)

"""Multi-head attention: H narrow attentions side by side, instead of one that is H times as wide.

One softmax makes one weighted mean, so one head can follow one relation at a time. H heads follow
H of them: each has queries, keys and values of its own, K = D / H numbers wide, cut out of one
product of matrices. What the heads found is put side by side again, and W_O mixes it. All of this
costs what a single head of width D does.

*Shared keys and values.* Most of what decoding reads is keys and values, so several heads may share
them: G of them for H heads (grouped-query attention, GQA), or G = 1 (multi-query, MQA). Heads that
share are no more than further queries of the same keys. So their queries are stacked and asked
together, and no key is ever copied.

But: the projections here have no biases, as in the paper; those of the module have.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import array_api_compat
import numpy as np

from plainformer.arrays import Array, as_array, as_floats, beside, broadcasts, check_size
from plainformer.attention.masking import as_mask
from plainformer.attention.self_attention import attention
from plainformer.attention.softmax import Empty, EmptyRowError

__all__ = [
    "check_head_counts",
    "check_stretches",
    "for_all_heads",
    "grouped_query_attention",
    "merge_heads",
    "multi_head_attention",
    "split_heads",
    "weigh_values",
]


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

    >>> x = np.array([[[1, 2], [5, 6]], [[3, 4], [7, 8]]])  # H = 2
    >>> merge_heads(x).tolist()
    [[1, 2, 3, 4], [5, 6, 7, 8]]
    """
    x = _check_heads(x, "x")
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


def grouped_query_attention(
    q: Array,
    k: Array,
    v: Array,
    *,
    mask: Array | None = None,
    bias: Array | None = None,
    scale: float | None = None,
    empty: Empty = "error",
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
        bias: numbers added to the scaled scores; broadcasts
            likewise.
        scale: what the scores are multiplied by; None means 1/√K.
        empty: as in `attention`.

    Returns:
        output: (..., H, T, Kv).
        weights: (..., H, T, S).

    Raises:
        TypeError, ValueError: G does not divide H, or as in
            `attention`.

    Source: Ainslie et al. 2023 (GQA), section 2.2.

    >>> q = np.array([[[1.0]], [[0.0]]])  # H = 2, T = 1
    >>> k = np.array([[[np.log(3)], [0.0]]])  # G = 1, S = 2
    >>> v = np.array([[[8.0], [4.0]]])
    >>> output, weights = grouped_query_attention(q, k, v)
    >>> output.round(6).tolist()
    [[[7.0]], [[6.0]]]
    """
    q, k, v = _check_groups(*as_floats(q=q, k=k, v=v))
    H, G, T = q.shape[-3], k.shape[-3], q.shape[-2]
    options: Any = {"scale": scale, "empty": empty}
    if G == H:
        return attention(q, k, v, mask=mask, bias=bias, **options)
    mask, bias = _check_added(mask, bias, q, k)
    with _naming_the_head(q, k, mask, bias, scale):
        q = _stack(q, H, G, T)  # (..., G, H/G · T, K)
        mask, bias = _stack(mask, H, G, T), _stack(bias, H, G, T)
        output, weights = attention(q, k, v, mask=mask, bias=bias, **options)
    return _unstack(output, H, T), _unstack(weights, H, T)


def weigh_values(weights: Array, v: Array) -> Array:
    """The outputs of H heads from their weights and G heads of values.

    Args:
        weights: (..., H, T, S).
        v: (..., G, S, Kv); G divides H.

    Returns:
        (..., H, T, Kv).

    >>> weights, v = np.array([[[0.75, 0.25]]]), np.array([[[8.0], [4.0]]])
    >>> weigh_values(weights, v).tolist()
    [[[7.0]]]
    """
    H, T = weights.shape[-3:-1]
    return _unstack(_stack(weights, H, v.shape[-3], T) @ v, H, T)


def for_all_heads(mask: Array | None, n_axes: int) -> Array | None:
    """Give a mask an axis of heads, unless it has one or needs none.

    Args:
        mask: (T, S), (..., T, S) or (..., H, T, S), boolean; or None.
        n_axes: how many axes the tokens have: 3 for (B, T, D).

    Returns:
        (T, S), (..., 1, T, S) or (..., H, T, S).

    Raises:
        TypeError: the mask is not boolean.

    >>> padding = np.ones((2, 1, 5), dtype=bool)  # (B, 1, S)
    >>> for_all_heads(padding, 3).shape
    (2, 1, 1, 5)
    """
    if mask is None:
        return None
    mask = as_mask(mask)
    return mask[..., None, :, :] if 3 <= mask.ndim <= n_axes else mask


def _stack(x: Array | None, H: int, G: int, T: int) -> Array | None:
    """Lay heads that share keys one below the other.

    From (..., H, T, W) to (..., G, H/G · T, W). What is the same
    for all heads, (..., 1, T, W), is repeated for those of one
    group; what is the same for all heads and queries too,
    (..., 1, 1, W), stays.
    """
    if x is None or tuple(x.shape[-3:-1]) == (1, 1):
        return x
    xp = array_api_compat.array_namespace(x)
    *lead, heads, _, W = x.shape
    groups = 1 if heads == 1 else G
    x = xp.broadcast_to(x, (*lead, groups * (H // G), T, W))
    return xp.reshape(x, (*lead, groups, H // G * T, W))


def _unstack(x: Array, H: int, T: int) -> Array:
    """(..., G, H/G · T, W) -> (..., H, T, W)."""
    xp = array_api_compat.array_namespace(x)
    return xp.reshape(x, (*x.shape[:-3], H, T, x.shape[-1]))


@contextmanager
def _naming_the_head(
    q: Array, k: Array, mask: Array | None, bias: Array | None, scale: float | None
) -> Iterator[None]:
    """Where a query may look at no key, ask again with nothing stacked: that error names it."""
    try:
        yield
    except EmptyRowError:
        xp = array_api_compat.array_namespace(k)
        r = q.shape[-3] // k.shape[-3]
        own = xp.asarray([h // r for h in range(q.shape[-3])], device=array_api_compat.device(k))
        k = xp.take(k, own, axis=k.ndim - 3)
        attention(q, k, k, mask=mask, bias=bias, scale=scale)
        raise


# What is refused


def check_stretches(
    x: Array, name: str, to: tuple[int, ...], given: tuple[int, ...] | None = None
) -> Array:
    """Return a mask or bias with as many axes as the scores, to which it broadcasts.

    Args:
        x: the array.
        name: what the caller's argument is called.
        to: the shape of the scores, heads included, which x cannot enlarge.
        given: the shape that the caller gave, if x has got more axes since.

    Raises:
        ValueError: it does not broadcast to that shape.

    >>> check_stretches(np.ones((1, 5)), "bias", (2, 3, 4, 5)).shape
    (1, 1, 1, 5)
    """
    shape = tuple(x.shape)
    if not broadcasts(shape, to):
        raise ValueError(
            f"{name} must broadcast to {to}, the shape (..., H, T, S) of the scores; "
            f"got shape {given or shape}"
        )
    return x[(None,) * (len(to) - len(shape))]


def _check_split(x: Any, n_heads: Any) -> tuple[Array, int]:
    x, n_heads = as_array(x, "x"), check_size(n_heads, "n_heads")
    if x.ndim < 2:
        raise ValueError(f"x must be (..., T, D); got shape {tuple(x.shape)}")
    if x.shape[-1] % n_heads:
        raise ValueError(
            f"n_heads must divide the width of x, which is {x.shape[-1]}; got {n_heads}"
        )
    return x, n_heads


def _check_heads(x: Any, name: str) -> Array:
    x = as_array(x, name)
    if x.ndim < 3:
        raise ValueError(f"{name} must have axes (..., heads, rows, K); got shape {tuple(x.shape)}")
    return x


def _check_groups(q: Array, k: Array, v: Array) -> tuple[Array, Array, Array]:
    for name, x in (("q", q), ("k", k), ("v", v)):
        _check_heads(x, name)
    heads = tuple(x.shape[-3] for x in (q, k, v))
    if heads[1] != heads[2] or heads[1] == 0 or heads[0] % heads[1]:
        raise ValueError(
            "k and v must have equally many heads, a number that divides that of q; "
            "got {} for q, {} for k and {} for v".format(*heads)
        )
    return q, k, v


def _check_added(mask: Any, bias: Any, q: Array, k: Array) -> tuple[Array | None, Array | None]:
    """Mask and bias with an axis of heads, whose shapes fit the scores of q and k."""
    try:
        lead = np.broadcast_shapes(tuple(q.shape[:-3]), tuple(k.shape[:-3]))
    except ValueError:
        lead = tuple(q.shape[:-3])  # `attention` refuses the two
    scores = (*lead, *q.shape[-3:-1], k.shape[-2])
    if mask is not None:
        mask = beside(check_stretches(as_mask(mask), "mask", scores), like=q)
    if bias is not None:
        bias = beside(check_stretches(as_array(bias, "bias"), "bias", scores), like=q)
    return mask, bias


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

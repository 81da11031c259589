"""Grouped-query attention (GQA): H heads of queries, G heads of keys and values, which they share.

Most of what decoding reads is keys and values, so several heads may share them: G of them for H
heads, or G = 1 (multi-query, MQA). With G = H every head has its own, and it is plain attention.

*Heads that share are no more than further queries of the same keys.* So their queries are stacked
and asked together, and no key is ever copied. A mask or bias is stacked likewise, for which it has
an axis of heads.

What is next: `modules.py`, the layer, which has these heads with parameters and a cache.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import array_api_compat
import numpy as np

from plainformer.arrays import Array, as_array, as_floats, beside, broadcasts
from plainformer.attention.masking import as_mask
from plainformer.attention.self_attention import attention
from plainformer.attention.softmax import Empty, EmptyRowError

__all__ = [
    "check_heads",
    "check_stretches",
    "for_all_heads",
    "grouped_query_attention",
    "weigh_values",
]


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


def check_heads(x: Any, name: str) -> Array:
    """Return an array that has an axis of heads.

    Args:
        x: (..., heads, rows, K).
        name: what the caller's argument is called.

    Raises:
        TypeError: it is no array of numbers.
        ValueError: it has fewer than three axes.

    >>> check_heads([[[1, 2]]], "x").shape
    (1, 1, 2)
    """
    x = as_array(x, name)
    if x.ndim < 3:
        raise ValueError(f"{name} must have axes (..., heads, rows, K); got shape {tuple(x.shape)}")
    return x


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


def _check_groups(q: Array, k: Array, v: Array) -> tuple[Array, Array, Array]:
    for name, x in (("q", q), ("k", k), ("v", v)):
        check_heads(x, name)
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

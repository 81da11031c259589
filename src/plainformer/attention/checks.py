"""What attention is given, looked at once, at the public door: shapes, masks, numbers.

A function that a reader calls begins with one line, a check from here, which returns the arguments
as the formulas want them: arrays of one library and one dtype, a mask and a bias on their device, a
scale that is a number. The formulas behind the door call one another, and look at nothing again.

But: whether every query finds a key shows in the scores only, so it is `softmax` that looks.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from typing import Any, get_args

import array_api_compat
import numpy as np

from plainformer.arrays import (
    Array,
    as_array,
    as_floats,
    asarray_like,
    broadcasts,
    check_choice,
    check_flag,
    check_length,
    check_number,
    check_size,
    is_integer,
)
from plainformer.attention.stable_softmax import FullyMasked

__all__ = [
    "FULLY_MASKED",
    "FullyMasked",
    "as_mask",
    "check_attention",
    "check_axis",
    "check_blockwise",
    "check_grouped_rows",
    "check_head_counts",
    "check_heads",
    "check_lengths",
    "check_lookup",
    "check_masks",
    "check_multi_head",
    "check_options",
    "check_padding",
    "check_rows",
    "check_scale",
]

FULLY_MASKED: tuple[FullyMasked, ...] = get_args(FullyMasked)

Shape = tuple[int, ...]


# Attention, of one head and of many


def check_attention(
    q: Any,
    k: Any,
    v: Any,
    mask: Any,
    attn_bias: Any,
    scale: object,
    fully_masked: object,
    *,
    heads: bool = False,
) -> tuple[Array, Array, Array, Array | None, Array | None, float, FullyMasked]:
    """The arguments of `attention`; with `heads`, those of `grouped_query_attention`."""
    q, k, v = as_floats(q=q, k=k, v=v)
    shapes = {"q": tuple(q.shape), "k": tuple(k.shape), "v": tuple(v.shape)}
    scores = check_grouped_rows(shapes) if heads else check_rows(shapes)
    options = mask, attn_bias, scale, fully_masked
    return q, k, v, *check_options(*options, scores, q.shape[-1], like=q, heads=heads)


def check_multi_head(
    arrays: Mapping[str, object],
    n_heads: object,
    n_kv_heads: object,
    mask: object,
    attn_bias: object,
    scale: object,
    fully_masked: object,
) -> list[Any]:
    """The arguments of `multi_head_formula`: every matrix fits what it reads and makes."""
    H, G = check_head_counts(n_heads, n_kv_heads)
    x_q, x_kv, w_q, w_k, w_v, w_o = floats = as_floats(**arrays)
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
    K = w_q.shape[1] // H
    shapes = {
        "q": (*x_q.shape[:-2], H, x_q.shape[-2], K),
        "k": (*x_kv.shape[:-2], G, x_kv.shape[-2], w_k.shape[1] // G),
    }
    scores = check_rows(shapes, own=3)
    options = mask, attn_bias, scale, fully_masked
    n_axes = max(x_q.ndim, x_kv.ndim)
    checked = check_options(*options, scores, K, like=x_q, heads=True, n_axes=n_axes)
    return [*floats, H, G, *checked]


def check_blockwise(
    q: Any, k: Any, v: Any, block_size: object, causal: Any, scale: object
) -> tuple[Array, Array, Array, int, bool, float]:
    """The arguments of `blockwise_attention`."""
    causal = check_flag(causal, "causal")
    q, k, v = as_floats(q=q, k=k, v=v)
    *_, T, S = check_rows({"q": tuple(q.shape), "k": tuple(k.shape), "v": tuple(v.shape)})
    if causal and S < T:
        raise ValueError(
            "k must have as many rows as q or more where causal, for the queries are the last "
            f"T of S positions; got T = {T}, S = {S}"
        )
    size = check_size(block_size, "block_size")
    return q, k, v, size, causal, check_scale(scale, q.shape[-1])


def check_rows(shapes: Mapping[str, Shape], own: int = 2) -> Shape:
    """Return the shape (..., T, S) of the scores.

    Args:
        shapes: of q (..., T, K), k (..., S, K) and perhaps v (..., S, Dv).
        own: how many axes, counted from the last, are not to be broadcast here.

    Raises:
        ValueError: too few axes, or sizes that differ. The message names the shapes.

    >>> check_rows({"q": (2, 1, 5, 4), "k": (3, 6, 4)})
    (2, 3, 5, 6)
    """
    for name, shape in shapes.items():
        if len(shape) < 2:
            rows = {"q": "(..., T, K)", "k": "(..., S, K)", "v": "(..., S, Dv)"}[name]
            raise ValueError(f"{name} must be {rows}; got shape {shape}")
    q, k, v = shapes["q"], shapes["k"], shapes.get("v")
    if q[-1] != k[-1] or q[-1] == 0:
        pair = {"q": q, "k": k}
        raise _misfit("q and k must have rows of one width, 1 or more", pair)
    if v is not None and k[-2] != v[-2]:
        raise _misfit("v must have one row for each row of k", shapes)
    leads = {shape[:-own] for shape in shapes.values()}
    if len(leads) == 1:
        lead = leads.pop()
    else:
        try:
            lead = np.broadcast_shapes(*leads)
        except ValueError:
            what = "the axes before the last two" if own == 2 else "the axes before the heads"
            raise _misfit(f"{what} must broadcast together", shapes) from None
    return (*lead, *q[-own:-1], k[-2])


def check_grouped_rows(shapes: Mapping[str, Shape]) -> Shape:
    """The shape (..., H, T, S) of the scores of H heads that share G of keys and values."""
    for name, shape in shapes.items():
        if len(shape) < 3:
            raise ValueError(f"{name} must have axes (..., heads, rows, K); got shape {shape}")
    H, G, *same = (shape[-3] for shape in shapes.values())
    if G == 0 or H % G or any(n != G for n in same):
        raise ValueError(
            "k and v must have equally many heads, a number that divides that of q; "
            f"got {H} for q, {G} for k and {(same or [G])[0]} for v"
        )
    return check_rows(shapes, own=3)


def _misfit(what: str, shapes: Mapping[str, Shape]) -> ValueError:
    named = [f"{name} of shape {shape}" for name, shape in shapes.items()]
    return ValueError(f"{what}; got {' and '.join(named)}")


# Heads


def check_head_counts(n_heads: object, n_kv_heads: object) -> tuple[int, int]:
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


def check_heads(x: Any, n_heads: Any = None) -> Array:
    """Return an array to be split into heads, (..., T, D); without `n_heads`, to be merged."""
    x = as_array(x, "x")
    shape = tuple(x.shape)
    if n_heads is None:
        if len(shape) < 3:
            raise ValueError(f"x must have axes (..., heads, rows, K); got shape {shape}")
        return x
    n_heads = check_size(n_heads, "n_heads")
    if len(shape) < 2:
        raise ValueError(f"x must be (..., T, D); got shape {shape}")
    if shape[-1] % n_heads:
        raise ValueError(f"n_heads must divide the width of x, which is {shape[-1]}; got {n_heads}")
    return x


# Masks, and numbers added to the scores


def as_mask(mask: Any, name: str = "mask") -> Array:
    """Return a boolean array as it is; nested lists of booleans become NumPy arrays.

    Raises:
        TypeError: it is not boolean. Numbers to be added to the scores, as some call a mask, are a
            bias: 1 and 0 would be read as neither.

    >>> as_mask([[0.0, -np.inf]])
    Traceback (most recent call last):
    TypeError: mask must be boolean, True where attention is allowed; got float64
    """
    if isinstance(mask, np.ma.MaskedArray):
        raise TypeError(f"{name} must be a plain boolean array; got a masked one")
    array = mask if array_api_compat.is_array_api_obj(mask) else np.asarray(mask)
    if not array_api_compat.array_namespace(array).isdtype(array.dtype, "bool"):
        raise TypeError(
            f"{name} must be boolean, True where attention is allowed; got {array.dtype}"
        )
    return array


def check_options(
    mask: Any,
    attn_bias: Any,
    scale: Any,
    fully_masked: Any,
    scores: Shape,
    width: int,
    *,
    like: Array,
    heads: bool = False,
    n_axes: int = 0,
) -> tuple[Array | None, Array | None, float, FullyMasked]:
    """What every attention takes besides q, k and v, as its formula wants it.

    Args:
        mask: boolean, or None.
        attn_bias: real numbers, or None; they become of the dtype of `like`.
        scale: a number; None means 1/√width.
        fully_masked: "error" or "zero".
        scores: the shape of the scores, to which mask and bias broadcast, and which they cannot
            enlarge.
        width: how wide queries and keys are.
        like: an array, of whose library and device both shall be.
        heads: whether the scores have an axis of heads.
        n_axes: how many axes the tokens have, 3 for (B, T, D). A mask (..., T, S) of no more axes
            knows of no heads: it is told to all of them.
    """
    if mask is not None:
        mask = as_mask(mask)
        given = tuple(mask.shape)
        if 3 <= mask.ndim <= n_axes:
            mask = mask[..., None, :, :]  # (B, T, S) -> (B, 1, T, S)
        if given != scores[-2:] and not broadcasts(tuple(mask.shape), scores):
            raise _too_large("mask", given, scores, heads)
        if type(mask) is not type(like) or mask.device != like.device:
            mask = asarray_like(mask, like)
    if attn_bias is not None:
        attn_bias = as_array(attn_bias, "attn_bias")
        xp = array_api_compat.array_namespace(like)
        if array_api_compat.array_namespace(attn_bias).isdtype(attn_bias.dtype, "complex floating"):
            raise TypeError(f"attn_bias must be real numbers; got {attn_bias.dtype}")
        if not broadcasts(tuple(attn_bias.shape), scores):
            raise _too_large("attn_bias", tuple(attn_bias.shape), scores, heads)
        attn_bias = xp.astype(asarray_like(attn_bias, like), like.dtype, copy=False)
    if not isinstance(fully_masked, str) or fully_masked not in FULLY_MASKED:
        check_choice(fully_masked, "fully_masked", FULLY_MASKED)
    scale = 1 / math.sqrt(width) if scale is None else check_number(scale, "scale")
    return mask, attn_bias, scale, fully_masked


def _too_large(name: str, given: Shape, scores: Shape, heads: bool) -> ValueError:
    axes = "(..., H, T, S)" if heads else "(..., T, S)"
    return ValueError(
        f"{name} must broadcast to {scores}, the shape {axes} of the scores; got shape {given}"
    )


def check_lengths(T: object, S: object, offset: object) -> tuple[int, int, int]:
    """The arguments of `causal_mask`."""
    T, offset = check_length(T, "T"), check_length(offset, "offset")
    S = check_length(offset + T if S is None else S, "S")
    if offset + T > S:
        raise ValueError(
            "S must be offset + T or more, for every query has a key of its own; "
            f"got S = {S}, offset = {offset}, T = {T}"
        )
    return T, S, offset


def check_padding(ids: Any, pad_token_id: Any) -> tuple[Array, int | None]:
    """The arguments of `padding_mask`; None for an id that the ids' dtype cannot hold."""
    ids = as_array(ids, "ids")
    if not is_integer(ids):
        raise TypeError(f"ids must be whole numbers; got an array of {ids.dtype}")
    if ids.ndim == 0:
        raise ValueError("ids must have an axis of keys; got a single number")
    pad_token_id = check_size(pad_token_id, "pad_token_id", least=-(2**63))  # some pad with -1
    info = array_api_compat.array_namespace(ids).iinfo(ids.dtype)
    return ids, pad_token_id if info.min <= pad_token_id <= info.max else None


def check_masks(masks: tuple[object, ...]) -> list[Array]:
    """The masks that are there, boolean, of one library, and of shapes that go together."""
    names = (f"masks[{i}]" for i in range(len(masks)))
    arrays = [as_mask(m, name) for name, m in zip(names, masks, strict=True) if m is not None]
    others = [array for array in arrays if not array_api_compat.is_numpy_array(array)]
    arrays = [asarray_like(array, like=[*others, array][0]) for array in arrays]
    shapes = [tuple(array.shape) for array in arrays]
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        listed = " and ".join(str(shape) for shape in shapes)
        raise ValueError(f"masks must have shapes that broadcast together; got {listed}") from None
    return arrays


# Numbers and options


def check_scale(scale: object, width: int) -> float:
    """Return what scores are multiplied by, where keys are `width` numbers wide.

    Raises:
        TypeError, ValueError: `scale` is neither None nor a finite number.

    >>> check_scale(None, width=4)
    0.5
    """
    return 1 / math.sqrt(width) if scale is None else check_number(scale, "scale")


def check_axis(axis: object, x: Array) -> int:
    """Return an axis of x, counted from the front."""
    if isinstance(axis, bool) or not hasattr(axis, "__index__"):
        raise TypeError(f"axis must be a whole number; got {axis!r} ({type(axis).__name__})")
    axis = operator.index(axis)
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"axis must be one of x, of shape {tuple(x.shape)}; got {axis}")
    return int(axis % x.ndim)


def check_lookup(
    query: object, keys: object, values: object, hard: object
) -> tuple[Array, Array, Array, bool]:
    """The arguments of `lookup`."""
    hard = check_flag(hard, "hard")
    arrays = as_floats(query=query, keys=keys, values=values)
    query, keys, values = (tuple(array.shape) for array in arrays)
    if len(query) < 1:
        raise ValueError(f"query must be (K,) or (..., T, K); got shape {query}")
    if len(keys) != 2 or 0 in keys:
        raise ValueError(f"keys must be (S, K) with S and K of 1 or more; got shape {keys}")
    if len(values) != 2 or values[0] != keys[0]:
        raise ValueError(
            f"values must be (S, Dv), one row for each of {keys[0]} keys; got shape {values}"
        )
    if query[-1] != keys[1]:
        raise ValueError(
            f"query must be as wide as the keys; got query of shape {query}, keys of shape {keys}"
        )
    return arrays[0], arrays[1], arrays[2], hard

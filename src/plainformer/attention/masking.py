"""Masks: which query may attend to which key. True means *allowed*, everywhere in this course.

There is no agreement on this even within torch, where True means "may attend" to
`scaled_dot_product_attention` and "may not attend" to `nn.MultiheadAttention`. Masks broadcast to
the scores like any other arrays: (T, S) serves all texts and heads, (H, T, S) has one mask per
head, and (B, 1, T, S) one per text.
"""

from __future__ import annotations

import functools
import operator

import array_api_compat
import numpy as np

from plainformer.arrays import Array, asarray_like
from plainformer.shapes import Count, Int, Size, as_mask, checked

__all__ = ["causal_mask", "combine_masks", "left_padding_mask", "padding_mask"]


@checked
def causal_mask(
    T: Count,
    S: Count | None = None,
    *,
    offset: Count = 0,
    window: Size | None = None,
    like: Array = None,
) -> Array:
    """The (T, S) mask under which no query sees the future.

    Query i is at position offset + i, and sees the keys from 0 up to its own position. When
    decoding with a cache, `offset` is the number of tokens before the queries. S defaults to
    offset + T and must not be smaller, or some query would lack its own key. With a `window`, a
    query sees only the last `window` of these keys, its own included (sliding-window attention, as
    in Mistral). The result is in the library and on the device of `like`; None means NumPy.

    Source: Vaswani et al. 2017, section 3.2.3; for `window`, Beltagy et al. 2020 (Longformer),
    section 3.1.

    >>> causal_mask(3).astype(int).tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    >>> causal_mask(2, offset=2).astype(int).tolist()
    [[1, 1, 1, 0], [1, 1, 1, 1]]
    >>> causal_mask(4, window=2).astype(int).tolist()
    [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]
    """
    S = offset + T if S is None else S
    if offset + T > S:
        raise ValueError(
            "S must be at least offset + T, "
            "so that every query has its own key; "
            f"got S = {S}, offset = {offset}, T = {T}"
        )
    like = np.asarray(0) if like is None else like
    xp = array_api_compat.array_namespace(like)
    device = array_api_compat.device(like)
    queries = xp.arange(offset, offset + T, device=device)[:, None]  # (T, 1)
    keys = xp.arange(S, device=device)[None, :]  # (1, S)
    allowed = keys <= queries  # (T, S)
    return allowed if window is None else allowed & (keys > queries - window)


@checked
def padding_mask(
    ids: Int[Array, "... S"],
    pad_token_id: int,
    *,
    heads: bool = True,
) -> Array:
    """The mask that hides padding anywhere in a text: (..., 1, 1, S), or (..., 1, S) for scores
    without an axis of heads.

    If `pad_token_id` is also used for something else, that is hidden too. GPT-2, for example, has
    no padding token, and many people pad with its end-of-text token instead. To build a mask from
    lengths rather than ids, use `np.arange(S) < lengths[:, None, None, None]`.

    >>> ids = [[5, 7, 8], [6, 0, 0]]
    >>> padding_mask(ids, pad_token_id=0).shape
    (2, 1, 1, 3)
    >>> padding_mask(ids, pad_token_id=0, heads=False).astype(int).tolist()
    [[[1, 1, 1]], [[1, 0, 0]]]
    """
    xp = array_api_compat.array_namespace(ids)
    held = xp.iinfo(ids.dtype)
    if held.min <= pad_token_id <= held.max:
        is_token = ids != pad_token_id
    else:  # in uint8, torch would read a pad_token_id of 256 as 0
        is_token = ids == ids
    return is_token[..., None, None, :] if heads else is_token[..., None, :]


@checked
def left_padding_mask(
    positions: Int[Array, "B T"], *, offset: Count = 0, heads: bool = True
) -> Array:
    """The mask that hides padding on the left, derived from the positions of the newest T tokens.

    In a text with p tokens of padding, the token in column c is at position c - p. The position of
    any token of a text therefore reveals p, and with it which of the offset + T columns are
    padding, where `offset` is the number of keys in the cache. The result is (B, 1, 1, offset + T),
    or (B, 1, offset + T) for scores without an axis of heads. Combined with a causal mask, it
    leaves the padding itself nothing to attend to.

    >>> positions = [[0, 1, 2], [-1, 0, 1]]
    >>> left_padding_mask(positions, heads=False).astype(int).tolist()
    [[[1, 1, 1]], [[0, 1, 1]]]
    >>> newest = [[2], [1]]
    >>> left_padding_mask(newest, offset=2, heads=False).astype(int).tolist()
    [[[1, 1, 1]], [[0, 1, 1]]]
    """
    if positions.shape[1] == 0:
        raise ValueError(f"positions must be (B, T), T at least 1; got {tuple(positions.shape)}")
    xp, device = array_api_compat.array_namespace(positions), array_api_compat.device(positions)
    padding = offset - positions[:, :1]  # (B, 1), column - position
    columns = xp.arange(offset + positions.shape[1], device=device)
    is_token = columns >= padding  # (B, S)
    return is_token[:, None, None, :] if heads else is_token[:, None, :]


def combine_masks(*masks: Array | None) -> Array | None:
    """The mask that allows only what all of the given masks allow.

    Their shapes must broadcast together, as (T, S) and (B, 1, 1, S) do. None counts as a mask that
    allows everything, and is returned if there are no others. If some of the masks are not NumPy
    arrays, the result is in their library.

    >>> is_token = padding_mask([[5, 7, 0]], 0, heads=False)
    >>> combine_masks(causal_mask(3), is_token).astype(int).tolist()
    [[[1, 0, 0], [1, 1, 0], [1, 1, 0]]]
    """
    named = [(f"masks[{i}]", mask) for i, mask in enumerate(masks)]
    given = [as_mask(mask, name) for name, mask in named if mask is not None]
    if not given:
        return None
    try:
        np.broadcast_shapes(*(tuple(mask.shape) for mask in given))
    except ValueError:
        listed = " and ".join(str(tuple(mask.shape)) for mask in given)
        message = "masks must have shapes that broadcast together"
        raise ValueError(f"{message}; got {listed}") from None
    others = (m for m in given if not array_api_compat.is_numpy_array(m))
    like = next(others, given[0])
    alike = (asarray_like(mask, like) for mask in given)
    return functools.reduce(operator.and_, alike)

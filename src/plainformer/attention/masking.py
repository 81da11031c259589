"""Who may look at whom: masks, all of one kind. True means *allowed*.

Libraries disagree. `scaled_dot_product_attention` of torch reads True as "may look", its
`nn.MultiheadAttention` as "may not". Given to the wrong one, a mask shows every token the future
and hides the past from it, and nothing complains. Here True is allowed, everywhere.

Two masks are of use everywhere: a token must not see what comes after it (`causal_mask`), and
nobody should look at the padding that makes a batch rectangular (`padding_mask`). Where both hold,
a key must be allowed by both (`combine_masks`).
"""

from __future__ import annotations

from typing import Any

import array_api_compat
import numpy as np

from plainformer.arrays import Array, as_array, beside, check_size, is_integer

__all__ = ["as_mask", "causal_mask", "combine_masks", "padding_mask"]


def causal_mask(
    T: int,
    S: int | None = None,
    *,
    offset: int = 0,
    like: Array = None,
) -> Array:
    """Which keys a query may see when none may see the future.

    Query i stands at position offset + i, and sees the keys from
    0 up to its own position.

    Args:
        T: the number of queries.
        S: the number of keys, offset + T or more; None means
            offset + T. More keys do not move the queries: that is
            what `offset` does.
        offset: how many tokens came before the queries, as in
            decoding with a cache.
        like: an array; the result is of its library and device.

    Returns:
        (T, S), boolean: True where attention is allowed; NumPy
        unless `like` says otherwise.

    Raises:
        TypeError, ValueError: a number is not whole or negative;
            or S < offset + T, so that a query's own key would be
            missing.

    Source: Vaswani et al. 2017, section 3.2.3.

    >>> causal_mask(3).astype(int).tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    >>> causal_mask(2, offset=2).astype(int).tolist()
    [[1, 1, 1, 0], [1, 1, 1, 1]]
    """
    T, S, offset = _check_lengths(T, S, offset)
    queries = np.arange(offset, offset + T)[:, None]  # (T, 1)
    keys = np.arange(S)[None, :]  # (1, S)
    allowed = keys <= queries  # (T, S)
    if like is None:
        return allowed
    return beside(allowed, as_array(like, "like"))


def padding_mask(ids: Array, pad_id: int) -> Array:
    """Which keys are tokens, and not padding.

    Padding may stand anywhere: right, left, or between.

    Args:
        ids: (..., S) whole numbers, the keys' token ids, padding
            included.
        pad_id: the id of padding.

    Returns:
        (..., 1, S), boolean: True where the key is no padding.
        The axis of length 1 is for queries, which are all told
        the same. For scores with heads, (B, H, T, S), give it one
        more: `mask[:, None]`.

    Raises:
        TypeError: `ids` or `pad_id` are no whole numbers.
        ValueError: `ids` has no axis.

    But: where the id of padding has a second meaning (GPT-2 has
    no padding, and many pad with its end of text), that is hidden
    too. With lengths instead of ids:
    `np.arange(S) < np.asarray(lengths)[:, None, None]`.

    >>> mask = padding_mask([[5, 7, 8], [6, 0, 0]], pad_id=0)
    >>> mask.astype(int).tolist()
    [[[1, 1, 1]], [[1, 0, 0]]]
    """
    ids, pad_id = _check_ids(ids, pad_id)
    return (ids != pad_id)[..., None, :]


def combine_masks(*masks: Array | None) -> Array | None:
    """What every one of several masks allows.

    Args:
        masks: boolean arrays whose shapes broadcast together,
            such as (T, S) and (B, 1, S). None stands for a mask
            that allows all.

    Returns:
        Boolean, of the shape that they broadcast to, such as
        (B, T, S), in the library of those that are not NumPy's,
        if any; None if there is no mask.

    Raises:
        TypeError: a mask is not boolean.
        ValueError: the shapes do not broadcast together.

    >>> real = padding_mask([[5, 7, 0]], 0)
    >>> combine_masks(causal_mask(3), real).astype(int).tolist()
    [[[1, 0, 0], [1, 1, 0], [1, 1, 0]]]
    """
    arrays = _check_masks(masks)
    combined = arrays[0] if arrays else None
    for mask in arrays[1:]:
        combined = combined & mask
    return combined


def as_mask(mask: Any, name: str = "mask") -> Array:
    """Return a boolean array as it is; nested lists of booleans become NumPy arrays.

    Raises:
        TypeError: it is not boolean. Numbers to be added to the scores, as some call a mask, are a
            bias: 1 and 0 would be read as neither.

    >>> as_mask([[0.0, -np.inf]])
    Traceback (most recent call last):
    TypeError: mask must be boolean, True where attention is allowed; got float64
    """
    array = mask if array_api_compat.is_array_api_obj(mask) else np.asarray(mask)
    if not array_api_compat.array_namespace(array).isdtype(array.dtype, "bool"):
        raise TypeError(
            f"{name} must be boolean, True where attention is allowed; got {array.dtype}"
        )
    return array


# What is refused


def _check_lengths(T: Any, S: Any, offset: Any) -> tuple[int, int, int]:
    T = check_size(T, "T", least=0)
    offset = check_size(offset, "offset", least=0)
    S = offset + T if S is None else check_size(S, "S", least=0)
    if offset + T > S:
        raise ValueError(
            "S must be offset + T or more, for every query has a key of its own; "
            f"got S = {S}, offset = {offset}, T = {T}"
        )
    return T, S, offset


def _check_ids(ids: Any, pad_id: Any) -> tuple[Array, int]:
    ids = as_array(ids, "ids")
    if not is_integer(ids):
        raise TypeError(f"ids must be whole numbers; got an array of {ids.dtype}")
    if ids.ndim == 0:
        raise ValueError("ids must have an axis of keys; got a single number")
    return ids, check_size(pad_id, "pad_id", least=-(2**63))  # any: some pad with -1


def _check_masks(masks: tuple[Any, ...]) -> list[Array]:
    """The masks that are there, boolean, of one library, and of shapes that go together."""
    names = (f"masks[{i}]" for i in range(len(masks)))
    arrays = [as_mask(m, name) for name, m in zip(names, masks, strict=True) if m is not None]
    others = [array for array in arrays if not array_api_compat.is_numpy_array(array)]
    arrays = [beside(array, like=[*others, array][0]) for array in arrays]
    shapes = [tuple(array.shape) for array in arrays]
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        listed = " and ".join(str(shape) for shape in shapes)
        raise ValueError(f"masks must have shapes that broadcast together; got {listed}") from None
    return arrays

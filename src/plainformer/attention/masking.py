"""Who may look at whom: masks, all of one kind. True means *allowed*.

Libraries disagree. `scaled_dot_product_attention` of torch reads True as "may look", its
`nn.MultiheadAttention` as "may not". Given to the wrong one, a mask shows every token the future
and hides the past from it, and nothing complains. Here True is allowed, everywhere.

Two masks are of use everywhere: a token must not see what comes after it (`causal_mask`), and
nobody should look at the padding that makes a batch rectangular (`padding_mask`). Where both hold,
a key must be allowed by both (`combine_masks`).
"""

from __future__ import annotations

import numpy as np

from plainformer.arrays import Array, as_array, asarray_like
from plainformer.attention.checks import check_lengths, check_masks, check_padding

__all__ = ["causal_mask", "combine_masks", "padding_mask"]


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
    T, S, offset = check_lengths(T, S, offset)
    queries = np.arange(offset, offset + T)[:, None]  # (T, 1)
    keys = np.arange(S)[None, :]  # (1, S)
    allowed = keys <= queries  # (T, S)
    if like is None:
        return allowed
    return asarray_like(allowed, as_array(like, "like"))


def padding_mask(ids: Array, pad_token_id: int) -> Array:
    """Which keys are tokens, and not padding.

    Padding may stand anywhere: right, left, or between.

    Args:
        ids: (..., S) whole numbers, the keys' token ids, padding
            included.
        pad_token_id: the id of padding.

    Returns:
        (..., 1, S), boolean: True where the key is no padding.
        The axis of length 1 is for queries, which are all told
        the same. For scores with heads, (B, H, T, S), give it one
        more: `mask[:, None]`.

    Raises:
        TypeError: `ids` or `pad_token_id` are no whole numbers.
        ValueError: `ids` has no axis.

    But: where the id of padding has a second meaning (GPT-2 has
    no padding, and many pad with its end of text), that is hidden
    too. With lengths instead of ids:
    `np.arange(S) < np.asarray(lengths)[:, None, None]`.

    >>> mask = padding_mask([[5, 7, 8], [6, 0, 0]], pad_token_id=0)
    >>> mask.astype(int).tolist()
    [[[1, 1, 1]], [[1, 0, 0]]]
    """
    ids, pad = check_padding(ids, pad_token_id)
    if pad is None:  # no such id in this dtype, as 256 among bytes
        return (ids == ids)[..., None, :]  # nothing is padding
    return (ids != pad)[..., None, :]


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
    arrays = check_masks(masks)
    combined = arrays[0] if arrays else None
    for mask in arrays[1:]:
        combined = combined & mask
    return combined

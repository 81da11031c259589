"""Pooling: one vector for a text, of the vectors of its tokens.

Texts in a batch are filled up to one length. What fills is no part of a text, so it is left out,
of the sum and of the count. Otherwise a text's vector would depend on its neighbours in the batch.
"""

from __future__ import annotations

from typing import Any

import array_api_compat
import numpy as np
from array_api_compat import is_array_api_obj

from plainformer.arrays import Array, as_floats, asarray_like

__all__ = ["masked_mean", "masked_mean_formula"]


def masked_mean_formula(x: Array, mask: Array) -> Array:
    """The mean over the tokens of each text: `masked_mean` unchecked."""
    xp = array_api_compat.array_namespace(x)
    real = mask[..., None]  # (B, T, 1)
    # where, not times: 0 times infinity would be NaN.
    total = xp.sum(xp.where(real, x, xp.zeros_like(x)), axis=1)  # (B, D)
    return total / xp.sum(xp.astype(real, x.dtype), axis=1)


def masked_mean(x: Array, mask: Array) -> Array:
    """The mean of each text's vectors, padding left out.

    Args:
        x: (B, T, D) vectors.
        mask: (B, T), boolean, True for a token, False for padding;
            every text has a token or more.

    Returns:
        (B, D), of x's library.

    Raises:
        TypeError, ValueError: other shapes; a mask that is not boolean;
            a text that is padding alone.

    Source: Reimers and Gurevych 2019, section 3 ("MEAN").

    >>> x = [[[1.0, 2.0], [3.0, 6.0], [50.0, 50.0]]]
    >>> masked_mean(x, [[True, True, False]]).tolist()
    [[2.0, 4.0]]
    """
    return masked_mean_formula(*_check(x, mask))


def _check(x: Any, mask: Any) -> tuple[Array, Array]:
    """The arguments of `masked_mean_formula`."""
    (x,) = as_floats(x=x)
    xp = array_api_compat.array_namespace(x)
    mask = asarray_like(mask if is_array_api_obj(mask) else np.asarray(mask), like=x)
    if not xp.isdtype(mask.dtype, "bool"):
        raise TypeError(f"mask must be boolean, True for a token; got {mask.dtype}")
    if len(x.shape) != 3 or tuple(mask.shape) != tuple(x.shape[:2]):
        raise ValueError(
            f"x must be (B, T, D) and mask (B, T); got {tuple(x.shape)} and {tuple(mask.shape)}"
        )
    empty = xp.nonzero(~xp.any(mask, axis=1))[0]
    if empty.shape[0]:
        raise ValueError(f"mask must leave a token of each text; text {int(empty[0])} has none")
    return x, mask

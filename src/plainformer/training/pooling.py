"""Pooling: combine the vectors of a text's tokens into one vector.

The texts of a batch are padded to the same length. Padding is left out of both the sum and the
count, because otherwise the vector of a text would depend on the other texts in its batch.
"""

from __future__ import annotations

from typing import Any

import array_api_compat
import numpy as np
from array_api_compat import is_array_api_obj

from plainformer.arrays import Array, as_floats, asarray_like

__all__ = ["masked_mean", "masked_mean_formula"]


def masked_mean_formula(x: Array, mask: Array) -> Array:
    """Compute `masked_mean` without checking the arguments."""
    xp = array_api_compat.array_namespace(x)
    real = mask[..., None]  # (B, T, 1)
    # Not a product with the mask, because 0 times infinity would be NaN.
    total = xp.sum(xp.where(real, x, xp.zeros_like(x)), axis=1)  # (B, D)
    return total / xp.sum(xp.astype(real, x.dtype), axis=1)


def masked_mean(x: Array, mask: Array) -> Array:
    """Compute the mean of each text's vectors, without its padding.

    Args:
        x: (B, T, D) vectors.
        mask: (B, T), boolean, True for a token, False for padding;
            every text has at least one token.

    Returns:
        (B, D), an array of the same library as x.

    Raises:
        TypeError, ValueError: shapes that do not match; a mask that is not
            boolean; a text that consists of padding.

    Source: Reimers and Gurevych 2019, section 3 ("MEAN").

    >>> x = [[[1.0, 2.0], [3.0, 6.0], [50.0, 50.0]]]
    >>> masked_mean(x, [[True, True, False]]).tolist()
    [[2.0, 4.0]]
    """
    return masked_mean_formula(*_check(x, mask))


def _check(x: Any, mask: Any) -> tuple[Array, Array]:
    """Check and convert the arguments of `masked_mean`."""
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
        raise ValueError(
            f"mask must leave at least one token of each text; text {int(empty[0])} has none"
        )
    return x, mask

"""Pooling: combine the vectors of a text's tokens into one vector.

The texts of a batch are padded to the same length. Padding is left out of both the sum and the
count, because otherwise the vector of a text would depend on the other texts in its batch.
"""

from __future__ import annotations

import array_api_compat

from plainformer.shapes import Array, Bool, Float, checked

__all__ = ["masked_mean"]


@checked
def masked_mean(
    x: Float[Array, "B T D"],
    mask: Bool[Array, "B T"],
) -> Float[Array, "B D"]:
    """The mean of each text's vectors, without its padding.

    The mask is True for a token and False for padding. Each text needs at least one token.

    Source: Reimers and Gurevych 2019, section 3 ("MEAN").

    >>> x = [[[1.0, 2.0], [3.0, 6.0], [50.0, 50.0]]]
    >>> masked_mean(x, [[True, True, False]]).tolist()
    [[2.0, 4.0]]
    """
    xp = array_api_compat.array_namespace(x)
    empty = xp.nonzero(~xp.any(mask, axis=1))[0]
    if empty.shape[0]:
        got = f"one token; text {empty[0]} has none"
        raise ValueError(f"mask must leave each text at least {got}")
    real = mask[..., None]  # (B, T, 1)
    # Not a product with the mask, because 0 times infinity would be NaN.
    total = xp.sum(xp.where(real, x, 0.0), axis=1)  # (B, D)
    return total / xp.sum(xp.astype(real, x.dtype), axis=1)

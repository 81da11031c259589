"""Witten–Bell smoothing: how far to trust counts, judged by how often they were surprised.

A history that was followed by something new nearly every time will probably be followed by
something new again, and one that was always followed by the same token will not. So the number of
*different* tokens that followed it is taken as the number of surprises, and that share of the
probability comes from a model with a shorter history.
"""

from __future__ import annotations

import array_api_compat

from plainformer.arrays import Array
from plainformer.shapes import Float, Int, checked

__all__ = ["witten_bell"]


@checked
def witten_bell(
    shorter: Float[Array, "... V"], counts: Int[Array, "... V"]
) -> Float[Array, "... V"]:
    """Probabilities of the next token, interpolated from counts and a model
    with a shorter history.

    P(w) = (count of w + types · shorter(w)) / (total + types), where total
    is the sum of the counts and types is the number of different tokens that
    were counted.

    Args:
        shorter: (..., V) probabilities after a history that is one token
            shorter; before the shortest history, 1/V each.
        counts: (..., V), how often each token followed. Where all are 0, the
            result is `shorter`.

    Returns:
        (..., V) probabilities, which add up to 1 if those of `shorter` do.

    Raises:
        TypeError, ValueError: `counts` are not whole numbers, or the shapes
            do not fit.

    Source: Bell, Cleary and Witten 1990; as an interpolation, Chen and
    Goodman 1999.

    >>> import numpy as np
    >>> witten_bell(np.full(4, 1 / 4), [5, 0, 1, 0]).tolist()
    [0.6875, 0.0625, 0.1875, 0.0625]
    """
    xp = array_api_compat.array_namespace(shorter)
    counts = xp.astype(counts, shorter.dtype)
    total = xp.sum(counts, axis=-1, keepdims=True)
    seen = xp.astype(counts > 0, shorter.dtype)
    types = xp.sum(seen, axis=-1, keepdims=True)
    # Without counts, the result is `shorter`.
    types = xp.where(total > 0, types, xp.ones_like(types))
    return (counts + types * shorter) / (total + types)

"""Softmax that does not overflow, and that reports any row in which nothing is allowed.

Finding such rows takes the actual values, so on a GPU every call with "error" waits until the
device has caught up, and code that is traced without values (torch.compile with `fullgraph=True`)
needs "zero".
"""

from __future__ import annotations

import math
from typing import Literal

import array_api_compat

from plainformer.shapes import Array, Bool, Float, checked

__all__ = ["FullyMasked", "FullyMaskedRowError", "fully_masked_error", "softmax"]

FullyMasked = Literal["error", "zero"]
"""What to do with a query that may attend to no key."""


@checked
def softmax(
    x: Float[Array, "..."],
    axis: int = -1,
    *,
    mask: Bool[Array, "#..."] | None = None,
    fully_masked: FullyMasked = "error",
) -> Float[Array, "..."]:
    """Turn scores into weights: none is negative, and each row along `axis` sums to 1.

    A score of -∞, or one where `mask` is False, gets the weight 0. If a row has no other score,
    "error" raises a `FullyMaskedRowError` that names the row, and "zero" gives it weights of 0,
    through which no gradient flows. A NaN affects only its own row. Half precision (float16,
    bfloat16) is computed in float32 and then rounded.

    Source: Goodfellow, Bengio and Courville 2016, section 4.1.

    >>> import numpy as np
    >>> x = np.log([[1.0, 3.0], [2.0, 2.0]])
    >>> softmax(x).round(6).tolist()  # weights in the ratios 1 : 3 and 2 : 2
    [[0.25, 0.75], [0.5, 0.5]]
    >>> softmax(np.array([1000.0, 1000.0, -np.inf])).tolist()
    [0.5, 0.5, 0.0]
    """
    if not -x.ndim <= axis < x.ndim:
        axes = f"the {x.ndim} axes of x"
        raise ValueError(f"axis must be one of {axes}; got {axis}")
    if x.shape[axis] == 0:  # no scores, though there may be rows
        sizes = enumerate(x.shape)
        rows = math.prod(n for i, n in sizes if i != axis % x.ndim)
        if rows and fully_masked == "error":
            got = f"got shape {tuple(x.shape)}"
            raise FullyMaskedRowError(f"every row must have a score; {got}")
        return x
    xp, dtype = array_api_compat.array_namespace(x), x.dtype
    if xp.finfo(dtype).bits < 32:
        x = xp.astype(x, xp.float32)  # float16 sums overflow above 65,504
    if mask is not None:
        x = xp.where(mask, x, -math.inf)
    largest = xp.max(x, axis=axis, keepdims=True)
    empty = largest == -math.inf  # rows in which nothing is allowed
    if fully_masked == "error" and bool(xp.any(empty)):
        raise fully_masked_error(empty, axis, mask)
    largest = xp.where(empty, 0.0, largest)  # -∞ - (-∞) would be NaN
    e = xp.exp(x - largest)
    total = xp.sum(e, axis=axis, keepdims=True)
    weights = e / xp.where(empty, 1.0, total)
    return xp.astype(weights, dtype, copy=False)


# Rows without weights


class FullyMaskedRowError(ValueError):
    """Raised for a row in which every score is -∞, so that no weights can sum to 1."""


def fully_masked_error(
    empty: Array, axis: int = -1, mask: Array | None = None
) -> FullyMaskedRowError:
    """The error that names the first query which may attend to no key.

    `empty` is True for such rows and of length 1 along `axis`, the axis of the keys.
    """
    xp = array_api_compat.array_namespace(empty)
    row = [int(indices[0]) for indices in xp.nonzero(empty)]
    last = axis % empty.ndim
    where = ", ".join(":" if i == last else str(index) for i, index in enumerate(row))
    query = row[last - 1] if last > 0 else 0
    advice = 'fully_masked="zero" gives such queries weights and an output of 0'
    if mask is None:
        return FullyMaskedRowError(
            f"every row must have a score above -inf; weights[{where}] has none; {advice}"
        )
    return FullyMaskedRowError(
        f"mask must allow every query a key; it allows none for query {query} "
        f"(weights[{where}]); {advice}"
    )

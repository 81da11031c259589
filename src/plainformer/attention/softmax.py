"""From scores to weights: softmax, which neither overflows nor hides an empty row.

Softmax divides exp(x) by the sum of its row. Computed as written, that breaks in two places:

- exp(1000) is infinite. So the largest score of a row is first taken off all of them: the weights
  stay the same, and no number grows beyond 1.
- A row in which nothing is allowed, all its scores -∞, divides 0 by 0. No weights are right for it,
  so it is an error that names the row. A NaN that nobody asked for is the bug that everyone meets
  here. Who does want such rows says so (`empty="zero"`) and gets weights of 0.

But: to look for infinities is to wait for the numbers, so on a GPU each call waits until it has
caught up, and what traces code without numbers (torch.func.vmap, the "meta" device) cannot pass.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import array_api_compat

from plainformer.arrays import Array, as_floats

__all__ = ["Empty", "EmptyRowError", "softmax"]

Empty = Literal["error", "zero"]


def softmax(
    x: Array,
    axis: int = -1,
    *,
    empty: Empty = "error",
) -> Array:
    """Turn scores into weights: none negative, each row's sum 1.

    Args:
        x: (...,) scores. A score of -∞ gets the weight 0; where
            scores are +∞, those share the whole weight.
        axis: a row is what lies along this axis.
        empty: what becomes of a row that holds nothing but -∞:
            "error", or "zero" for weights of 0, through which no
            gradient flows.

    Returns:
        (...,) weights, of x's shape, dtype and library (if x
        holds whole numbers, the library's default float). A NaN
        spoils its own row.

    Raises:
        TypeError: `x` holds no real numbers, or `axis` is no
            whole number.
        ValueError: `x` has no such axis; or, as `EmptyRowError`,
            a row is empty. The message names the first one.

    Source: Goodfellow, Bengio and Courville 2016, section 4.1.

    >>> import numpy as np
    >>> x = np.log([[1.0, 3.0], [2.0, 2.0]])
    >>> softmax(x).round(6).tolist()  # weights 1 to 3, and 2 to 2
    [[0.25, 0.75], [0.5, 0.5]]
    >>> softmax(np.array([1000.0, 1000.0, -np.inf])).tolist()
    [0.5, 0.5, 0.0]
    """
    x, axis = _check(x, axis, empty)
    if x.shape[axis] == 0:
        return _without_columns(x, axis, empty)
    xp = array_api_compat.array_namespace(x)
    top = xp.max(x, axis=axis, keepdims=True)
    if not bool(xp.all(xp.isfinite(top))):  # seldom
        return _with_infinities(x, top, axis, empty)
    e = xp.exp(x - top)  # each from 0 to 1
    return e / xp.sum(e, axis=axis, keepdims=True)


class EmptyRowError(ValueError):
    """A row in which all scores are -∞: there is nothing to share the weight among.

    Attributes:
        row: where the row stands, an index along every axis but the row's own.
    """

    def __init__(self, message: str, row: tuple[int, ...]) -> None:
        super().__init__(message)
        self.row = row


# The seldom ones


def _with_infinities(
    x: Array,
    top: Array,
    axis: int,
    empty: Empty,
) -> Array:
    """Softmax where the largest score of a row is infinite, or NaN.

    ∞ - ∞ must not arise, neither here nor in the gradient. Rows
    with a finite largest score get the weights that they get
    elsewhere.
    """
    xp = array_api_compat.array_namespace(x)
    void = top == -math.inf
    if empty == "error":
        _refuse_empty(void, axis)
    rank = xp.where(x == math.inf, xp.zeros_like(x), -math.inf)
    x = xp.where(top == math.inf, rank, x)  # with +∞: 0 or -∞
    top = xp.where(xp.isinf(top), xp.zeros_like(top), top)
    e = xp.exp(x - top)
    total = xp.sum(e, axis=axis, keepdims=True)
    return e / xp.where(void, xp.ones_like(total), total)


def _without_columns(x: Array, axis: int, empty: Empty) -> Array:
    """Softmax of rows that hold no number at all."""
    xp = array_api_compat.array_namespace(x)
    if empty == "error":
        _refuse_empty(xp.all(x == -math.inf, axis=axis, keepdims=True), axis)
    return x


def _refuse_empty(void: Array, axis: int) -> None:
    """Name the first empty row; `void` has length 1 along the axis."""
    xp = array_api_compat.array_namespace(void)
    if not bool(xp.any(void)):
        return
    place = [int(indices[0]) for indices in xp.nonzero(void)]
    row = (*place[:axis], *place[axis + 1 :])
    where = ", ".join(":" if i == axis else str(index) for i, index in enumerate(place))
    raise EmptyRowError(
        f"x[{where}] must have a score above -inf, for weights cannot sum to 1 over nothing; "
        'empty="zero" gives weights of 0',
        row,
    )


# What is refused


def check_empty(empty: Any) -> None:
    """Refuse what is neither "error" nor "zero"."""
    if empty not in ("error", "zero"):
        raise ValueError(f"empty must be 'error' or 'zero'; got {empty!r}")


def _check(x: Any, axis: Any, empty: Any) -> tuple[Array, int]:
    """The scores as floats, and the axis counted from the front."""
    check_empty(empty)
    (x,) = as_floats(x=x)
    if isinstance(axis, bool) or not isinstance(axis, int):
        raise TypeError(f"axis must be a whole number; got {axis!r} ({type(axis).__name__})")
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"axis must be one of x, of shape {tuple(x.shape)}; got {axis}")
    return x, axis % x.ndim

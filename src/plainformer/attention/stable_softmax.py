"""From scores to weights: softmax, which neither overflows nor hides a fully masked row.

Softmax divides exp(x) by the sum of its row. Computed as written, that breaks in two places:

- exp(1000) is infinite. So the largest score of a row is first taken off all of them: the weights
  stay the same, and no number grows beyond 1.
- A row in which nothing is allowed, all its scores -∞, divides 0 by 0. No weights are right for it,
  so it is an error that names the row. A NaN that nobody asked for is the bug that everyone meets
  here. Who does want such rows says so (`fully_masked="zero"`) and gets weights of 0.

But: to look for infinities is to wait for the numbers, so on a GPU each call waits until it has
caught up, and what traces code without numbers (torch.func.vmap, the "meta" device) cannot pass.
"""

from __future__ import annotations

import math

import array_api_compat
import numpy as np

from plainformer.arrays import Array, as_floats, check_choice, widen
from plainformer.attention.checks import FULLY_MASKED, FullyMasked, check_axis

__all__ = ["FullyMaskedRowError", "fully_masked_row", "softmax", "softmax_formula"]

LOG2_E = math.log2(math.e)


def softmax_formula(
    x: Array,
    axis: int = -1,
    fully_masked: FullyMasked = "error",
    mask: Array | None = None,
) -> Array:
    """exp(x) over its sum along an axis: `softmax` of floats, unchecked.

    Of what a mask allows, if there is one: it broadcasts to x.

    >>> import numpy as np
    >>> softmax_formula(np.log([1.0, 3.0])).round(6).tolist()
    [0.25, 0.75]
    """
    if 0 in x.shape:
        return _without_numbers(x, axis, fully_masked, mask)
    xp, dtype = array_api_compat.array_namespace(x), x.dtype
    x = widen(x)  # in float16 a sum of 65,504 weights would be its last
    allowed = x if mask is None else add_minus_infinity(x, mask)
    top = xp.max(allowed, axis=axis, keepdims=True)
    # Seldom: an infinity, or a NaN, which is not below one.
    if not xp.max(xp.abs(top)) < math.inf:
        weights = with_infinities(x, axis, fully_masked, mask)
        return xp.astype(weights, dtype, copy=False)
    # exp(x - top), each from 0 to 1. As a power of 2 it takes torch a
    # fifth of the time that its `exp` takes on a CPU where scores are
    # -∞, as they are behind a mask.
    e = xp.exp2((allowed - top) * LOG2_E)
    weights = e / xp.sum(e, axis=axis, keepdims=True)
    return xp.astype(weights, dtype, copy=False)


def softmax(
    x: Array,
    axis: int = -1,
    *,
    fully_masked: FullyMasked = "error",
) -> Array:
    """Turn scores into weights: none negative, each row's sum 1.

    Args:
        x: (...,) scores. A score of -∞ gets the weight 0; where
            scores are +∞, those share the whole weight.
        axis: a row is what lies along this axis.
        fully_masked: what becomes of a row that holds nothing but
            -∞: "error", or "zero" for weights of 0, through which
            no gradient flows.

    Returns:
        (...,) weights, of x's shape, dtype and library (if x
        holds whole numbers, the library's default float). A NaN
        spoils its own row. In half precision (float16, bfloat16)
        they are computed in float32, then rounded.

    Raises:
        TypeError: `x` holds no real numbers, or `axis` is no
            whole number.
        ValueError: `x` has no such axis; or, as `FullyMaskedRowError`,
            a row has no score above -∞. The message names the first.

    Source: Goodfellow, Bengio and Courville 2016, section 4.1.

    >>> import numpy as np
    >>> x = np.log([[1.0, 3.0], [2.0, 2.0]])
    >>> softmax(x).round(6).tolist()  # weights 1 to 3, and 2 to 2
    [[0.25, 0.75], [0.5, 0.5]]
    >>> softmax(np.array([1000.0, 1000.0, -np.inf])).tolist()
    [0.5, 0.5, 0.0]
    """
    check_choice(fully_masked, "fully_masked", FULLY_MASKED)
    (x,) = as_floats(x=x)
    axis = check_axis(axis, x)
    try:
        return softmax_formula(x, axis, fully_masked)
    except FullyMaskedRowError as error:
        where = ", ".join([*map(str, error.row[:axis]), ":", *map(str, error.row[axis:])])
        raise FullyMaskedRowError(
            f"x[{where}] must have a score above -inf, for weights cannot sum to 1 over nothing; "
            'fully_masked="zero" gives weights of 0',
            error.row,
        ) from None


def add_minus_infinity(x: Array, mask: Array) -> Array:
    """Scores, -∞ where a mask forbids; a forbidden NaN or +∞ becomes NaN.

    A mask (T, S) is turned into 0 and -∞ once, for all heads, and to
    add takes a third of the time of a choice, score by score.
    """
    xp = array_api_compat.array_namespace(x)
    device = array_api_compat.device(x)
    zero = xp.zeros((), dtype=x.dtype, device=device)
    with np.errstate(invalid="ignore"):  # NumPy would warn of ∞ - ∞
        return x + xp.where(mask, zero, -math.inf)


# The seldom ones


def with_infinities(
    x: Array,
    axis: int,
    fully_masked: FullyMasked,
    mask: Array | None,
) -> Array:
    """Softmax where the largest score of a row is infinite, or NaN.

    ∞ - ∞ must not arise, neither here nor in the gradient. Rows
    with a finite largest score get the weights that they get
    elsewhere.
    """
    xp = array_api_compat.array_namespace(x)
    if mask is not None:
        # Chosen, not added: a forbidden NaN would stay.
        x = xp.where(mask, x, -math.inf)
    top = xp.max(x, axis=axis, keepdims=True)
    void = top == -math.inf
    if fully_masked == "error":
        _refuse(void, axis, mask)
    rank = xp.where(x == math.inf, xp.zeros_like(x), -math.inf)
    x = xp.where(top == math.inf, rank, x)  # with +∞: 0 or -∞
    top = xp.where(xp.isinf(top), xp.zeros_like(top), top)
    e = xp.exp2((x - top) * LOG2_E)
    total = xp.sum(e, axis=axis, keepdims=True)
    return e / xp.where(void, xp.ones_like(total), total)


def _without_numbers(x: Array, axis: int, fully_masked: FullyMasked, mask: Array | None) -> Array:
    """Softmax of an empty array: no rows, or rows that hold no number at all."""
    xp = array_api_compat.array_namespace(x)
    if fully_masked == "error":
        _refuse(xp.all(x == -math.inf, axis=axis, keepdims=True), axis, mask)
    return x


# Rows without weights


class FullyMaskedRowError(ValueError):
    """A row in which all scores are -∞: there is nothing to share the weight among.

    Attributes:
        row: where the row stands, an index along every axis but the row's own.
    """

    # The row may be left out, for so pickle makes an error anew, before it sets the attributes.
    def __init__(self, message: str, row: tuple[int, ...] = ()) -> None:
        super().__init__(message)
        self.row = row

    def __reduce__(self) -> tuple[type, tuple[str, tuple[int, ...]]]:
        return type(self), (str(self), self.row)  # so that it can be pickled, with its row


def _refuse(void: Array, axis: int, mask: Array | None) -> None:
    """Name the first fully masked row; `void` has length 1 along the axis."""
    xp = array_api_compat.array_namespace(void)
    if not bool(xp.any(void)):
        return
    axis %= void.ndim
    place = [int(indices[0]) for indices in xp.nonzero(void)]
    raise fully_masked_row((*place[:axis], *place[axis + 1 :]), mask)


def fully_masked_row(row: tuple[int, ...], mask: Array | None) -> FullyMaskedRowError:
    """The error for a query that finds no key: which one, and whether the mask leaves it none.

    Args:
        row: where its scores stand, an index along every axis but that of the keys.
        mask: boolean, it broadcasts to the scores; or None.

    >>> import numpy as np
    >>> print(fully_masked_row((1, 2), np.zeros((1, 1), dtype=bool)))
    mask must allow every query a key; it allows nothing for query 2 (weights[1, 2]); \
fully_masked="zero" gives such queries weights and an output of 0
    """
    query = f"query {row[-1]}" if row else "the query"
    if len(row) > 1:
        query += f" (weights[{', '.join(map(str, row))}])"
    if mask is not None and not _allows_something(mask, row):
        message = f"mask must allow every query a key; it allows nothing for {query}"
    else:
        message = f"every query must have a score above -inf; {query} has none"
    advice = 'fully_masked="zero" gives such queries weights and an output of 0'
    return FullyMaskedRowError(f"{message}; {advice}", row)


def _allows_something(mask: Array, row: tuple[int, ...]) -> bool:
    """Whether the mask, which may have to be stretched, has a True in this row of the scores."""
    xp = array_api_compat.array_namespace(mask)
    sizes = tuple(mask.shape[:-1])
    place = row[len(row) - len(sizes) :]
    return bool(xp.any(mask[tuple(0 if n == 1 else i for n, i in zip(sizes, place, strict=True))]))

"""Attention: each query gathers the values, weighted by how well their keys answer it.

The whole of it is three lines: scores are dot products of queries and keys, divided by √K; weights
are their softmax, row by row; the output is the weights times the values. Self-attention, causal
attention and cross-attention are this one function; they differ in where q, k and v come from, and
in the mask.

What a mask forbids has the weight 0, to the last bit. So finite numbers behind the mask never
matter, however large. What is not finite: a NaN or ∞ in a forbidden *key* does not matter either,
for its score is thrown away; in a forbidden *value* it does, for the output is a sum in which it
stands times 0, and 0 · NaN is NaN. In the gradients both matter, for the same reason. So
padding must be made of finite numbers; torch's own attention asks the same.

But: all T · S scores are written out. For long texts see `efficient`. Everything is computed in the
dtype of the arrays; in float16 a score overflows at 65504.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import array_api_compat
import numpy as np

from plainformer.arrays import Array, as_array, as_floats, beside, check_number
from plainformer.attention.masking import as_mask
from plainformer.attention.softmax import Empty, EmptyRowError, softmax

__all__ = ["as_floats", "attention", "attention_scores", "check_rows", "scale_for"]


def attention(
    q: Array,
    k: Array,
    v: Array,
    *,
    mask: Array | None = None,
    bias: Array | None = None,
    scale: float | None = None,
    empty: Empty = "error",
) -> tuple[Array, Array]:
    """Scaled dot-product attention: softmax(q kᵀ / √K) v.

    Leading axes (batch, heads) broadcast, as in a matrix product.

    Args:
        q: (..., T, K), one row for each query.
        k: (..., S, K), one row for each key.
        v: (..., S, Dv), one row for each value; Dv need not be K.
        mask: boolean, True where query i may look at key j; None
            allows all. It broadcasts to (..., T, S), which it
            cannot enlarge.
        bias: numbers added to the scaled scores, as ALiBi's or an
            additive mask of 0 and -∞. It broadcasts likewise.
        scale: what the scores are multiplied by; None means 1/√K.
        empty: what becomes of a query that may look at no key:
            "error", or "zero" for weights and an output of 0.

    Returns:
        output: (..., T, Dv).
        weights: (..., T, S); every row sums to 1.

    Raises:
        TypeError: no real numbers, several libraries, or a mask
            that is not boolean.
        ValueError: shapes that do not fit (both are named), or a
            query that may look at no key (it is named).

    Source: Vaswani et al. 2017, section 3.2.1, equation 1.

    >>> q = np.array([[2.0, 0.0, 0.0, 0.0]])  # T = 1, K = 4
    >>> k = np.array([[np.log(3), 0, 0, 0], [0, 1, 0, 0]])
    >>> v = np.array([[8.0], [4.0]])  # S = 2, Dv = 1
    >>> output, weights = attention(q, k, v)  # scores log 3 and 0
    >>> weights.round(6).tolist(), output.round(6).tolist()
    ([[0.75, 0.25]], [[7.0]])
    >>> second = np.array([[False, True]])  # the second key alone
    >>> attention(q, k, v, mask=second)[0].tolist()
    [[4.0]]
    """
    q, k, v, mask, bias = _check(q, k, v, mask, bias)
    xp = array_api_compat.array_namespace(q)
    scores = attention_scores(q, k, scale=scale)  # (..., T, S)
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = xp.where(mask, scores, -xp.inf)
    with _naming_the_query(mask):
        weights = softmax(scores, empty=empty)  # (..., T, S)
    return weights @ v, weights  # (..., T, Dv), (..., T, S)


def attention_scores(
    q: Array,
    k: Array,
    *,
    scale: float | None = None,
) -> Array:
    """How well every key answers every query: q kᵀ / √K.

    Args:
        q: (..., T, K), one row for each query.
        k: (..., S, K), one row for each key.
        scale: what the dot products are multiplied by; None means
            1/√K.

    Returns:
        (..., T, S).

    Raises:
        TypeError, ValueError: as `attention`.

    Source: Vaswani et al. 2017, section 3.2.1.

    >>> q = np.array([[1.0, 2.0, 0.0, 1.0]])
    >>> k = np.array([[2.0, 1.0, 5.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
    >>> attention_scores(q, k, scale=1).tolist()  # dot products
    [[4.0, 0.0]]
    >>> attention_scores(q, k).tolist()  # divided by √4
    [[2.0, 0.0]]
    """
    q, k = as_floats(q=q, k=k)
    check_rows(q, k)
    scale = scale_for(scale, width=q.shape[-1])
    return (q * scale) @ k.mT  # T · K products, not T · S


# What is refused


def _check(
    q: Any, k: Any, v: Any, mask: Any, bias: Any
) -> tuple[Array, Array, Array, Array | None, Array | None]:
    """The arrays as floats of one dtype and library; mask and bias beside them."""
    q, k, v = as_floats(q=q, k=k, v=v)
    lead = check_rows(q, k)
    check_rows(q, k, v)
    scores = (*lead, q.shape[-2], k.shape[-2])
    if mask is not None:
        mask = beside(_check_stretches(as_mask(mask), "mask", scores), like=q)
    if bias is not None:
        xp = array_api_compat.array_namespace(q)
        bias = beside(_check_stretches(as_array(bias, "bias"), "bias", scores), like=q)
        bias = xp.astype(bias, q.dtype, copy=False)
    return q, k, v, mask, bias


def check_rows(q: Array, k: Array, v: Array | None = None) -> tuple[int, ...]:
    """Return the shape to which the leading axes broadcast; refuse shapes that do not fit.

    Args:
        q: (..., T, K).
        k: (..., S, K).
        v: (..., S, Dv), or None.

    Raises:
        ValueError: too few axes, or sizes that differ. The message names the shapes.

    >>> check_rows(np.zeros((2, 1, 5, 4)), np.zeros((3, 6, 4)))
    (2, 3)
    """
    arrays = {"q": q, "k": k} | ({} if v is None else {"v": v})
    for name, array in arrays.items():
        if array.ndim < 2:
            rows = {"q": "(..., T, K)", "k": "(..., S, K)", "v": "(..., S, Dv)"}[name]
            raise ValueError(f"{name} must be {rows}; got shape {tuple(array.shape)}")
    if q.shape[-1] != k.shape[-1] or q.shape[-1] == 0:
        raise _misfit("q and k must have rows of one width, 1 or more", arrays)
    if v is not None and k.shape[-2] != v.shape[-2]:
        raise _misfit("v must have one row for each row of k", arrays)
    leads = {tuple(array.shape[:-2]) for array in arrays.values()}
    if len(leads) == 1:
        return leads.pop()
    try:
        return np.broadcast_shapes(*leads)
    except ValueError:
        raise _misfit("the axes before the last two must broadcast together", arrays) from None


def _misfit(what: str, arrays: dict[str, Array]) -> ValueError:
    shapes = [f"{name} of shape {tuple(array.shape)}" for name, array in arrays.items()]
    return ValueError(f"{what}; got {' and '.join(shapes)}")


def _check_stretches(array: Array, name: str, to: tuple[int, ...]) -> Array:
    """Refuse what does not broadcast to the shape of the scores, or would enlarge it."""
    shape = tuple(array.shape)
    fits = len(shape) <= len(to) and all(
        a in (1, b) for a, b in zip(reversed(shape), reversed(to), strict=False)
    )
    if not fits:
        raise ValueError(
            f"{name} must broadcast to {to}, the shape (..., T, S) of the scores; got shape {shape}"
        )
    return array


def scale_for(scale: Any, width: int) -> float:
    """Return what scores are multiplied by, where keys are `width` numbers wide.

    Raises:
        TypeError, ValueError: `scale` is neither None nor a finite number.

    >>> scale_for(None, width=4)
    0.5
    """
    return 1 / math.sqrt(width) if scale is None else check_number(scale, "scale")


@contextmanager
def _naming_the_query(mask: Array | None) -> Iterator[None]:
    """Say of an empty row which query it belongs to, and whether the mask has emptied it."""
    try:
        yield
    except EmptyRowError as error:
        row = error.row
        query = f"query {row[-1]}" + (f" (weights[{', '.join(map(str, row))}])" * (len(row) > 1))
        if mask is not None and not _allows_something(mask, row):
            message = f"mask must allow every query a key; it allows nothing for {query}"
        else:
            message = f"every query must have a score above -inf; {query} has none"
        message += '; empty="zero" gives such queries weights and an output of 0'
        raise EmptyRowError(message, row) from None


def _allows_something(mask: Array, row: tuple[int, ...]) -> bool:
    """Whether the mask, which may have to be stretched, has a True in this row of the scores."""
    xp = array_api_compat.array_namespace(mask)
    sizes = tuple(mask.shape[:-1])
    place = row[len(row) - len(sizes) :]
    return bool(xp.any(mask[tuple(0 if n == 1 else i for n, i in zip(sizes, place, strict=True))]))

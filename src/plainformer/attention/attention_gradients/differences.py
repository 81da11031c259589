"""Gradients by finite differences: change one number a little, and see how the result changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from plainformer.shapes import Array, Float, checked

__all__ = ["central_differences"]


@checked
def central_differences(
    f: Callable[[Array], Any], x: Float[Array, "..."], *, step: float = 1e-5
) -> Float[Array, "..."]:
    """The gradient of a function from an array to a number, in NumPy's float64.

    Each number of x in turn is made a little larger, then a little smaller, and f is called with
    each copy. This needs no derivation, so it can reveal the mistakes in one, but it is far too
    slow for training. The error is about step² times f's third derivative, plus 1e-16 times f's
    value over the step. A step too small to change a number of x, because of rounding, is an error.

    Source: Goodfellow, Bengio and Courville 2016, section 11.5.

    >>> def f(x):
    ...     return x[0] ** 2 * x[1]
    >>> slopes = central_differences(f, [5.0, 2.0])
    >>> slopes.round(6).tolist()  # 2 · 5 · 2, and 5²
    [20.0, 25.0]
    """
    if step <= 0:
        raise ValueError(f"step must be above 0; got {step}")
    x = np.asarray(x, dtype=np.float64)
    slopes = np.empty_like(x)
    for i in np.ndindex(x.shape):
        above, below = x.copy(), x.copy()
        above[i] += step
        below[i] -= step
        width = above[i] - below[i]  # 2 · step, except for rounding
        if width == 0:
            needed = f"large enough to move {x[i]}"
            raise ValueError(f"step must be {needed}; got {step}")
        slopes[i] = (float(f(above)) - float(f(below))) / width
    return slopes

"""Gradients by trying: nudge one number, see how far the result moves.

This knows nothing of any derivation, so it finds the mistakes of one. It calls the function twice
for each number; that is why nobody trains with it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from plainformer.arrays import Array
from plainformer.attention.attention_gradients.checks import check_tried

__all__ = ["central_differences"]


def central_differences(
    f: Callable[[Array], Any],
    x: Array,
    *,
    step: float = 1e-5,
) -> Array:
    """The gradient of a number computed from an array, found by trying.

    Each number of x in turn is made a little larger, then smaller.

    Args:
        f: takes an array like x, returns one number, such as a loss.
        x: (...,) NumPy or lists; f is called with copies.
        step: how far each number is moved. The error is about step²
            times f's third derivative, plus 1e-16 times f's value
            over the step: larger on both sides of the default, for
            numbers around 1.

    Returns:
        (...,), float64, NumPy, of x's shape.

    Raises:
        TypeError, ValueError: x holds no real numbers, or `step` is
            not above 0, or lost in rounding beside a number of x.

    Cost: f is called twice for each number of x.

    Source: Goodfellow, Bengio and Courville 2016, section 11.5.

    >>> def f(x):
    ...     return x[0] ** 2 * x[1]
    >>> slopes = central_differences(f, [5.0, 2.0])
    >>> slopes.round(6).tolist()  # 2 · 5 · 2, and 5²
    [20.0, 25.0]
    """
    x, step = check_tried(x, step)
    slopes = np.empty_like(x)
    for place in np.ndindex(x.shape):
        above, below = x.copy(), x.copy()
        above[place] += step
        below[place] -= step
        width = above[place] - below[place]  # 2 · step, but for rounding
        slopes[place] = (float(f(above)) - float(f(below))) / width
    return slopes

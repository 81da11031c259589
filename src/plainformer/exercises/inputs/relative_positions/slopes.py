"""Exercise 4: the slopes of ALiBi, for 12 heads too."""

from __future__ import annotations

import numpy as np


def slopes(n_heads: int) -> np.ndarray:
    """Return the slope of every head of ALiBi, for any number of heads.

    For a power of two, n heads have the slopes 2^(-8h/n), h = 1 to n.
    For any other number take the largest power of two below it, n:
    first the n slopes of n heads, then, as many as are missing, every
    other slope of 2n heads, from their first one on.
    Returns (n_heads,).

    >>> slopes(2).tolist()
    [0.0625, 0.00390625]
    >>> slopes(3).tolist()
    [0.0625, 0.00390625, 0.25]
    """
    n = 1
    while 2 * n <= n_heads:
        n = 2 * n
    first = 2.0 ** (-8 * np.arange(1, n + 1) / n)
    finer = 2.0 ** (-8 * np.arange(1, 2 * n + 1) / (2 * n))
    return np.concatenate([first, finer[0::2][: n_heads - n]])

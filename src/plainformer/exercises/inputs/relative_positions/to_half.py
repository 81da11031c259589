"""Exercise 3: from the interleaved layout to the half one."""

from __future__ import annotations

import numpy as np


def to_half(x: np.ndarray) -> np.ndarray:
    """Reorder vectors from the interleaved layout to the half layout.

    x: (..., K), K even, in front of it any number of axes. Pair i
    stands in columns 2i and 2i + 1: a0 b0 a1 b1 a2 b2.
    Returns (..., K): pair i stands in columns i and i + K/2:
    a0 a1 a2 b0 b1 b2.

    >>> to_half(np.array([10, 11, 20, 21, 30, 31])).tolist()
    [10, 20, 30, 11, 21, 31]
    """
    return np.concatenate([x[..., 0::2], x[..., 1::2]], axis=-1)

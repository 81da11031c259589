"""Exercise 1: rotary positions, with complex numbers."""

from __future__ import annotations

import numpy as np


def rotate(x: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Turn the pairs of each vector by an angle that its position sets.

    x: (T, K), K even: T queries or keys. Columns 2i and 2i + 1 form
    pair i, one point of the plane.
    positions: (T,), the position of each of them.
    Returns (T, K): in the row of position p, pair i is turned by the
    angle p / 10000^(2i / K), in radians, anticlockwise:
    (a, b) becomes (a cos - b sin, a sin + b cos).

    Complex numbers make it short: turning is multiplying.

    >>> x = np.array([[1.0, 0.0, 0.0, 1.0]])
    >>> rotate(x, np.array([1])).round(2).tolist()
    [[0.54, 0.84, -0.01, 1.0]]
    """
    width = x.shape[1]
    frequency = 10000.0 ** (-np.arange(0, width, 2) / width)  # (K/2,)
    angle = positions[:, None] * frequency  # (T, K/2)
    z = (x[:, 0::2] + 1j * x[:, 1::2]) * np.exp(1j * angle)
    return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)

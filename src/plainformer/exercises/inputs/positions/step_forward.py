"""Exercise 3: from the row of a position to that of a later one, by a rotation."""

from __future__ import annotations

import numpy as np


def step_forward(row: np.ndarray, k: int) -> np.ndarray:
    """Turn the row of position p into that of p + k; p is not told.

    row: (D,), one row of the sinusoidal table (exercise 1), D even.
    k: how many positions to go on; a negative k goes back.
    Returns (D,), the row of position p + k.

    You need: sin(a + b) = sin(a) cos(b) + cos(a) sin(b)
              cos(a + b) = cos(a) cos(b) - sin(a) sin(b)

    >>> row = np.array([0.0, 1.0, 0.0, 1.0])
    >>> step_forward(row, 1).round(2).tolist()
    [0.84, 0.54, 0.01, 1.0]
    """
    d_model = len(row)
    turn = k / 10000 ** (np.arange(0, d_model, 2) / d_model)
    sine, cosine = row[0::2], row[1::2]  # (D/2,) each
    moved = np.empty(d_model)
    moved[0::2] = sine * np.cos(turn) + cosine * np.sin(turn)
    moved[1::2] = cosine * np.cos(turn) - sine * np.sin(turn)
    return moved

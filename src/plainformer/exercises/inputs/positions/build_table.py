"""Exercise 1: the table of sines and cosines, without a loop."""

from __future__ import annotations

import numpy as np


def build_table(length: int, d_model: int) -> np.ndarray:
    """Build the sinusoidal table of positions, without a loop.

    Row p is position p, from 0 on. Columns 2i and 2i + 1 form pair i;
    they hold the sine and the cosine of p / 10000^(2i / d_model), an
    angle in radians. d_model is even.
    Returns (length, d_model).

    >>> build_table(2, 4).round(2).tolist()
    [[0.0, 1.0, 0.0, 1.0], [0.84, 0.54, 0.01, 1.0]]
    """
    position = np.arange(length)[:, None]  # (T, 1)
    two_i = np.arange(0, d_model, 2)  # (D/2,)
    angle = position / 10000 ** (two_i / d_model)  # (T, D/2)
    table = np.empty((length, d_model))
    table[:, 0::2] = np.sin(angle)
    table[:, 1::2] = np.cos(angle)
    return table

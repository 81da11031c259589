"""Exercise 2: one number of a printed table is wrong. Which?"""

from __future__ import annotations

import numpy as np

from plainformer.exercises.inputs.positions.build_table import build_table


def find_mistake(table: np.ndarray) -> tuple[int, int, float]:
    """Find the one wrong number in a printed table of positions.

    table: (T, D), the table of exercise 1, rounded to two decimals as
    in a book. One number is off by 0.05 or more; all the others are
    right, so far as two decimals go.
    Returns (position, dimension, value): where the wrong number
    stands, counted from 0, and the value that belongs there, rounded
    or not.

    >>> table = np.array([[0.0, 1.0], [0.84, 0.45], [0.91, -0.42]])
    >>> position, dimension, value = find_mistake(table)
    >>> int(position), int(dimension), round(float(value), 2)
    (1, 1, 0.54)
    """
    right = build_table(*table.shape)
    wrong = np.argmax(np.abs(table - right))  # counts along the rows
    position, dimension = np.unravel_index(wrong, table.shape)
    value = right[position, dimension]
    return int(position), int(dimension), float(value)

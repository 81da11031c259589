"""Exercise 2: the gradient of a lookup, where a token that stands there twice counts twice."""

from __future__ import annotations

import numpy as np


def table_gradient(
    ids: np.ndarray,
    grad_output: np.ndarray,
    vocab_size: int,
) -> np.ndarray:
    """Return the gradient of an embedding table: which rows move.

    In the forward pass, token t of one sentence got row ids[t] of the
    table. Now the gradient of the loss comes back for that vector.

    ids: (T,), whole numbers from 0 to V - 1.
    grad_output: (T, D), the gradient for the vector of each token.
    vocab_size: V, the number of rows of the table.
    Returns (V, D): for each row of the table, the sum of the
    gradients of all places that used it.

    >>> grad_output = np.array([[1.0, 2.0], [3.0, 4.0], [10.0, 20.0]])
    >>> table_gradient(np.array([1, 3, 1]), grad_output, 4).tolist()
    [[0.0, 0.0], [11.0, 22.0], [0.0, 0.0], [3.0, 4.0]]
    """
    gradient = np.zeros((vocab_size, grad_output.shape[1]))
    for t, row in enumerate(ids):
        gradient[row] += grad_output[t]  # add: a row may come twice
    return gradient

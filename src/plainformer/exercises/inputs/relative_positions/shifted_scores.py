"""Exercise 2: a shift of both positions changes no score; see for yourself."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import numpy as np

from plainformer.exercises.inputs.relative_positions.rotate import rotate


def shifted_scores(
    q: np.ndarray,
    k: np.ndarray,
    m: int,
    n: int,
    shifts: np.ndarray,
) -> np.ndarray:
    """Score one query and one key after shifting both positions.

    q, k: (K,), a query and a key, K even, not yet turned.
    m, n: the position of the query and that of the key.
    shifts: (N,), whole numbers: how far to shift both positions.
    Returns (N,): for each s in shifts, the dot product of q turned to
    position m + s with k turned to n + s (exercise 1 turns them). If
    the page is right, what will the N numbers look like?

    >>> q, k = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    >>> shifts = np.array([0, 7, 50])
    >>> shifted_scores(q, k, 3, 1, shifts).round(6).tolist()
    [0.909297, 0.909297, 0.909297]
    """
    queries = rotate(np.tile(q, (len(shifts), 1)), m + shifts)  # (N, K)
    keys = rotate(np.tile(k, (len(shifts), 1)), n + shifts)  # (N, K)
    return (queries * keys).sum(axis=1)

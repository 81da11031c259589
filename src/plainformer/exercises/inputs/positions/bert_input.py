"""Exercise 4: the input of BERT, a sum of three lookups."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import numpy as np


def bert_input(
    ids: np.ndarray,
    segments: np.ndarray,
    tokens: np.ndarray,
    places: np.ndarray,
    parts: np.ndarray,
) -> np.ndarray:
    """Add up what BERT reads: token, position and segment.

    ids: (B, T), the tokens of B texts, whole numbers from 0 to V - 1.
    segments: (B, T), 0 where a token belongs to sentence A, 1 for B.
    tokens: (V, D), places: (P, D), parts: (2, D): three learned tables,
    for tokens, for positions from 0 to P - 1 (P >= T), for segments.
    Returns (B, T, D): the sum of the three rows of each token.

    >>> tokens = np.array([[100.0], [200.0]])
    >>> places = np.array([[10.0], [20.0], [30.0], [40.0]])
    >>> parts = np.array([[1.0], [2.0]])
    >>> ids, segments = np.array([[0, 1, 0]]), np.array([[0, 0, 1]])
    >>> bert_input(ids, segments, tokens, places, parts).tolist()
    [[[111.0], [221.0], [132.0]]]
    """
    length = ids.shape[1]
    return tokens[ids] + places[:length] + parts[segments]

"""How often a word and a position can be recovered from their sum, measured on random words.

In many dimensions, random directions are nearly at right angles. The word whose direction is
nearest to the sum is therefore usually the right one, and so is the nearest position, as long as
neither vector is much longer than the other.
"""

from __future__ import annotations

import numpy as np

from plainformer.arrays import Array
from plainformer.inputs.positions.sinusoidal_table import sinusoidal

__all__ = ["found_in_sums", "unused_directions"]


def found_in_sums(
    word: Array,
    position: Array,
    width: int,
    rng: np.random.Generator,
    *,
    n_words: int = 1000,
    n_positions: int = 100,
) -> tuple[float, list[float]]:
    """Add words of length 1 to positions, (N,) numbers each, and try to
    recover both.

    Returns the mean absolute cosine between a word and a position, and five
    shares: how often the word was recovered, and the position; the same two
    with words √D times as long; and how often the word was recovered after a
    matrix had removed the directions of the positions.

    >>> rng = np.random.default_rng(0)
    >>> _, shares = found_in_sums(np.arange(50), np.arange(50), 512, rng)
    >>> min(shares[2:]) > 0.9
    True
    """
    E = rng.normal(size=(n_words, width))
    E /= np.linalg.norm(E, axis=1, keepdims=True)
    pe = sinusoidal(n_positions, width)
    cosine = np.abs(E @ pe.T / np.sqrt(width / 2)).mean()
    shares = []
    for scale in (1, np.sqrt(width)):
        total = scale * E[word] + pe[position]
        shares += [_nearest(total, E, word), _nearest(total, pe, position)]
    rest = unused_directions(pe)
    kept = E @ rest
    kept /= np.linalg.norm(kept, axis=1, keepdims=True)
    shares += [_nearest((E[word] + pe[position]) @ rest, kept, word)]
    return float(cosine), shares


def unused_directions(pe: Array) -> Array:
    """The matrix, (D, D - n), that removes the n directions that positions use.

    >>> unused_directions(sinusoidal(100, 512)).shape
    (512, 475)
    """
    _, size, directions = np.linalg.svd(pe)
    return directions[(size > 0.1).sum() :].T


def _nearest(total: Array, rows: Array, right: Array) -> float:
    """How often the nearest row in direction is the right one, for rows of equal length."""
    return float(((total @ rows.T).argmax(1) == right).mean())

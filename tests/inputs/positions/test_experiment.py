"""Words and positions that are added: both are found where there is room."""

from __future__ import annotations

import numpy as np

from plainformer.inputs.positions import sinusoidal
from plainformer.inputs.positions.experiment import found_in_sums, unused_directions


def test_both_are_found_in_many_dimensions_and_neither_in_few() -> None:
    rng = np.random.default_rng(0)
    word, position = rng.integers(200, size=300), rng.integers(50, size=300)
    sizes = {"n_words": 200, "n_positions": 50}
    _, few = found_in_sums(word, position, 4, rng, **sizes)
    cosine, many = found_in_sums(word, position, 512, rng, **sizes)
    assert len(few) == len(many) == 5
    assert max(few[:4]) < 0.5 < 0.9 < min(many[2:])
    assert 0 < cosine < 0.1


def test_what_is_left_holds_no_position() -> None:
    pe = sinusoidal(50, 128)
    rest = unused_directions(pe)
    assert np.abs(pe @ rest).max() < 0.1  # those in the directions that are removed count as none
    assert np.allclose(rest.T @ rest, np.eye(rest.shape[1]))

"""Superposition: what rare features do that frequent ones do not."""

import numpy as np
import pytest

from plainformer.assistant import count_stored, feature_overlaps, train_superposition


def test_overlaps_are_cosines() -> None:
    w = np.random.default_rng(0).normal(size=(3, 5))
    theirs = [
        [a @ b / np.linalg.norm(a) / np.linalg.norm(b) for b in w.T] for a in w.T
    ]  # fmt: skip
    np.testing.assert_allclose(feature_overlaps(w), theirs)


def test_frequent_features_are_stored_as_principal_components_and_rare_ones_overlap() -> None:
    options = {"models": 4, "steps": 500}
    often = train_superposition(active=1.0, **options)
    rare = train_superposition(active=0.05, **options)
    best = often.w[int(often.loss.argmin())]
    assert int(count_stored(best)) == 2
    assert abs(float(feature_overlaps(best)[0, 1])) < 0.1  # at a right angle
    assert int(count_stored(rare.w).max()) == 5  # more than there are numbers


def test_errors_name_what_does_not_fit() -> None:
    with pytest.raises(ValueError, match=r"active must be a probability, above 0 and at most 1"):
        train_superposition(active=0.0)
    with pytest.raises(ValueError, match=r"importance must be above 0 and at most 1; got 1\.5"):
        train_superposition(importance=1.5)
    with pytest.raises(ValueError, match="hidden"):
        train_superposition(hidden=0)

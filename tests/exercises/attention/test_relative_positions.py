"""The references of the exercises on relative positions, against the package and against BLOOM."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers.models.bloom.modeling_bloom import build_alibi_tensor

from plainformer.exercises import exercise, grade
from plainformer.inputs import alibi_bias, alibi_slopes, apply_rope
from plainformer.inputs.relative_positions import half_layout_order

rotate, shifted_scores, interleaved_to_halves, slopes, alibi_scores = (
    exercise(f"attention.relative_positions.{n}").reference for n in range(1, 6)
)

seeds = st.integers(0, 2**32 - 1)
widths = st.integers(1, 8).map(lambda half: 2 * half)
positions = st.integers(0, 5000)


@given(seeds, st.integers(0, 6), widths)
def test_turning_is_what_the_package_does(seed, length, width):
    rng = np.random.default_rng(seed)
    x, at = rng.normal(size=(length, width)), rng.integers(-50, 5000, size=length)
    np.testing.assert_allclose(rotate(x, at), apply_rope(x, at), rtol=0, atol=1e-11)


@given(seeds, widths, positions, positions, st.lists(positions, max_size=5))
def test_the_scores_are_those_of_the_package_and_all_the_same(seed, width, m, n, some):
    rng, shifts = np.random.default_rng(seed), np.array(some, dtype=int)
    q, k = rng.normal(size=(2, width))
    scores = shifted_scores(q, k, m, n, shifts)
    assert scores.shape == shifts.shape
    (query,), (key,) = apply_rope(q[None], np.array([m])), apply_rope(k[None], np.array([n]))
    np.testing.assert_allclose(scores, np.full(len(shifts), query @ key), rtol=0, atol=1e-9)


@pytest.mark.parametrize("answer", [0.0, 1e-16])
def test_equal_scores_alone_do_not_pass(answer):
    spec = exercise("attention.relative_positions.2")
    assert not grade(spec, lambda q, k, m, n, shifts: answer)
    assert not grade(spec, lambda q, k, m, n, shifts: np.full(len(shifts), answer))


@given(seeds, st.lists(st.integers(1, 3), max_size=3), widths)
def test_the_reordering_is_the_permutation_of_the_package(seed, shape, width):
    x = np.random.default_rng(seed).normal(size=(*shape, width))
    assert (interleaved_to_halves(x) == x[..., half_layout_order(width)]).all()


@given(seeds, st.integers(1, 6), widths)
def test_a_reordered_vector_is_turned_alike_in_the_half_layout(seed, length, width):
    rng = np.random.default_rng(seed)
    x, at = rng.normal(size=(length, width)), rng.integers(100, size=length)
    turned = apply_rope(interleaved_to_halves(x), at, layout="half")
    np.testing.assert_allclose(interleaved_to_halves(rotate(x, at)), turned, rtol=0, atol=1e-12)


@pytest.mark.parametrize("n_heads", [*range(1, 41), 48, 63, 64, 65, 96, 112, 128])
def test_slopes_are_those_of_the_package_and_of_bloom(n_heads):
    np.testing.assert_allclose(slopes(n_heads), alibi_slopes(n_heads), rtol=1e-12)
    # BLOOM adds slope · j for key j: at j = 1 that is the slope.
    theirs = build_alibi_tensor(torch.ones(1, 2), n_heads, torch.float32)[:, 0, 1].numpy()
    np.testing.assert_allclose(slopes(n_heads), theirs, rtol=1e-6)


@given(seeds, st.integers(1, 12), st.integers(1, 5), st.integers(0, 7))
def test_the_penalty_is_that_of_the_package(seed, n_heads, length, offset):
    scores = np.random.default_rng(seed).normal(size=(n_heads, length, offset + length))
    expected = scores + alibi_bias(n_heads, length, offset + length)
    for head, slope in enumerate(slopes(n_heads)):
        np.testing.assert_allclose(
            alibi_scores(scores[head], slope, offset), expected[head], rtol=0, atol=1e-12
        )

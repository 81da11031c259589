"""The references of the exercises on sampling, against the package and transformers."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import MinPLogitsWarper

from plainformer.decoding import accept_or_resample, draw_token, min_p, top_p
from plainformer.exercises import exercise

sample_word, nucleus, min_p_filter, speculate = (
    exercise(f"decoding.sampling.{n}").reference for n in range(1, 5)
)

seeds = st.integers(0, 2**32 - 1)
counted = st.lists(st.integers(0, 9), min_size=1, max_size=8).filter(any).map(np.array)


@given(counted, st.floats(0, 1, exclude_max=True))
def test_the_word_is_the_token_that_the_package_draws(counts, u):
    ends = np.cumsum(counts) / counts.sum()
    if abs(ends - u).min() > 1e-9:  # no rounding decides
        with np.errstate(divide="ignore"):
            assert sample_word(counts, u) == int(draw_token(np.log(counts), u))
    assert counts[sample_word(counts, u)] > 0


@given(counted, st.integers(1, 99))
def test_the_nucleus_is_the_packages(counts, percent):
    with np.errstate(divide="ignore"):
        kept = np.flatnonzero(top_p(np.log(counts), percent / 100) > -np.inf)
    found = nucleus(counts, percent)
    assert sorted(found) == kept.tolist()
    assert found == sorted(found, key=lambda i: (-counts[i], i))


@given(seeds, st.floats(0.01, 0.99))
def test_min_p_is_the_packages_and_transformers(seed, p):
    z = 2 * np.random.default_rng(seed).standard_normal((3, 9))
    ours = min_p_filter(z, p)
    np.testing.assert_array_equal(ours, min_p(z, p))
    np.testing.assert_array_equal(ours, MinPLogitsWarper(p)(None, torch.from_numpy(z)).numpy())


@given(seeds, st.integers(2, 8))
def test_what_comes_out_of_a_speculative_step_is_the_target(seed, width):
    target, draft = np.random.default_rng(seed).dirichlet(np.ones(width), size=2)
    rate, other = speculate(target, draft)
    passed = draft * np.minimum(1, target / draft)
    np.testing.assert_allclose(passed + (1 - rate) * other, target, rtol=0, atol=1e-12)


def test_a_speculative_step_is_the_packages():
    rng, n = np.random.default_rng(0), 100_000
    target, draft = rng.dirichlet(np.ones(4), size=2)
    rate, other = speculate(target, draft)
    guess = draw_token(np.tile(np.log(draft), (n, 1)), rng.random(n))
    rows = np.tile(target, (n, 1)), np.tile(draft, (n, 1))
    tokens, accepted = accept_or_resample(*rows, guess, *rng.random((2, n)))
    assert abs(accepted.mean() - rate) < 4 * (rate * (1 - rate) / n) ** 0.5
    refused = np.bincount(tokens[~accepted], minlength=4) / (~accepted).sum()
    np.testing.assert_allclose(refused, other, rtol=0, atol=0.02)

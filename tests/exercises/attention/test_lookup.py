"""The references of the exercises on lookup, against a dict, torch and the package."""

import math

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.attention import lookup
from plainformer.exercises import exercise

exact_lookup, row_weights, sharp_lookup = (
    exercise(f"attention.lookup.{n}").reference for n in range(1, 4)
)

seeds = st.integers(0, 2**32 - 1)
words = st.text("abc", max_size=3)


@given(st.lists(words, max_size=6), st.lists(words, min_size=1, max_size=6, unique=True), seeds)
def test_the_exact_lookup_is_that_of_a_dict(queries, keys, seed):
    values = np.random.default_rng(seed).normal(size=(len(keys), 3))
    python = dict(zip(keys, values, strict=True))
    rows = [python.get(query, np.zeros(3)) for query in queries]
    got = exact_lookup(queries, keys, values)
    np.testing.assert_array_equal(got, np.reshape(rows, (len(queries), 3)))


@given(seeds, st.integers(1, 6), st.integers(1, 8), st.sampled_from([0, 1, 100, 1e6]))
def test_the_weights_are_those_of_torch(seed, T, S, size):
    rng = np.random.default_rng(seed)
    scores = size * rng.normal(size=(T, S)) + size
    scores[:, 1:][rng.random((T, S - 1)) < 0.3] = -np.inf
    theirs = torch.softmax(torch.tensor(scores), dim=-1).numpy()
    np.testing.assert_allclose(row_weights(scores), theirs, rtol=1e-12, atol=1e-15)


@given(seeds, st.integers(1, 5), st.integers(1, 6), st.sampled_from([0, 0.5, 1, 30, 1e4]))
def test_a_sharpness_is_a_longer_query(seed, K, S, sharpness):
    rng = np.random.default_rng(seed)
    query, keys, values = rng.normal(size=K), rng.normal(size=(S, K)), rng.normal(size=(S, 2))
    got = sharp_lookup(query, keys, values, sharpness)
    np.testing.assert_allclose(got, lookup(sharpness * query, keys, values), rtol=0, atol=1e-9)


@given(seeds, st.integers(1, 5), st.integers(1, 6))
def test_the_sharpest_is_the_hard_lookup_and_the_limit_of_sharp_ones(seed, K, S):
    rng = np.random.default_rng(seed)
    query, keys, values = rng.normal(size=K), rng.normal(size=(S, K)), rng.normal(size=(S, 2))
    keys = np.r_[keys, keys]  # every best key has a twin
    got = sharp_lookup(query, keys, np.r_[values, values], math.inf)
    hard = lookup(query, keys, np.r_[values, values], hard=True)
    np.testing.assert_allclose(got, hard, rtol=0, atol=1e-12)
    twins = sharp_lookup(query, keys, np.r_[values, 0 * values], math.inf)
    np.testing.assert_allclose(twins, hard / 2, rtol=0, atol=1e-12)
    limit = sharp_lookup(query, keys, np.r_[values, 0 * values], 1e12)
    np.testing.assert_allclose(twins, limit, rtol=0, atol=1e-9)

"""The references of the exercises on lookup, against a dict, torch and the package."""

import math
import textwrap

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.attention import lookup
from plainformer.exercises import exercise, grade

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


# Answers as readers write them, wrong in a known way: a mistake, and what is said of it.
TAKEN_FOR = [
    (
        1,
        "A query that is no key gets the value of the first key",
        """
        def answer(queries, keys, values):
            weights = np.array([[float(q == k) for k in keys] for q in queries])
            return np.array([values[row.argmax()] for row in weights])
        """,
    ),
    (
        1,
        "You stop with an error",
        """
        def answer(queries, keys, values):
            table = {key: value for key, value in zip(keys, values)}
            return np.array([table[query] for query in queries])
        """,
    ),
    (
        1,
        "keys.index stops",
        """
        def answer(queries, keys, values):
            return np.array([values[keys.index(q)] for q in queries])
        """,
    ),
    (
        1,
        "on its side",
        """
        def answer(queries, keys, values):
            match = np.array([[float(key == q) for q in queries] for key in keys])
            return match @ values
        """,
    ),
    (
        2,
        "Each row needs its own sum",
        """
        def answer(scores):
            scores = scores - scores.max(axis=1)[:, None]
            return np.exp(scores) / np.exp(scores).sum()
        """,
    ),
    (
        2,
        "Right for small scores",
        """
        def answer(scores):
            e = np.e ** scores
            return e / e.sum(axis=-1)[:, None]
        """,
    ),
    (
        2,
        "Each row needs its own maximum",
        """
        def answer(scores):
            e = np.exp(scores - np.max(scores))
            return e / np.sum(e, axis=1, keepdims=True)
        """,
    ),
    (
        2,
        "Your columns sum to 1",
        """
        def answer(scores):
            e = np.exp(scores - scores.max(0))
            return e / e.sum(0)
        """,
    ),
    (
        3,
        "a large number in the place of np.inf",
        """
        def answer(query, keys, values, sharpness):
            scores = keys @ query
            e = np.exp(min(sharpness, 1000) * (scores - scores.max()))
            return (e / e.sum()) @ values
        """,
    ),
    (
        3,
        "argmax takes the first",
        """
        def answer(query, keys, values, sharpness):
            scores = keys @ query
            if np.isinf(sharpness):
                return values[np.argmax(scores)]
            scores = sharpness * scores
            e = np.exp(scores - scores.max())
            return (e / e.sum()) @ values
        """,
    ),
    (
        3,
        "With np.inf you multiply infinity by 0",
        """
        def answer(query, keys, values, sharpness):
            scores = keys @ query
            scores = scores - scores.max()
            e = np.exp(scores * sharpness)
            return (e / e.sum()) @ values
        """,
    ),
]


@pytest.mark.parametrize(("n", "said", "source"), TAKEN_FOR)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_readers_own_way_of_being_wrong_is_recognised(n, said, source):
    names: dict[str, object] = {"np": np}
    exec(textwrap.dedent(source), names)
    result = grade(exercise(f"attention.lookup.{n}"), names["answer"])
    assert not result and said in (result.hint or ""), result.message

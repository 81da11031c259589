"""The references of the exercises on the next token, against Counter, torch and brute force."""

import itertools
from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.decoding import NGramModel, sequence_log_prob
from plainformer.exercises import exercise, grade

pair_counts, log_prob_of, likeliest_pair = (
    exercise(f"decoding.next_token.{n}").reference for n in range(1, 4)
)

seeds = st.integers(0, 2**32 - 1)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=20))
def test_the_pairs_are_those_of_a_counter(ids):
    got = pair_counts(np.array(ids), 4)
    want = Counter(itertools.pairwise(ids))
    assert {pair: int(n) for pair, n in np.ndenumerate(got) if n} == dict(want)


@given(st.lists(st.integers(0, 3), min_size=2, max_size=20))
def test_the_pairs_are_those_of_the_model(ids):
    got, model = pair_counts(np.array(ids), 4), NGramModel(2, vocab_size=4).fit(ids)
    for i in range(4):
        after, counts = model.followers([i])
        assert got[i].nonzero()[0].tolist() == after.tolist()
        assert got[i][after].tolist() == counts.tolist()


@given(seeds, st.integers(2, 8), st.integers(2, 6))
def test_the_log_probability_is_torchs_and_the_packages(seed, T, V):
    rng = np.random.default_rng(seed)
    logits, ids = rng.normal(size=(T, V)) * 5, rng.integers(0, V, size=T)
    loss = torch.nn.functional.cross_entropy(
        torch.tensor(logits[:-1]), torch.tensor(ids[1:]), reduction="sum"
    )
    got = log_prob_of(logits, ids)
    assert got == pytest.approx(-loss.item(), abs=1e-10)
    assert got == pytest.approx(sequence_log_prob(lambda x: logits[[x.shape[1] - 1]], ids))


@given(seeds, st.integers(2, 6))
def test_the_pair_is_the_likeliest_of_all(seed, V):
    rng = np.random.default_rng(seed)
    p, q = rng.dirichlet(np.ones(V)), rng.dirichlet(np.ones(V), size=V)
    i, j = likeliest_pair(np.log(p), np.log(q))
    assert p[i] * q[i, j] == pytest.approx(max(p[a] * q[a].max() for a in range(V)))


def test_what_numpy_returns_is_right_as_well():
    def answer(first, second):
        total = first[:, None] + second
        return np.unravel_index(np.argmax(total), total.shape)

    assert grade(exercise("decoding.next_token.3"), answer).passed

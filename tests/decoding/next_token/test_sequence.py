"""The probability of a text, against torch and against all texts of a length."""

import itertools
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.decoding import NGramModel, sequence_log_prob
from plainformer.decoding.example import EOS, ids, model, tokenizer


def toy(seed, size=3):
    """A model whose logits depend on all ids so far, in a way that nobody could guess."""

    def logits_fn(ids):
        rows = [np.random.default_rng([seed, *map(int, row)]).normal(size=size) for row in ids]
        return np.array(rows)

    return logits_fn


@given(st.integers(0, 99), st.lists(st.integers(0, 2), min_size=1, max_size=6), st.data())
def test_it_is_the_sum_of_torchs_log_probabilities(seed, text, data):
    start = data.draw(st.integers(1, len(text)))
    want = 0.0
    for t in range(start, len(text)):
        logits = torch.from_numpy(toy(seed)([text[:t]]))
        want -= torch.nn.functional.cross_entropy(logits, torch.tensor([text[t]])).item()
    assert sequence_log_prob(toy(seed), text, start) == pytest.approx(want, abs=1e-10)
    as_torch = sequence_log_prob(lambda i: torch.from_numpy(toy(seed)(i)), text, start)
    assert as_torch == pytest.approx(want, abs=1e-10)


def test_all_texts_of_a_length_share_a_probability_of_1():
    totals = [
        math.exp(sequence_log_prob(toy(5), (1, *rest)))
        for rest in itertools.product(range(3), repeat=4)
    ]
    assert len(totals) == 81 and sum(totals) == pytest.approx(1)


@given(st.lists(st.integers(0, 4), min_size=2, max_size=12), st.integers(1, 4))
def test_a_model_of_counts_says_the_same_in_one_go(text, order):
    counted = NGramModel(order, vocab_size=5).fit([0, 1, 2, 3, 4, 2, 1, 2, 3])
    want = counted.log_probs(text)[1:].sum()
    assert sequence_log_prob(counted, text) == pytest.approx(want)


def test_what_is_impossible_and_what_is_given():
    def never_1(ids):
        return np.tile([0.0, -math.inf], (len(ids), 1))

    assert sequence_log_prob(never_1, [0, 1]) == -math.inf
    assert sequence_log_prob(never_1, [0, 1], start=2) == 0
    assert sequence_log_prob(never_1, [1, 0, 0]) == 0


@pytest.mark.parametrize(
    ("text", "start", "error", "message"),
    [
        ([], 1, ValueError, r"ids must be \(T,\) ids"),
        ([0, 1], 3, ValueError, "start must be at most 2, the length of ids; got 3"),
        ([0, 3], 1, ValueError, r"ids must be from 0 to 2; got 3 at index \[1\]"),
        ([[0, 1], [1, 0]], 1, ValueError, r"ids must be one text, \(T,\); got 2 rows"),
        ("cat", 1, TypeError, "must be encoded first"),
    ],
)
def test_what_is_refused(text, start, error, message):
    with pytest.raises(error, match=message):
        sequence_log_prob(toy(0), text, start)


def test_the_model_of_the_part():
    words = tokenizer()
    assert words.vocab_size == model().vocab_size == 1024 and model().order == 4
    assert words.encode(EOS, allowed_special="all") == [0]
    assert (ids() == 0).sum() > 100 and ids()[-1] == 0
    assert not ids().flags.writeable
    assert model() is model() and words is tokenizer() and ids() is ids()
    assert words.decode(ids()[:8].tolist()).startswith('The "assert" statement')
    assert model().perplexity(ids()) < 3

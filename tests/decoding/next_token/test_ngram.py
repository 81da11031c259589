"""The n-gram model against counting in dicts, and the laws that hold whatever was counted."""

import copy
import pickle
from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.decoding import LogitsFn, NGramModel, check_logits, log_softmax, witten_bell

V = 4
texts = st.lists(st.integers(0, V - 1), min_size=1, max_size=30)
several = st.lists(texts, min_size=1, max_size=4)
orders = st.integers(1, 5)


def slowly(sequences, order, history, size=V):
    """(V,) probabilities, with nothing but a dict for each history and the formula as it stands."""
    pairs = {n: {} for n in range(order)}
    for text in sequences:
        for i, token in enumerate(text):
            for n in range(min(order - 1, i) + 1):
                pairs[n].setdefault(tuple(text[i - n : i]), Counter())[token] += 1
    row = [1 / size] * size
    for n in range(min(order - 1, len(history)) + 1):
        seen = pairs[n].get(tuple(history[len(history) - n :]))
        if seen is None:
            break
        total, kinds = seen.total(), len(seen)
        row = [(seen[w] + kinds * row[w]) / (total + kinds) for w in range(size)]
    return np.array(row)


@given(several, orders, texts)
def test_it_is_what_counting_in_dicts_gives(sequences, order, prompt):
    model = NGramModel(order, vocab_size=V).fit(sequences)
    want = slowly(sequences, order, prompt)
    np.testing.assert_allclose(np.exp(model(np.array([prompt])))[0], want, rtol=1e-12)


@given(several, orders, st.lists(texts, min_size=3, max_size=3))
def test_rows_are_log_probabilities(sequences, order, prompts):
    length = min(map(len, prompts))
    ids = np.array([prompt[:length] for prompt in prompts])
    logits = NGramModel(order, vocab_size=V).fit(sequences)(ids)
    assert logits.shape == (3, V) and np.isfinite(logits).all()
    np.testing.assert_allclose(np.exp(logits).sum(axis=-1), 1, rtol=1e-12)
    np.testing.assert_allclose(log_softmax(check_logits(logits)), logits, atol=1e-12)


@given(several, orders, texts, texts)
def test_only_the_last_tokens_matter(sequences, order, before, prompt):
    model = NGramModel(order, vocab_size=V).fit(sequences)
    seen = prompt[:1] * order + prompt  # order tokens or more
    a = model(np.array([before + seen]))
    b = model(np.array([seen[len(seen) - order + 1 :] or [0]]))
    assert (a == b).all()


@given(several, st.integers(2, 5), texts)
def test_an_unseen_history_gives_the_shorter_ones_row(sequences, order, prompt):
    model = NGramModel(order, vocab_size=V + 1).fit(sequences)  # the last id is never met
    history = [V, *(prompt * order)[: order - 2]]
    assert len(history) == order - 1 and model.followers(history)[0].size == 0
    shorter = NGramModel(order - 1, vocab_size=V + 1).fit(sequences)
    prompt = np.array([[0, *history]])
    assert (model(prompt) == shorter(prompt)).all()


@given(several, orders, texts)
def test_the_log_probabilities_of_a_text_are_those_of_its_rows(sequences, order, text):
    model = NGramModel(order, vocab_size=V).fit(sequences)
    want = [np.log(slowly(sequences, order, [])[text[0]])]
    for t in range(1, len(text)):
        want.append(model(np.array([text[:t]]))[0, text[t]])
    np.testing.assert_allclose(model.log_probs(text), want, rtol=1e-10, atol=1e-12)
    assert model.perplexity(text) == pytest.approx(np.exp(-np.mean(want)))


@given(several, orders)
def test_what_is_counted_can_be_asked_for(sequences, order):
    model = NGramModel(order, vocab_size=V).fit(sequences)
    for length in range(order):
        counted: dict[tuple, Counter] = {}
        for text in sequences:
            for i in range(length, len(text)):
                counted.setdefault(tuple(text[i - length : i]), Counter())[text[i]] += 1
        for history in counted:
            ids, counts = model.followers(history)
            assert ids.tolist() == sorted(counted[history])
            assert dict(zip(ids.tolist(), counts.tolist(), strict=True)) == counted[history]


@given(several, orders)
def test_a_model_can_be_made_again_from_its_texts(sequences, order):
    model = NGramModel(order, vocab_size=V).fit(sequences)
    assert [each.tolist() for each in model.sequences] == sequences
    again = NGramModel(order, vocab_size=V).fit(model.sequences)
    prompt = np.array([[1, 2, 3, 0, 1]])
    assert (model(prompt) == again(prompt)).all()


def test_a_uniform_model_wavers_between_all():
    model = NGramModel(1).fit(np.arange(8))
    assert model.perplexity(np.array([3, 3, 0, 7])) == pytest.approx(8)
    # A pair of tokens that always alternate: the longer it is read, the nearer to 1.
    again = NGramModel(2).fit([0, 1] * 5000)
    assert 1 < again.perplexity([0, 1] * 500) < 1.01


def test_deterministic_copied_and_fitted_again():
    rng = np.random.default_rng(0)
    ids, prompts = rng.integers(0, 9, 500), rng.integers(0, 9, (20, 5))
    model = NGramModel(3).fit(ids)
    first = model(prompts)
    assert (first == model(prompts)).all()
    assert (first == NGramModel(3).fit(ids)(prompts)).all()
    assert (first == np.concatenate([model(row[None]) for row in prompts])).all()
    assert (first == pickle.loads(pickle.dumps(model))(prompts)).all()
    assert (first == copy.deepcopy(model)(prompts)).all()
    other = rng.integers(0, 9, 500)
    assert (model.fit(other)(prompts) == NGramModel(3).fit(other)(prompts)).all()
    assert (model(prompts) != first).any()
    model(prompts)[:] = 0  # the answer is the asker's own
    assert (model(prompts) == NGramModel(3).fit(other)(prompts)).all()


def test_ids_of_any_kind():
    model = NGramModel(3).fit([3, 1, 3, 1, 2])
    assert isinstance(model, LogitsFn) and model.vocab_size == 4
    want = model(np.array([[3, 1]]))
    for ids in ([[3, 1]], torch.tensor([[3, 1]]), np.array([[3, 1]], dtype=np.uint8)):
        assert (model(ids) == want).all()
    for ids in ((3, 1, 3, 1, 2), torch.tensor([3, 1, 3, 1, 2]), np.array([[3, 1, 3, 1, 2]])):
        assert (NGramModel(3).fit(ids)([[3, 1]]) == want).all()
    assert model(np.zeros((0, 2), dtype=int)).shape == (0, 4)


def test_large_vocabularies_do_not_overflow():
    # 50,257 ** 5 is far above 2 ** 63.
    text = np.array([50_256, 50_255, 50_254, 50_253, 50_256, 50_255, 50_254, 50_253, 1, 50_254])
    model = NGramModel(6).fit(text)
    ids, counts = model.followers([50_256, 50_255, 50_254, 50_253])
    assert ids.tolist() == [1, 50_256] and counts.tolist() == [1, 1]
    assert model.followers([0, 50_255, 50_254, 50_253])[0].size == 0


def test_few_rows_are_kept():
    model = NGramModel(4, vocab_size=2**18).fit([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    model([[i] for i in range(1, 12)])
    assert sum(row.size for row in model._cached.values()) <= 2**21


def test_one_step_by_hand():
    even = np.full(4, 0.25)
    row = witten_bell(even, np.array([5, 0, 1, 0]))
    np.testing.assert_allclose(row, [5.5 / 8, 0.5 / 8, 1.5 / 8, 0.5 / 8])
    assert (witten_bell(even, np.zeros(4, dtype=int)) == even).all()


@pytest.mark.parametrize(
    ("act", "error", "message"),
    [
        (lambda: NGramModel(0), ValueError, "order must be 1 or more; got 0"),
        (lambda: NGramModel(2)([[1]]), ValueError, r"must be fitted .* call fit\(ids\) first"),
        (lambda: NGramModel(2).perplexity([1]), ValueError, "must be fitted"),
        (lambda: NGramModel(2).fit([]), ValueError, r"ids must be \(T,\) ids"),
        (lambda: NGramModel(2).fit("cat"), TypeError, "ids must be token ids; got 'cat'"),
        (lambda: NGramModel(2).fit([0.5]), TypeError, "whole numbers; got an array of float64"),
        (lambda: NGramModel(2, vocab_size=3).fit([1, 3]), ValueError, r"2; got 3 at index \[1\]"),
        (lambda: NGramModel(2).fit([1])([1]), ValueError, r"must be \(B, T\), .* shape \(1,\)"),
        (lambda: NGramModel(2).fit([1])([[2]]), ValueError, r"1; got 2 at index \[0, 0\]"),
        (lambda: NGramModel(2).fit([1])([[]]), ValueError, r"with T of at least 1; got shape"),
        (lambda: NGramModel(2).fit([1]).followers([0, 1]), ValueError, "fewer than order = 2"),
    ],
)
def test_what_is_refused(act, error, message):
    with pytest.raises(error, match=message):
        act()

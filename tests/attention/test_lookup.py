"""`lookup`: a Python dictionary, what lies between its entries, gradients, refusals."""

import re
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.attention import attention, lookup
from plainformer.inputs import one_hot

seeds = st.integers(0, 2**32 - 1)
both = pytest.mark.parametrize("make", [np.asarray, torch.asarray], ids=["NumPy", "torch"])


def numbers(seed: int, *shapes: tuple[int, ...]) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) for shape in shapes]


def refused(error: type[Exception], message: str) -> Any:
    return pytest.raises(error, match=f"^{re.escape(message)}$")


# A dictionary


def test_a_dictionary_that_translates() -> None:
    italian = {"cat": "gatto", "dog": "cane", "is": "è"}
    english = list(italian)
    keys, values = one_hot([0, 1, 2], 3), one_hot([2, 0, 1], 3)
    words = ["cane", "è", "gatto"]  # value i is one-hot at the place of its word here
    for word in english:
        answer = lookup(one_hot(english.index(word), 3), keys, values, hard=True)
        assert words[int(answer.argmax())] == italian[word]


@given(data=st.data(), n=st.integers(1, 8), seed=seeds)
def test_with_one_hot_keys_any_dictionary(data: Any, n: int, seed: int) -> None:
    (values,) = numbers(seed, (n, 3))
    order = np.random.default_rng(seed).permutation(n)
    table = {int(key): values[i] for i, key in enumerate(order)}
    queries = data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=5))
    found = lookup(one_hot(queries, n), one_hot(order, n), values, hard=True)
    np.testing.assert_array_equal(found, [table[query] for query in queries])


@both
def test_the_first_of_equal_keys(make: Any) -> None:
    keys = make([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
    values = make([[1.0], [2.0], [3.0]])
    assert lookup(make([5.0, 0.0]), keys, values, hard=True).tolist() == [2.0]
    assert lookup(make([0.0, 0.0]), keys, values, hard=True).tolist() == [1.0]


def test_the_best_key_need_not_be_the_most_alike() -> None:
    """A dot product counts lengths, too: a long key may win over the query itself."""
    keys, values = [[1.0, 0.0], [3.0, 3.0]], [[1.0], [2.0]]
    assert lookup([1.0, 0.0], keys, values, hard=True).tolist() == [2.0]


# What lies between


@both
def test_parts_of_every_value(make: Any) -> None:
    """Scores log 6, log 3 and log 1: parts as 6 to 3 to 1."""
    keys = make(np.log([[6.0, 1.0], [3.0, 1.0], [1.0, 1.0]]))
    values = make([[10.0, 0.0], [20.0, 0.0], [0.0, 50.0]])
    np.testing.assert_allclose(lookup(make([1.0, 0.0]), keys, values), [12.0, 5.0], rtol=1e-15)


def test_a_query_like_no_key_gets_the_mean() -> None:
    keys, values = np.eye(4)[:3], np.array([[1.0], [2.0], [6.0]])
    np.testing.assert_allclose(lookup([0.0, 0.0, 0.0, 9.0], keys, values), [3.0], rtol=1e-15)


@given(seed=seeds)
def test_a_long_query_is_a_hard_one(seed: int) -> None:
    query, keys, values = numbers(seed, (4,), (5, 4), (5, 2))
    first, second = np.sort(keys @ query)[::-1][:2]
    sharp = 40 / (first - second) * query  # the best score is 40 above the next
    hard = lookup(query, keys, values, hard=True)
    np.testing.assert_allclose(lookup(sharp, keys, values), hard, rtol=0, atol=1e-14)


@given(seed=seeds, n=st.integers(1, 6))
def test_an_answer_lies_among_the_values(seed: int, n: int) -> None:
    query, keys, values = numbers(seed, (4,), (n, 4), (n, 3))
    answer = lookup(query, keys, values)
    assert np.all(answer >= values.min(axis=0) - 1e-14)
    assert np.all(answer <= values.max(axis=0) + 1e-14)


@pytest.mark.parametrize("hard", [False, True])
@given(seed=seeds)
def test_entries_in_another_order(hard: bool, seed: int) -> None:
    queries, keys, values = numbers(seed, (3, 4), (6, 4), (6, 2))
    order = np.random.default_rng(seed).permutation(6)
    ours = lookup(queries, keys[order], values[order], hard=hard)
    np.testing.assert_allclose(ours, lookup(queries, keys, values, hard=hard), rtol=0, atol=1e-14)


@pytest.mark.parametrize("hard", [False, True])
@given(seed=seeds)
def test_several_queries_are_one_after_the_other(hard: bool, seed: int) -> None:
    queries, keys, values = numbers(seed, (2, 3, 4), (5, 4), (5, 2))
    ours = lookup(queries, keys, values, hard=hard)
    assert ours.shape == (2, 3, 2)
    for place in np.ndindex(2, 3):
        alone = lookup(queries[place], keys, values, hard=hard)
        np.testing.assert_allclose(ours[place], alone, rtol=0, atol=1e-14)


@given(seed=seeds)
def test_attention_is_a_lookup_with_scaled_scores(seed: int) -> None:
    queries, keys, values = numbers(seed, (3, 4), (5, 4), (5, 2))
    output, _ = attention(queries, keys, values)
    np.testing.assert_allclose(lookup(queries / 2, keys, values), output, rtol=0, atol=1e-14)


def test_kinds_of_numbers() -> None:
    keys, values = np.eye(2, dtype=np.float32), np.ones((2, 1), dtype=np.float32)
    assert lookup(np.ones(2, dtype=np.float32), keys, values).dtype == np.float32
    assert lookup(np.ones(2, dtype=np.float32), keys, values, hard=True).dtype == np.float32
    assert lookup([1, 0], [[1, 0], [0, 1]], [[3], [4]], hard=True).tolist() == [3.0]
    half = torch.eye(2, dtype=torch.float16)
    assert lookup(half, half, half, hard=True).dtype == torch.float16


# Gradients


def test_only_the_soft_one_can_learn_its_keys() -> None:
    arrays = [torch.from_numpy(x).requires_grad_() for x in numbers(0, (3, 4), (5, 4), (5, 2))]
    assert torch.autograd.gradcheck(lookup, tuple(arrays))
    query, keys, values = arrays
    gradients = torch.autograd.grad(
        lookup(query, keys, values, hard=True).sum(), arrays, allow_unused=True
    )
    assert gradients[0] is None and gradients[1] is None
    assert gradients[2] is not None and gradients[2].sum() == 6  # 3 queries, 2 numbers each

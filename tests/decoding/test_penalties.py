"""Penalties: against transformers and the published definition, their laws, what is refused."""

import math
import re
from collections import Counter
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import RepetitionPenaltyLogitsProcessor

from plainformer.attention import softmax
from plainformer.decoding import (
    count_tokens,
    frequency_penalty,
    presence_penalty,
    repetition_penalty,
)
from plainformer.decoding.example import LOGITS

seeds = st.integers(0, 2**32 - 1)
amounts = st.floats(-3, 3)
factors = st.floats(0.05, 20)
ALL = [frequency_penalty, presence_penalty, repetition_penalty]
SUBTRACT = [frequency_penalty, presence_penalty]


def refused(error: type[Exception], message: str) -> Any:
    return pytest.raises(error, match=f"^{re.escape(message)}$")


def drawn(seed: int, B: int = 3, V: int = 7, T: int = 9) -> tuple[Any, Any, Any]:
    """Logits of both signs, with a 0 and some -∞; ids; and how often each occurs."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(scale=4, size=(B, V))
    logits[rng.random((B, V)) < 0.15] = -math.inf
    logits[:, rng.integers(V)] = 0
    ids = rng.integers(0, V, size=(B, rng.integers(T)))
    return logits, ids, count_tokens(ids, V)


# Counting


@given(seed=seeds, shape=st.sampled_from([(), (3,), (2, 2), (0,), (0, 2)]), T=st.integers(0, 12))
def test_counts_are_those_of_a_counter(seed: int, shape: tuple[int, ...], T: int) -> None:
    V = 5
    ids = np.random.default_rng(seed).integers(0, V, size=(*shape, T))
    counts = count_tokens(ids, V)
    assert counts.shape == (*shape, V) and counts.dtype == np.int64
    for place in np.ndindex(shape):
        counter = Counter(ids[place].tolist())
        assert counts[place].tolist() == [counter[token] for token in range(V)]
    theirs = count_tokens(torch.from_numpy(ids), V)
    assert isinstance(theirs, torch.Tensor) and theirs.dtype == torch.int64
    np.testing.assert_array_equal(theirs.numpy(), counts)


def test_nothing_written_yet_counts_nothing() -> None:
    assert count_tokens([], 3).tolist() == [0, 0, 0]
    assert count_tokens([[], []], 2).tolist() == [[0, 0], [0, 0]]


def test_narrow_ids_do_not_overflow() -> None:
    """The fourth text of 100 words counts from place 300 on, which no 8-bit number names."""
    ids = np.full((4, 2), 99, dtype=np.int8)
    assert count_tokens(ids, 100)[:, 99].tolist() == [2, 2, 2, 2]


# Against others


@given(seed=seeds, penalty=factors)
def test_repetition_is_that_of_transformers(seed: int, penalty: float) -> None:
    logits, ids, counts = drawn(seed)
    theirs = RepetitionPenaltyLogitsProcessor(penalty)(
        torch.from_numpy(ids), torch.from_numpy(logits.copy())
    )
    np.testing.assert_array_equal(repetition_penalty(logits, counts, penalty), theirs.numpy())
    ours = repetition_penalty(torch.from_numpy(logits), torch.from_numpy(counts), penalty)
    assert torch.equal(ours, theirs)


@given(seed=seeds, alpha=amounts, beta=amounts)
def test_frequency_and_presence_are_as_published(seed: int, alpha: float, beta: float) -> None:
    """mu[j] - c[j] * alpha_frequency - float(c[j] > 0) * alpha_presence, token by token."""
    logits, ids, counts = drawn(seed)
    ours = presence_penalty(frequency_penalty(logits, counts, alpha), counts, beta)
    for row, text, penalised in zip(logits, ids.tolist(), ours, strict=True):
        for j, mu in enumerate(row):
            c = text.count(j)
            expected = mu - c * alpha - float(c > 0) * beta
            assert penalised[j] == pytest.approx(expected, rel=1e-12, abs=1e-12)


@given(seed=seeds)
def test_ctrl_divides_where_logits_are_positive(seed: int) -> None:
    """Keskar et al. 2019, section 4.1: x / (T·θ) for what was generated, at T = 1."""
    logits, _, counts = drawn(seed)
    logits = np.abs(logits)
    logits[np.isinf(logits)] = 1
    theirs = [
        [x / (1.2 if n else 1) for x, n in zip(*both, strict=True)]
        for both in zip(logits.tolist(), counts.tolist(), strict=True)
    ]
    np.testing.assert_array_equal(repetition_penalty(logits, counts, 1.2), theirs)


# Laws


@pytest.mark.parametrize("function", ALL)
@given(seed=seeds, penalty=factors)
def test_what_did_not_occur_keeps_its_logit(function: Any, seed: int, penalty: float) -> None:
    logits, _, counts = drawn(seed)
    penalised = function(logits, counts, penalty)
    np.testing.assert_array_equal(penalised[counts == 0], logits[counts == 0])
    np.testing.assert_array_equal(np.isinf(penalised), np.isinf(logits))  # -∞ stays, alone


@pytest.mark.parametrize(("function", "nothing"), list(zip(ALL, [0, 0, 1], strict=True)))
@given(seed=seeds)
def test_bit_for_bit_the_same_without_a_penalty(function: Any, nothing: int, seed: int) -> None:
    logits, _, counts = drawn(seed)
    assert function(logits, counts, nothing).tobytes() == logits.tobytes()


@given(seed=seeds, penalty=amounts)
def test_frequency_is_presence_where_nothing_came_twice(seed: int, penalty: float) -> None:
    logits, _, counts = drawn(seed)
    once = np.minimum(counts, 1)
    ours = frequency_penalty(logits, once, penalty)
    np.testing.assert_array_equal(ours, presence_penalty(logits, once, penalty))
    np.testing.assert_array_equal(ours, presence_penalty(logits, counts, penalty))


@pytest.mark.parametrize("function", SUBTRACT)
@given(seed=seeds, penalty=amounts, constant=st.floats(-50, 50))
def test_a_constant_changes_nothing_afterwards(
    function: Any, seed: int, penalty: float, constant: float
) -> None:
    logits, _, counts = drawn(seed)
    here = softmax(function(logits, counts, penalty))
    there = softmax(function(logits + constant, counts, penalty))
    np.testing.assert_allclose(there, here, rtol=0, atol=1e-12)


def test_a_constant_changes_what_the_repetition_penalty_does() -> None:
    """ "lovely" came before; 40 %. Its logit, ln 40, or ln 0.4: halved, or doubled."""
    counts = [1, 0, 0, 0, 0, 0, 0, 0]
    np.testing.assert_allclose(softmax(LOGITS), softmax(LOGITS - math.log(100)), atol=1e-15)
    positive = softmax(repetition_penalty(LOGITS, counts, 2))[0]
    negative = softmax(repetition_penalty(LOGITS - math.log(100), counts, 2))[0]
    assert positive == pytest.approx(40**0.5 / (40**0.5 + 60), rel=1e-12)  # 9.5 %
    assert negative == pytest.approx(0.4**2 / (0.4**2 + 0.6), rel=1e-12)  # 21.1 %


@given(seed=seeds, penalty=factors)
def test_order_is_kept_among_tokens_with_equal_counts(seed: int, penalty: float) -> None:
    logits, _, counts = drawn(seed)
    for function in ALL:
        penalised = function(logits, counts, penalty)
        for z, n, after in zip(logits, counts, penalised, strict=True):
            for i, j in np.ndindex(len(z), len(z)):
                if n[i] == n[j] and z[i] <= z[j]:
                    assert after[i] <= after[j]


@given(seed=seeds, penalty=factors)
def test_repetition_keeps_the_order_of_all_that_occurred(seed: int, penalty: float) -> None:
    logits, _, counts = drawn(seed)
    penalised = repetition_penalty(logits, counts, penalty)
    for z, n, after in zip(logits, counts, penalised, strict=True):
        kept = after[n > 0][np.argsort(z[n > 0], kind="stable")]
        np.testing.assert_array_equal(kept, np.sort(kept))


@pytest.mark.parametrize("function", ALL)
def test_a_penalty_lowers_and_a_reward_raises(function: Any) -> None:
    z, n = np.array([2.0, -2.0]), [1, 1]
    more, less = (1.5, 0.5) if function is repetition_penalty else (0.5, -0.5)
    assert (function(z, n, more) < z).all() and (function(z, n, less) > z).all()


@pytest.mark.parametrize("function", ALL)
def test_one_table_of_counts_for_a_batch_of_logits(function: Any) -> None:
    logits, _, counts = drawn(4)
    np.testing.assert_array_equal(
        function(logits, counts[0], 2), [function(row, counts[0], 2) for row in logits]
    )


# dtypes, libraries, gradients


@pytest.mark.parametrize("function", ALL)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_dtype_and_library_are_kept(function: Any, dtype: Any) -> None:
    for counts in (np.array([0, 2, 1]), torch.tensor([0, 2, 1]), [0, 2, 1]):
        out = function(torch.tensor([1.0, 3.0, -2.0], dtype=dtype), counts, 1.5)
        assert isinstance(out, torch.Tensor) and out.dtype == dtype
    assert function(np.ones(3, dtype=np.float32), [0, 2, 1], 1.5).dtype == np.float32
    assert function([1, 2, 3], [0, 2, 1], 1.5).dtype == np.float64


@given(seed=seeds, penalty=factors)
def test_gradients_flow(seed: int, penalty: float) -> None:
    logits, _, counts = drawn(seed)
    slopes = {
        frequency_penalty: np.ones_like(logits),
        presence_penalty: np.ones_like(logits),
        repetition_penalty: np.where(counts == 0, 1, np.where(logits > 0, 1 / penalty, penalty)),
    }
    away = logits != 0  # at 0 the repetition penalty has a kink
    for function, slope in slopes.items():
        z = torch.tensor(logits, requires_grad=True)
        out = function(z, counts, penalty)
        (gradient,) = torch.autograd.grad(out[torch.isfinite(out)].sum(), z)
        expected = np.where(np.isfinite(logits), slope, 0)
        np.testing.assert_allclose(gradient.numpy()[away], expected[away], rtol=1e-12)


def test_arguments_are_not_written_to() -> None:
    logits, ids, counts = drawn(1)
    before = [each.copy() for each in (logits, ids, counts)]
    count_tokens(ids, 7)
    for function in ALL:
        function(logits, counts, 1.5)
    for each, kept in zip((logits, ids, counts), before, strict=True):
        np.testing.assert_array_equal(each, kept)


# What is refused


def test_ids_that_are_refused() -> None:
    with refused(ValueError, "ids must be from 0 to 2; got 3 at index [1, 0]"):
        count_tokens([[0, 1], [3, 4]], 3)
    with refused(ValueError, "ids must be from 0 to 199; got 255 at index [1]"):
        count_tokens(torch.tensor([1, 255], dtype=torch.uint8), 200)


@pytest.mark.parametrize("penalty", [0, -1.2])
def test_the_repetition_penalty_is_above_0(penalty: float) -> None:
    with refused(ValueError, f"penalty must be above 0; got {float(penalty)}"):
        repetition_penalty([0.0, 1.0], [1, 0], penalty)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_penalty_beyond_the_smallest_float_makes_impossible_without_a_warning(dtype: Any) -> None:
    top = np.finfo(dtype).max
    with np.errstate(all="raise"):
        found = repetition_penalty(np.array([top, -top]), np.array([1, 1]), 2.0)
    assert found.tolist() == [float(top / 2), -math.inf]

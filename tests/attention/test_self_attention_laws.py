"""Laws of `attention`: order, shifts, scale, leading axes; and the kinds of arguments it takes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.attention.arrays import INF, NAN, both, random, seeds, sizes, some_mask
from torch.nn.functional import scaled_dot_product_attention as sdpa

from plainformer.attention import attention, causal_mask
from plainformer.inputs import alibi_bias

# Laws


@given(T=sizes, S=sizes, seed=seeds, masked=st.booleans())
def test_rows_sum_to_one(T: int, S: int, seed: int, masked: bool) -> None:
    q, k, v = random(seed, (2, T, 4), (2, S, 4), (2, S, 3))
    mask = some_mask(seed, (2, T, S)) if masked else None
    _, weights = attention(q, k, v, mask=mask)
    np.testing.assert_allclose(weights.sum(-1), 1, rtol=0, atol=1e-15 * (S + 8))
    assert weights.sum() == pytest.approx(2 * T)  # and not 1
    if masked:
        assert not weights[~mask].any() and np.all(weights >= 0)


@given(T=sizes, seed=seeds)
def test_tokens_in_another_order_come_out_in_that_order(T: int, seed: int) -> None:
    """Equivariant, not invariant: only a mean over the tokens would not notice."""
    x, w_q, w_k, w_v = random(seed, (T, 4), *[(4, 4)] * 3)
    order = np.random.default_rng(seed).permutation(T)

    def self_attention(x: Any) -> Any:
        return attention(x @ w_q, x @ w_k, x @ w_v)[0]

    np.testing.assert_allclose(self_attention(x[order]), self_attention(x)[order], atol=1e-12)


@given(S=sizes, seed=seeds)
def test_keys_in_another_order_change_nothing(S: int, seed: int) -> None:
    q, k, v, bias = random(seed, (3, 4), (S, 4), (S, 2), (3, S))
    mask = some_mask(seed, (3, S))
    order = np.random.default_rng(seed).permutation(S)
    output, weights = attention(q, k, v, mask=mask, attn_bias=bias)
    other, shuffled = attention(
        q, k[order], v[order], mask=mask[:, order], attn_bias=bias[:, order]
    )
    np.testing.assert_allclose(other, output, rtol=0, atol=1e-13)
    np.testing.assert_allclose(shuffled, weights[:, order], rtol=0, atol=1e-14)


@given(seed=seeds)
def test_one_vector_added_to_every_key_changes_nothing(seed: int) -> None:
    """Every score of a query moves by the same: softmax cannot tell. (A bias of keys is idle.)"""
    q, k, v, c = random(seed, (3, 4), (5, 4), (5, 2), (4,))
    np.testing.assert_allclose(attention(q, k + c, v)[0], attention(q, k, v)[0], atol=1e-13)


@given(seed=seeds)
def test_linear_in_the_values(seed: int) -> None:
    q, k, v, w = random(seed, (3, 4), (5, 4), (5, 2), (5, 2))
    expected = 2 * attention(q, k, v)[0] - attention(q, k, w)[0]
    np.testing.assert_allclose(attention(q, k, 2 * v - w)[0], expected, rtol=0, atol=1e-13)


@given(seed=seeds)
def test_an_output_lies_among_the_values(seed: int) -> None:
    q, k, v = random(seed, (3, 4), (5, 4), (5, 2))
    output, _ = attention(3 * q, k, v)
    assert np.all(output >= v.min(axis=0) - 1e-14) and np.all(output <= v.max(axis=0) + 1e-14)


@given(seed=seeds)
def test_scale_0_is_the_mean_of_what_is_allowed(seed: int) -> None:
    q, k, v = random(seed, (6, 4), (6, 4), (6, 2))
    output, _ = attention(q, k, v, mask=causal_mask(6), scale=0)
    means = np.cumsum(v, axis=0) / np.arange(1, 7)[:, None]
    np.testing.assert_allclose(output, means, rtol=0, atol=1e-14)


@given(seed=seeds)
def test_sequences_and_heads_do_not_know_of_each_other(seed: int) -> None:
    q, k, v = random(seed, (2, 3, 4, 5), (2, 3, 6, 5), (2, 3, 6, 2))
    mask = some_mask(seed, (2, 3, 4, 6))
    output, weights = attention(q, k, v, mask=mask)
    for place in np.ndindex(2, 3):
        alone = attention(q[place], k[place], v[place], mask=mask[place])
        np.testing.assert_allclose(output[place], alone[0], rtol=0, atol=1e-14)
        np.testing.assert_allclose(weights[place], alone[1], rtol=0, atol=1e-14)
    q[1, 2], k[1, 2], v[1, 2] = NAN, NAN, NAN  # one head is spoilt, the others are what they were
    spoilt, _ = attention(q, k, v, mask=mask)
    assert np.isnan(spoilt[1, 2]).all()
    spoilt[1, 2] = output[1, 2]
    np.testing.assert_array_equal(spoilt, output)


@both
def test_leading_axes_broadcast(make: Callable[..., Any]) -> None:
    q, k, v = (make(x) for x in random(0, (2, 3, 4, 5), (3, 6, 5), (6, 2)))
    output, weights = attention(q, k, v, mask=make(some_mask(0, (2, 1, 1, 6))))
    assert tuple(output.shape) == (2, 3, 4, 2) and tuple(weights.shape) == (2, 3, 4, 6)
    one, _ = attention(q[1, 2], k[2], v, mask=make(some_mask(0, (2, 1, 1, 6)))[1, 0])
    np.testing.assert_allclose(output[1, 2], one, rtol=0, atol=1e-14)


@given(seed=seeds)
def test_huge_scores(seed: int) -> None:
    """±10⁴ and more: no overflow, and the largest score takes all."""
    q, k, v = random(seed, (3, 4), (5, 4), (5, 2))
    output, weights = attention(1e3 * q, 1e3 * k, v)
    assert np.isfinite(output).all()
    np.testing.assert_array_equal(weights.argmax(-1), (q @ k.T).argmax(-1))


# Kinds of arguments


def test_alibis_bias_from_numpy_in_torch() -> None:
    q, k, v = (torch.rand(2, 4, 6, 8) for _ in range(3))
    output, _ = attention(q, k, v, attn_bias=alibi_bias(4, 6), mask=causal_mask(6))
    assert output.dtype == torch.float32
    bias = torch.where(torch.ones(6, 6).tril().bool(), alibi_bias(4, 6, like=q), -INF)
    torch.testing.assert_close(output, sdpa(q, k, v, attn_mask=bias), rtol=0, atol=1e-6)


def test_a_bias_may_forbid_too() -> None:
    q, k, v = random(0, (3, 4), (5, 4), (5, 2))
    mask = some_mask(0, (3, 5))
    by_bias = attention(q, k, v, attn_bias=np.where(mask, 0, -INF))
    for x, y in zip(by_bias, attention(q, k, v, mask=mask), strict=True):
        np.testing.assert_array_equal(x, y)


def test_kinds_of_numbers() -> None:
    output, weights = attention([[1, 0]], [[1, 0], [1, 0]], [[2], [4]], mask=[[True, True]])
    assert output.tolist() == [[3.0]] and weights.tolist() == [[0.5, 0.5]]
    single, double = np.ones((2, 2), dtype=np.float32), np.ones((2, 2))
    assert attention(single, single, single, attn_bias=double)[0].dtype == np.float32
    assert attention(single, double, single)[0].dtype == np.float64
    one, two = torch.ones(2, 2), torch.ones(2, 2, dtype=torch.float64)
    assert attention(one, two, one)[0].dtype == torch.float64
    assert attention(one, one, torch.asarray([[1, 0], [0, 1]]))[0].dtype == torch.float32


@both
def test_nothing_to_do(make: Callable[..., Any]) -> None:
    q, k, v = make(np.ones((0, 4))), make(np.ones((3, 4))), make(np.ones((3, 2)))
    output, weights = attention(q, k, v)
    assert tuple(output.shape) == (0, 2) and tuple(weights.shape) == (0, 3)
    q, none = make(np.ones((2, 4))), make(np.ones((0, 4)))
    output, weights = attention(q, none, none[:, :3], fully_masked="zero")
    assert output.tolist() == [[0.0] * 3] * 2 and tuple(weights.shape) == (2, 0)
    with pytest.raises(ValueError, match="every row must have a score; got shape"):
        attention(q, none, none)


def test_the_arguments_stay_as_they_were() -> None:
    arrays = [*random(0, (3, 4), (5, 4), (5, 2), (3, 5)), some_mask(0, (3, 5))]
    before = [array.copy() for array in arrays]
    q, k, v, bias, mask = arrays
    attention(q, k, v, attn_bias=bias, mask=mask)
    for array, old in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, old)

"""Numbers that are not finite, queries that may attend to nothing, and the messages of mistakes."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from tests.attention.arrays import INF, NAN, both, random, refused, seeds
from torch.nn.functional import scaled_dot_product_attention as sdpa

from plainformer.attention import (
    FullyMaskedRowError,
    attention,
    attention_backward,
    blockwise_attention,
    grouped_query_attention,
    linear_backward,
    lookup,
    multi_head_attention,
    softmax,
    softmax_backward,
)

# What is not finite


@both
@pytest.mark.parametrize("bad", [NAN, INF, -INF])
def test_a_forbidden_key_may_hold_anything(make: Callable[..., Any], bad: float) -> None:
    q, k, v = random(0, (3, 4), (5, 4), (5, 2))
    mask = np.array([True, True, False, True, False])
    spoilt = k.copy()
    spoilt[~mask] = bad
    with np.errstate(invalid="ignore"):
        ours = attention(make(q), make(spoilt), make(v), mask=mask)
    for x, y in zip(ours, attention(make(q), make(k), make(v), mask=mask), strict=True):
        np.testing.assert_array_equal(x, y)


@both
def test_a_forbidden_value_must_be_finite(make: Callable[..., Any]) -> None:
    """0 · NaN is NaN, in this formula as in torch's."""
    q, k, v = random(0, (3, 4), (5, 4), (5, 2))
    v[4] = NAN
    mask = np.ones((3, 5), dtype=bool)
    mask[:, 4] = False
    output, weights = attention(make(q), make(k), make(v), mask=mask)
    assert np.isnan(np.asarray(output)).all() and np.isfinite(np.asarray(weights)).all()
    theirs = sdpa(*(torch.from_numpy(x) for x in (q, k, v)), attn_mask=torch.from_numpy(mask))
    assert torch.isnan(theirs).all()


def test_a_nan_in_a_query_spoils_its_row_alone() -> None:
    q, k, v = random(0, (3, 4), (5, 4), (5, 2))
    for call in (lambda *x: attention(*x)[0], lambda *x: blockwise_attention(*x, block_size=2)):
        expected, spoilt = call(q, k, v), q.copy()
        spoilt[1, 0] = NAN
        output = call(spoilt, k, v)
        assert np.isnan(output[1]).all()
        np.testing.assert_array_equal(output[[0, 2]], expected[[0, 2]])


# Queries that may attend to nothing


ADVICE = '; fully_masked="zero" gives such queries weights and an output of 0'


@both
def test_a_query_that_may_attend_to_nothing_is_named(make: Callable[..., Any]) -> None:
    q, k, v = (make(x) for x in random(0, (2, 3, 4, 5), (2, 3, 6, 5), (2, 3, 6, 2)))
    mask = np.ones((2, 1, 4, 6), dtype=bool)
    mask[1, 0, 2] = False
    none = "mask must allow every query a key; it allows none for query "
    with refused(FullyMaskedRowError, none + "2 (weights[1, 0, 2, :])" + ADVICE):
        attention(q, k, v, mask=make(mask))
    with refused(FullyMaskedRowError, none + "2 (weights[1, 0, 2, :])" + ADVICE):
        grouped_query_attention(q, k[:, :1, :, :], v[:, :1, :, :], mask=make(mask))
    bias = np.where(mask, 0.0, -INF)
    message = "every row must have a score above -inf; weights[1, 0, 2, :] has none" + ADVICE
    with refused(FullyMaskedRowError, message):
        attention(q, k, v, attn_bias=make(bias))


def test_the_error_can_be_pickled() -> None:
    with pytest.raises(FullyMaskedRowError) as raised:
        softmax(np.full((2, 3), -INF))
    again = pickle.loads(pickle.dumps(raised.value))
    assert type(again) is FullyMaskedRowError and str(again) == str(raised.value)


@given(seed=seeds)
def test_empty_rows_of_zeros(seed: int) -> None:
    q, k, v = random(seed, (2, 4, 5), (2, 6, 5), (2, 6, 2))
    mask = np.random.default_rng(seed).random((2, 4, 6)) < 0.3
    lost = ~mask.any(axis=-1)
    output, weights = attention(q, k, v, mask=mask, fully_masked="zero")
    assert not output[lost].any() and not weights[lost].any()
    np.testing.assert_allclose(weights[~lost].sum(-1), 1, rtol=0, atol=1e-14)
    whole, _ = attention(q, k, v, mask=mask | lost[..., None])
    np.testing.assert_array_equal(output[~lost], whole[~lost])


# Messages, but for those that any checked function has: see test_checked_functions.py


Q, K, V = np.ones((2, 3, 4)), np.ones((2, 5, 4)), np.ones((2, 5, 6))
X, W = np.ones((2, 5, 8)), {name: np.ones((8, 8)) for name in ("w_q", "w_k", "w_v", "w_o")}
THREE = np.ones((8, 6))  # three heads of keys


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: softmax(np.zeros((2, 3)), axis=2),
            ValueError,
            "axis must be one of the 2 axes of x; got 2",
        ),
        (
            lambda: softmax(np.zeros((2, 0))),
            FullyMaskedRowError,
            "every row must have a score; got shape (2, 0)",
        ),
        (
            lambda: blockwise_attention(Q, K[:, :2], V[:, :2], causal=True),
            ValueError,
            "k must have a row, and in causal attention one for each query, because the queries "
            "are the last T of S positions; got T = 3, S = 2",
        ),
        (
            lambda: lookup(np.ones(2), np.ones((0, 2)), np.ones((0, 1)), hard=True),
            FullyMaskedRowError,
            "every row must have a score; got shape (0,)",
        ),
        (
            lambda: multi_head_attention(X, X, **W, n_heads=4, n_kv_heads=3),
            ValueError,
            "w_k must be (D_kv, n_kv_heads · K) with n_kv_heads = 3 and K = 2; got shape (8, 8)",
        ),
        (
            lambda: multi_head_attention(X, X, **{**W, "w_k": THREE, "w_v": THREE}, n_heads=4),
            ValueError,
            "n_kv_heads must divide n_heads, which is 4; got 3",
        ),
        (
            lambda: multi_head_attention(X, X, **W, n_heads=4, mask=np.ones((2, 5, 5), bool)),
            ValueError,
            "mask must broadcast to (..., n_heads, T, S) = (2, 4, 5, 5); got shape (2, 5, 5), "
            "which would have to be (2, 1, 5, 5)",
        ),
        (
            lambda: attention_backward(np.ones((3, 6)), Q, K, V),
            ValueError,
            "grad_output must have the output's shape, (2, 3, 6); got shape (3, 6)",
        ),
        (
            lambda: softmax_backward(np.ones(3), np.ones((2, 3))),
            ValueError,
            "grad_weights and weights must have the same shape; got (3,) and (2, 3)",
        ),
        (
            lambda: linear_backward(np.ones((1, 3)), np.ones((4, 5)), np.ones((5, 3))),
            ValueError,
            "grad_y and x must have the same rows; got shapes (1, 3) and (4, 5)",
        ),
    ],
)
def test_messages(call: Callable[[], Any], error: Any, message: str) -> None:
    with refused(error, message):
        call()


@both
def test_a_mask_and_a_bias_of_one_shape_mean_the_same(make: Callable[..., Any]) -> None:
    """(H, T, S) is one for each head, with 2 texts as with 3."""
    for B in (2, 3):
        q, k, v = random(0, (B, 3, 4, 5), (B, 3, 4, 5), (B, 3, 4, 2))
        per_head = random(1, (3, 4, 4))[0] > 0
        per_head = per_head | np.eye(4, dtype=bool)
        for mask in (per_head, per_head[:1], per_head[:B, None]):
            ours = attention(make(q), make(k), make(v), mask=make(mask))
            theirs = attention(make(q), make(k), make(v), attn_bias=make(np.where(mask, 0, -INF)))
            for x, y in zip(ours, theirs, strict=True):
                np.testing.assert_array_equal(x, y)
        _, weights = attention(make(q), make(k), make(v), mask=make(per_head))
        np.testing.assert_array_equal(
            np.asarray(weights) > 0, np.broadcast_to(per_head, (B, 3, 4, 4))
        )

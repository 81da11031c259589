"""The running example: sizes that fit, and heads that do what is said of them."""

import numpy as np
import pytest

from plainformer.attention import attention, example, multi_head_attention


def weights_of(w_q, w_k, w_v):
    return attention(example.X @ w_q, example.X @ w_k, example.X @ w_v)[1]


def test_a_row_for_each_token_and_both_cats_the_same():
    assert example.X.shape == (len(example.TOKENS), len(example.KINDS)) == (6, 4)
    assert (example.X[1] == example.X[5]).all() and example.TOKENS[1] == example.TOKENS[5]


def test_in_head_0_cats_look_at_lovely_and_the_others_at_the_cats():
    weights = weights_of(example.W_Q, example.W_K, example.W_V)
    assert weights[[1, 5]].argmax(axis=-1).tolist() == [4, 4]
    for asker in (0, 3, 4):  # your, a, lovely
        assert set(np.argsort(weights[asker])[-2:]) == {1, 5}


def test_in_head_1_cats_look_at_your_most_and_at_a_next():
    weights = weights_of(example.W_Q1, example.W_K1, example.W_V1)
    assert np.argsort(weights[1])[-2:].tolist() == [3, 0]
    np.testing.assert_allclose(weights[0], 1 / 6)  # who asks nothing looks at all alike


def test_both_heads_at_once_are_the_two_side_by_side():
    both = [
        np.hstack([getattr(example, f"W_{name}"), getattr(example, f"W_{name}1")]) for name in "QKV"
    ]
    output, weights = multi_head_attention(example.X, example.X, *both, example.W_O, n_heads=2)
    assert output.shape == (6, 4)
    np.testing.assert_allclose(
        weights[0], weights_of(example.W_Q, example.W_K, example.W_V), atol=1e-15
    )
    np.testing.assert_allclose(
        weights[1], weights_of(example.W_Q1, example.W_K1, example.W_V1), atol=1e-15
    )


def test_nobody_changes_the_numbers_by_accident():
    with pytest.raises(ValueError):
        example.X[0, 0] = 1

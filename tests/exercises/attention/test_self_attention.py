"""The references of the exercises on self-attention, against torch, the package and counting."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import scaled_dot_product_attention
from torch.utils.flop_counter import FlopCounterMode

from plainformer.attention import attention
from plainformer.attention.example import W_K, W_Q, W_V, X
from plainformer.exercises import exercise, grade

read_weights, attend, choose_weights, count_work = (
    exercise(f"attention.self_attention.{n}").reference for n in range(1, 5)
)

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 7)


@given(seeds, sizes)
def test_the_weights_are_read_as_torch_reads_them(seed, n):
    weights = np.random.default_rng(seed).dirichlet(np.ones(n), size=n)
    looks_at, popular = read_weights(weights)
    tensor = torch.tensor(weights)
    assert looks_at == tensor.max(dim=1).indices.tolist()
    assert popular == int(tensor.sum(dim=0).max(dim=0).indices)


def test_on_the_running_sentence():
    output, weights = attention(X @ W_Q, X @ W_K, X @ W_V)
    assert read_weights(weights) == ([1, 4, 1, 1, 1, 4], 4)
    np.testing.assert_allclose(attend(X @ W_Q, X @ W_K, X @ W_V), output, rtol=0, atol=1e-12)


@given(seeds, sizes, sizes, sizes, sizes, st.sampled_from([0.1, 1.0, 100.0]))
def test_attention_is_that_of_torch(seed, n_queries, n_keys, width, deep, size):
    rng = np.random.default_rng(seed)
    q, k = size * rng.normal(size=(n_queries, width)), size * rng.normal(size=(n_keys, width))
    v = rng.normal(size=(n_keys, deep))
    theirs = scaled_dot_product_attention(*(torch.tensor(x)[None] for x in (q, k, v)))[0]
    np.testing.assert_allclose(attend(q, k, v), theirs.numpy(), rtol=0, atol=1e-9)


@given(st.integers(2, 9).flatmap(lambda n: st.lists(st.integers(0, n - 1), min_size=n, max_size=n)))
def test_the_chosen_weights_make_the_packages_attention_look_there(wanted):
    w_q, w_k = choose_weights(wanted)
    x = np.eye(len(wanted))
    _, weights = attention(x @ w_q, x @ w_k, x)
    assert weights.argmax(axis=1).tolist() == wanted
    assert weights.max(axis=1).min() >= 0.9


@given(st.integers(1, 20), st.integers(1, 20), st.integers(1, 20))
def test_the_work_is_what_torch_counts(length, d_model, width):
    x, w = torch.zeros(length, d_model), torch.zeros(3, d_model, width)
    before, attending, n_weights = count_work(length, d_model, width)
    with FlopCounterMode(display=False) as projecting:
        q, k, v = (x @ matrix for matrix in w)
    with FlopCounterMode(display=False) as looking:
        _, weights = attention(q, k, v)
    # torch counts a multiplication and an addition for each product.
    assert projecting.get_total_flops() == 2 * before
    assert looking.get_total_flops() == 2 * attending
    assert weights.numel() == n_weights


@pytest.mark.parametrize("width", [1, 2, 5])
def test_any_width_will_do_that_makes_the_tokens_look(width):
    def answer(wanted):
        angle = np.pi * np.arange(len(wanted)) / len(wanted) if width > 1 else 0 * np.array(wanted)
        w_k = np.zeros((len(wanted), width))
        w_k[:, :2] = np.stack([np.cos(angle), np.sin(angle)], axis=1)[:, :width]
        return 400 * w_k[wanted], w_k

    result = grade(exercise("attention.self_attention.3"), answer)
    assert result.passed == (width > 1), result.message


@pytest.mark.parametrize(
    ("said", "matrices"),
    [
        ("two arrays, (W_q, W_k)", lambda n: np.eye(n)),
        ("W_q should be a NumPy array", lambda n: (np.eye(n).tolist(), np.eye(n))),
        ("W_k should have 2 rows", lambda n: (np.eye(n), np.ones((1, n)))),
        ("equally wide", lambda n: (np.eye(n), np.ones((n, n + 1)))),
        ("W_q holds a NaN", lambda n: (np.full((n, n), np.nan), np.eye(n))),
        ("too large", lambda n: (np.full((n, n), 1e300), np.full((n, n), 1e300))),
        (
            "gives token 0 0.500 of its attention, less than 0.9",
            lambda n: (np.zeros((n, 1)), np.zeros((n, 1))),
        ),
    ],
)
def test_matrices_that_cannot_be_right_are_told_why(said, matrices):
    result = grade(exercise("attention.self_attention.3"), lambda wanted: matrices(len(wanted)))
    assert not result and said in result.message, result.message

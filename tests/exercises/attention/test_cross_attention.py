"""The references of the exercises on cross-attention, against the package and torch."""

import textwrap

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import scaled_dot_product_attention

from plainformer.attention import attention, padding_mask
from plainformer.exercises import exercise, grade

read_map, ask_source, ask_sources = (
    exercise(f"attention.cross_attention.{n}").reference for n in range(1, 4)
)

seeds = st.integers(0, 2**32 - 1)
small = st.integers(1, 5)


@given(seeds, small, small, small)
def test_a_map_is_read_as_it_was_drawn(seed, T, S, D):
    """Sources at right angles and targets that copy them: who is copied is looked at most."""
    rng = np.random.default_rng(seed)
    chosen = rng.integers(S, size=T)
    source = [f"source {j}" for j in range(S)]
    target = [f"target {i}" for i in range(T)]
    _, weights = attention(D * np.eye(S)[chosen], np.eye(S), np.eye(S))
    assert read_map(weights, target, source) == [
        (f"target {i}", f"source {chosen[i]}") for i in range(T)
    ]


@given(seeds, small, small, small, small)
def test_one_text_asks_another_as_in_the_package_and_torch(seed, T, S, D, K):
    rng = np.random.default_rng(seed)
    x_target, x_source = rng.normal(size=(T, D)), rng.normal(size=(S, D))
    w_q, w_k, w_v = rng.normal(size=(3, D, K))
    found = ask_source(x_target, x_source, w_q, w_k, w_v)
    qkv = x_target @ w_q, x_source @ w_k, x_source @ w_v
    np.testing.assert_allclose(found, attention(*qkv)[0], rtol=0, atol=1e-12)
    theirs = scaled_dot_product_attention(*(torch.tensor(x)[None] for x in qkv))
    np.testing.assert_allclose(found, theirs[0].numpy(), rtol=0, atol=1e-11)


@given(seeds, small, small, small, small)
def test_padding_is_left_out_as_in_the_package_and_torch(seed, B, T, S, K):
    rng = np.random.default_rng(seed)
    q, k, v = (rng.normal(size=(B, rows, K)) for rows in (T, S, S))
    lengths = rng.integers(1, S + 1, size=B)
    ids = (np.arange(S) < lengths[:, None]).astype(int)  # 1 for a word, 0 for padding
    mask = padding_mask(ids, pad_id=0)
    found = ask_sources(q, k, v, lengths)
    np.testing.assert_allclose(found, attention(q, k, v, mask=mask)[0], rtol=0, atol=1e-12)
    theirs = scaled_dot_product_attention(
        *(torch.tensor(x) for x in (q, k, v)), attn_mask=torch.tensor(mask)
    )
    np.testing.assert_allclose(found, theirs.numpy(), rtol=0, atol=1e-12)
    noise = np.where(mask.swapaxes(1, 2), 0.0, 1e3)
    assert (ask_sources(q, k + noise, v + noise, lengths) == found).all()


# Answers as readers write them, wrong in a known way: a mistake, and what is said of it.
TAKEN_FOR = [
    (
        1,
        "It is the target that asks",
        """
        def answer(weights, target, source):
            pairs = []
            for j in range(len(source)):
                pairs.append((target[weights[:, j].argmax()], source[j]))
            return pairs
        """,
    ),
    (
        1,
        "the target word comes first",
        """
        def answer(weights, target, source):
            return [(source[row.argmax()], word) for row, word in zip(weights, target)]
        """,
    ),
    (
        2,
        "You let the source ask the target",
        """
        def answer(x_target, x_source, w_q, w_k, w_v):
            Q, K, V = x_source @ w_q, x_target @ w_k, x_target @ w_v
            e = np.exp(Q @ K.T / np.sqrt(K.shape[-1]))
            return e / e.sum(-1, keepdims=True) @ V
        """,
    ),
    (
        2,
        "did you let the source ask, and turn the scores",
        """
        def answer(x_target, x_source, w_q, w_k, w_v):
            Q, K, V = x_source @ w_q, x_target @ w_k, x_source @ w_v
            e = np.exp((Q @ K.T).T / np.sqrt(K.shape[-1]))
            return e / e.sum(-1, keepdims=True) @ V
        """,
    ),
    (
        2,
        "keepdims=True makes them",
        """
        def answer(x_target, x_source, w_q, w_k, w_v):
            Q, K, V = x_target @ w_q, x_source @ w_k, x_source @ w_v
            scores = Q @ K.T / np.sqrt(w_k.shape[-1])
            e = np.exp(scores)
            weights = e / e.sum(axis=-1)
            return weights @ V
        """,
    ),
    (
        2,
        "All your weights together sum to 1",
        """
        def answer(x_target, x_source, w_q, w_k, w_v):
            Q, K, V = x_target @ w_q, x_source @ w_k, x_source @ w_v
            e = np.exp(Q @ K.T / K.shape[-1] ** 0.5)
            return e / np.sum(e) @ V
        """,
    ),
    (
        2,
        "Your scores are (S, T)",
        """
        def answer(x_target, x_source, w_q, w_k, w_v):
            Q, K, V = x_target @ w_q, x_source @ w_k, x_source @ w_v
            scores = K @ Q.T / np.sqrt(K.shape[-1])
            e = np.exp(scores)
            return (e / e.sum(-1, keepdims=True)) @ V
        """,
    ),
    (
        2,
        "the root of the number of source tokens",
        """
        def answer(x_target, x_source, w_q, w_k, w_v):
            Q, K, V = x_target @ w_q, x_source @ w_k, x_source @ w_v
            e = np.exp(Q @ K.T / np.sqrt(len(K)))
            return e / e.sum(-1, keepdims=True) @ V
        """,
    ),
    (
        2,
        "where is the softmax?",
        """
        def answer(x_target, x_source, w_q, w_k, w_v):
            Q, K, V = x_target @ w_q, x_source @ w_k, x_source @ w_v
            return (Q @ K.T / np.sqrt(K.shape[-1])) @ V
        """,
    ),
    (
        3,
        "A score of 0 is not nothing",
        """
        def answer(q, k, v, lengths):
            scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])
            for b, n in enumerate(lengths):
                scores[b, :, n:] = 0
            e = np.exp(scores)
            return e / e.sum(-1, keepdims=True) @ v
        """,
    ),
    (
        3,
        "the weights that are left no longer sum to 1",
        """
        def answer(q, k, v, lengths):
            e = np.exp(q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1]))
            w = e / e.sum(-1, keepdims=True)
            for b, n in enumerate(lengths):
                w[b, :, n:] = 0
            return w @ v
        """,
    ),
    (
        3,
        "Your mask is (B, S) against",
        """
        def answer(q, k, v, lengths):
            scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
            real = np.arange(k.shape[1]) < lengths[:, None]
            scores = np.where(real, scores, -np.inf)
            e = np.exp(scores - scores.max(-1, keepdims=True))
            return e / e.sum(-1, keepdims=True) @ v
        """,
    ),
    (
        3,
        "A large negative number is not",
        """
        def answer(q, k, v, lengths):
            scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
            real = np.arange(k.shape[1]) < lengths[:, None]
            scores = np.where(real[:, None], scores, -100)
            e = np.exp(scores - scores.max(-1, keepdims=True))
            return e / e.sum(-1, keepdims=True) @ v
        """,
    ),
    (
        3,
        "You take a large number off",
        """
        def answer(q, k, v, lengths):
            scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
            real = np.arange(k.shape[1]) < lengths[:, None]
            scores = scores + np.where(real, 0, -100)[:, None]
            e = np.exp(scores - scores.max(-1, keepdims=True))
            return e / e.sum(-1, keepdims=True) @ v
        """,
    ),
    (
        3,
        "Hidden after the exponentials",
        """
        def answer(q, k, v, lengths):
            scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
            real = np.arange(k.shape[1]) < lengths[:, None]
            e = np.exp(scores - scores.max(-1, keepdims=True)) * real[:, None]
            return e / e.sum(-1, keepdims=True) @ v
        """,
    ),
    (
        3,
        "k.T turns all three axes round",
        """
        def answer(q, k, v, lengths):
            scores = q @ k.T / np.sqrt(q.shape[-1])
            real = np.arange(k.shape[1]) < lengths[:, None]
            scores = np.where(real[:, None], scores, -np.inf)
            e = np.exp(scores - scores.max(-1, keepdims=True))
            return e / e.sum(-1, keepdims=True) @ v
        """,
    ),
]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # theirs
@pytest.mark.parametrize(("n", "said", "source"), TAKEN_FOR)
def test_a_readers_own_way_of_being_wrong_is_recognised(n, said, source):
    names: dict[str, object] = {"np": np}
    exec(textwrap.dedent(source), names)
    result = grade(exercise(f"attention.cross_attention.{n}"), names["answer"])
    assert not result and said in (result.hint or ""), result.message

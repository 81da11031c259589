"""The references of the exercises on multi-head attention, against the package and torch."""

import textwrap

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import multi_head_attention_forward, scaled_dot_product_attention

from plainformer.attention import merge_heads, split_heads
from plainformer.exercises import exercise, grade

cut_heads, mix_heads, many_heads, shared_heads = (
    exercise(f"attention.multi_head.{n}").reference for n in range(1, 5)
)

seeds = st.integers(0, 2**32 - 1)
small = st.integers(1, 4)


def close(ours, theirs):
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


@given(seeds, small, small, small)
def test_the_cut_and_the_mix_are_those_of_the_package(seed, H, T, K):
    rng = np.random.default_rng(seed)
    x, w_o = rng.normal(size=(T, H * K)), rng.normal(size=(H * K, H * K))
    heads = cut_heads(x, H)
    assert (heads == split_heads(x, H)).all()
    close(mix_heads(heads, w_o), merge_heads(heads) @ w_o)
    close(mix_heads(heads, w_o), x @ w_o)  # cut and put together again: nothing has happened


@given(seeds, small, small, small, small)
def test_the_heads_are_those_of_torchs_own_layer(seed, H, T, S, K):
    rng = np.random.default_rng(seed)
    D = H * K
    q, k, v = (rng.normal(size=(rows, D)) for rows in (T, S, S))
    eye, zeros = torch.eye(D, dtype=torch.float64), torch.zeros(D, dtype=torch.float64)
    theirs, _ = multi_head_attention_forward(
        *(torch.tensor(x)[:, None] for x in (q, k, v)), D, H, torch.cat([eye] * 3), None, None,
        None, False, 0.0, eye, zeros,
    )  # fmt: skip
    close(many_heads(q, k, v, H), theirs[:, 0].numpy())


@given(seeds, small, small, small, small, small)
def test_shared_keys_are_torchs_grouped_queries(seed, G, share, T, S, K):
    rng = np.random.default_rng(seed)
    shapes = ((G * share, T, K), (G, S, K), (G, S, K))
    q, k, v = (rng.normal(size=shape) for shape in shapes)
    theirs = scaled_dot_product_attention(
        *(torch.tensor(x)[None] for x in (q, k, v)), enable_gqa=True
    )
    close(shared_heads(q, k, v), theirs[0].numpy())


# Answers as readers write them, wrong in a known way: a mistake, and what is said of it.
TAKEN_FOR = [
    (
        1,
        "A reshape straight to (H, T, K)",
        """
        def answer(x, n_heads):
            T, D = x.shape
            return x.reshape(n_heads, T, D // n_heads)
        """,
    ),
    (
        1,
        "the axes stand as (T, H, K)",
        """
        def answer(x, n_heads):
            return np.array([np.split(row, n_heads) for row in x])
        """,
    ),
    (
        2,
        "puts numbers of different tokens",
        """
        def answer(heads, w_o):
            H, T, K = heads.shape
            return heads.reshape(T, H * K) @ w_o
        """,
    ),
    (
        2,
        "Tokens are rows here",
        """
        def answer(heads, w_o):
            row = np.concatenate([head for head in heads], axis=-1)
            return np.einsum("ij,kj->ik", row, w_o)
        """,
    ),
    (
        3,
        "You divide by √D",
        """
        def answer(q, k, v, n_heads):
            D = q.shape[-1]
            K = D // n_heads
            out = []
            for h in range(n_heads):
                s = slice(h * K, h * K + K)
                w = np.exp(q[:, s] @ k[:, s].T / np.sqrt(D))
                out.append(w / w.sum(-1, keepdims=True) @ v[:, s])
            return np.hstack(out)
        """,
    ),
    (
        3,
        "The scores are not scaled",
        """
        def answer(q, k, v, n_heads):
            parts = [np.split(x, n_heads, axis=-1) for x in (q, k, v)]
            out = []
            for a, b, c in zip(*parts):
                w = np.exp(a @ b.T)
                out.append(w / w.sum(-1, keepdims=True) @ c)
            return np.concatenate(out, axis=-1)
        """,
    ),
    (
        3,
        "sum to 1 over the whole matrix",
        """
        def answer(q, k, v, n_heads):
            parts = [np.split(x, n_heads, axis=1) for x in (q, k, v)]
            out = []
            for a, b, c in zip(*parts):
                e = np.exp(a @ b.T / np.sqrt(a.shape[1]))
                out.append(e / e.sum() @ c)
            return np.hstack(out)
        """,
    ),
    (
        3,
        "You divide by √S",
        """
        def answer(q, k, v, n_heads):
            T, D = q.shape
            q, k, v = (x.reshape(len(x), n_heads, -1).transpose(1, 0, 2) for x in (q, k, v))
            w = np.exp(q @ k.transpose(0, 2, 1) / np.sqrt(k.shape[1]))
            w = w / w.sum(-1, keepdims=True)
            return (w @ v).transpose(1, 0, 2).reshape(T, D)
        """,
    ),
    (
        3,
        "You divide by √H",
        """
        def answer(q, k, v, n_heads):
            T, D = q.shape
            q, k, v = (x.reshape(len(x), n_heads, -1).transpose(1, 0, 2) for x in (q, k, v))
            w = np.exp(q @ k.transpose(0, 2, 1) / len(q) ** 0.5)
            w = w / w.sum(-1, keepdims=True)
            return (w @ v).transpose(1, 0, 2).reshape(T, D)
        """,
    ),
    (
        3,
        "one after the other",
        """
        def answer(q, k, v, n_heads):
            q, k, v = (np.array(np.split(x, n_heads, axis=1)) for x in (q, k, v))
            w = np.exp(q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1]))
            return w / w.sum(-1, keepdims=True) @ v
        """,
    ),
    (
        3,
        "one below the other",
        """
        def answer(q, k, v, n_heads):
            parts = [np.split(x, n_heads, axis=1) for x in (q, k, v)]
            out = []
            for a, b, c in zip(*parts):
                e = np.exp(a @ b.T / np.sqrt(a.shape[1]))
                out.append(e / e.sum(1, keepdims=True) @ c)
            return np.vstack(out)
        """,
    ),
    (
        3,
        "the values of head 0",
        """
        def answer(q, k, v, n_heads):
            K = q.shape[1] // n_heads
            out = []
            for h in range(n_heads):
                s = slice(h * K, h * K + K)
                e = np.exp(q[:, s] @ k[:, s].T / np.sqrt(K))
                out.append(e / e.sum(1, keepdims=True) @ v[:, :K])
            return np.hstack(out)
        """,
    ),
    (
        3,
        "its own part of the sentence",
        """
        def answer(q, k, v, n_heads):
            out = []
            for a, b, c in zip(*(np.array_split(x, n_heads) for x in (q, k, v))):
                e = np.exp(a @ b.T / np.sqrt(a.shape[1]))
                out.append(e / e.sum(1, keepdims=True) @ c)
            return np.concatenate(out)
        """,
    ),
    (
        3,
        "its own part of the keys",
        """
        def answer(q, k, v, n_heads):
            K, out = q.shape[1] // n_heads, []
            for h, rows in enumerate(np.array_split(np.arange(len(k)), n_heads)):
                s = slice(h * K, h * K + K)
                e = np.exp(q[:, s] @ k[rows, s].T / np.sqrt(K))
                out.append(e / e.sum(1, keepdims=True) @ v[rows, s])
            return np.hstack(out)
        """,
    ),
    (
        4,
        "sum to 1 over the whole matrix",
        """
        def answer(q, k, v):
            out = []
            for h in range(len(q)):
                g = h * len(k) // len(q)
                e = np.exp(q[h] @ k[g].T / np.sqrt(q.shape[2]))
                out.append(e / np.sum(e) @ v[g])
            return np.array(out)
        """,
    ),
    (
        4,
        "You deal the keys out in turn",
        """
        def answer(q, k, v):
            n = len(q) // len(k)
            k, v = np.tile(k, (n, 1, 1)), np.tile(v, (n, 1, 1))
            w = np.exp(q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1]))
            return w / w.sum(-1, keepdims=True) @ v
        """,
    ),
]


@pytest.mark.parametrize(("n", "said", "source"), TAKEN_FOR)
def test_a_readers_own_way_of_being_wrong_is_recognised(n, said, source):
    names: dict[str, object] = {"np": np}
    exec(textwrap.dedent(source), names)
    result = grade(exercise(f"attention.multi_head.{n}"), names["answer"])
    assert not result and said in (result.hint or ""), result.message


def test_the_widths_of_keys_and_queries_fit_whatever_their_numbers():
    """Cross-attention asks T queries of S keys: neither function counts on T = S."""
    rng = np.random.default_rng(0)
    assert many_heads(*(rng.normal(size=(n, 6)) for n in (2, 5, 5)), 3).shape == (2, 6)
    assert shared_heads(rng.normal(size=(4, 2, 3)), *rng.normal(size=(2, 2, 5, 3))).shape == (
        4,
        2,
        3,
    )

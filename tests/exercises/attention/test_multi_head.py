"""The references of the exercises on multi-head attention, against the package and torch."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import multi_head_attention_forward, scaled_dot_product_attention

from plainformer.attention import merge_heads, split_heads
from plainformer.exercises import exercise

reshape_to_heads, project_heads, attention_by_heads, grouped_attention = (
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
    heads = reshape_to_heads(x, H)
    assert (heads == split_heads(x, H)).all()
    close(project_heads(heads, w_o), merge_heads(heads) @ w_o)
    close(project_heads(heads, w_o), x @ w_o)  # cut and put together again: nothing has happened


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
    close(attention_by_heads(q, k, v, H), theirs[:, 0].numpy())


@given(seeds, small, small, small, small, small)
def test_shared_keys_are_torchs_grouped_queries(seed, G, share, T, S, K):
    rng = np.random.default_rng(seed)
    shapes = ((G * share, T, K), (G, S, K), (G, S, K))
    q, k, v = (rng.normal(size=shape) for shape in shapes)
    theirs = scaled_dot_product_attention(
        *(torch.tensor(x)[None] for x in (q, k, v)), enable_gqa=True
    )
    close(grouped_attention(q, k, v), theirs[0].numpy())


def test_the_widths_of_keys_and_queries_fit_whatever_their_numbers():
    """Cross-attention asks T queries of S keys: neither function counts on T = S."""
    rng = np.random.default_rng(0)
    assert attention_by_heads(*(rng.normal(size=(n, 6)) for n in (2, 5, 5)), 3).shape == (2, 6)
    assert grouped_attention(rng.normal(size=(4, 2, 3)), *rng.normal(size=(2, 2, 5, 3))).shape == (
        4,
        2,
        3,
    )

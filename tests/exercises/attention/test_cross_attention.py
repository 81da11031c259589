"""The references of the exercises on cross-attention, against the package and torch."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import scaled_dot_product_attention

from plainformer.attention import attention, padding_mask
from plainformer.exercises import exercise

read_map, cross_attention, batched_cross_attention = (
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
    found = cross_attention(x_target, x_source, w_q, w_k, w_v)
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
    mask = padding_mask(ids, pad_token_id=0, heads=False)
    found = batched_cross_attention(q, k, v, lengths)
    np.testing.assert_allclose(found, attention(q, k, v, mask=mask)[0], rtol=0, atol=1e-12)
    theirs = scaled_dot_product_attention(
        *(torch.tensor(x) for x in (q, k, v)), attn_mask=torch.tensor(mask)
    )
    np.testing.assert_allclose(found, theirs.numpy(), rtol=0, atol=1e-12)
    noise = np.where(mask.swapaxes(1, 2), 0.0, 1e3)
    assert (batched_cross_attention(q, k + noise, v + noise, lengths) == found).all()

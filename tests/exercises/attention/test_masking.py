"""The references of the exercises on masking, against the package, transformers and torch."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers.masking_utils import sdpa_mask

from plainformer.attention import attention, causal_mask, combine_masks, padding_mask
from plainformer.exercises import exercise, grade

which_mask, causal_mask_after, decoder_mask, mean_loss = (
    exercise(f"attention.masking.{n}").reference for n in range(1, 5)
)

seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(2, 7), st.booleans(), st.booleans())
def test_the_mask_of_an_attention_map_is_recognised(seed, T, causal, padding):
    rng = np.random.default_rng(seed)
    ids = np.ones(T, dtype=int)
    if padding and T > 2:
        ids[1 + rng.permutation(T - 1)[: rng.integers(1, T - 1)]] = 0
    q, k = rng.normal(size=(2, T, 3))
    mask = combine_masks(causal_mask(T) if causal else None, padding_mask(ids, 0, heads=False))
    _, weights = attention(q, k, k, mask=mask)
    hidden = bool((ids == 0).any())
    want = {(False, False): "none", (True, False): "causal"}
    want |= {(False, True): "padding", (True, True): "both"}
    assert which_mask(weights) == want[causal, hidden]


@given(st.integers(1, 9), st.integers(0, 9))
def test_the_causal_mask_is_that_of_transformers(T, offset):
    theirs = sdpa_mask(1, T, offset + T, q_offset=offset, allow_is_causal_skip=False)
    np.testing.assert_array_equal(causal_mask_after(T, offset), theirs[0, 0].numpy())


@given(seeds, st.integers(1, 3), st.integers(1, 7))
def test_both_masks_are_those_of_the_package_and_no_row_is_empty(seed, B, T):
    rng = np.random.default_rng(seed)
    ids = rng.integers(0, 3, size=(B, T))
    got = decoder_mask(ids, 0)
    both = combine_masks(causal_mask(T), padding_mask(ids, 0))
    np.testing.assert_array_equal(got, both | np.eye(T, dtype=bool))
    real = np.broadcast_to((ids != 0)[:, None, :, None], got.shape)
    np.testing.assert_array_equal(got[real], both[real])  # real queries: nothing added
    assert got.any(axis=-1).all()
    q = rng.normal(size=(B, 2, T, 4))
    assert np.isfinite(attention(q, q, q, mask=got)[0]).all()


@given(seeds, st.integers(1, 4), st.integers(1, 6), st.sampled_from([0, 4, -100]))
def test_the_mean_loss_is_torchs_cross_entropy(seed, B, T, pad_token_id):
    rng = np.random.default_rng(seed)
    logits = torch.tensor(rng.normal(size=(B, 5, T)))
    targets = rng.integers(0, 5, size=(B, T))
    targets[rng.random((B, T)) < 0.4] = pad_token_id
    targets[0, 0] = 2
    asked = torch.tensor(targets)
    each = torch.nn.functional.cross_entropy(logits, asked.clamp(min=0), reduction="none")
    theirs = torch.nn.functional.cross_entropy(logits, asked, ignore_index=pad_token_id)
    losses = np.where(targets == pad_token_id, np.nan, each.numpy())
    assert mean_loss(losses, targets, pad_token_id) == pytest.approx(theirs.item(), rel=1e-12)


def test_a_mean_may_be_a_number_of_numpys():
    answer = exercise("attention.masking.4")
    assert grade(answer, lambda x, t, p: x[t != p].mean()).passed

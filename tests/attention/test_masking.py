"""Masks: what they allow, torch's and transformers' masks, what they do to attention, refusals."""

import re
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers.masking_utils import sdpa_mask

from plainformer.attention import attention, causal_mask, combine_masks, padding_mask

seeds = st.integers(0, 2**32 - 1)
lengths = st.integers(0, 9)
T, F = True, False


def refused(error: type[Exception], message: str) -> Any:
    return pytest.raises(error, match=f"^{re.escape(message)}$")


# Causal


@given(n=lengths, offset=lengths, more=lengths)
def test_a_query_sees_its_own_key_and_those_before(n: int, offset: int, more: int) -> None:
    mask = causal_mask(n, offset + n + more, offset=offset)
    assert mask.shape == (n, offset + n + more) and mask.dtype == np.bool_
    for i in range(n):
        for j in range(offset + n + more):
            assert mask[i, j] == (j <= offset + i)


@given(n=lengths, offset=lengths)
def test_after_others_the_last_rows_of_the_whole(n: int, offset: int) -> None:
    """As with a cache: the tokens before are there as keys, and ask nothing any more."""
    np.testing.assert_array_equal(causal_mask(n, offset=offset), causal_mask(offset + n)[offset:])


@given(n=lengths)
def test_causal_is_torchs_lower_triangle(n: int) -> None:
    ours = causal_mask(n, like=torch.zeros(1))
    assert torch.equal(ours, torch.ones(n, n, dtype=torch.bool).tril())


@pytest.mark.parametrize(("n", "offset"), [(5, 0), (1, 7), (3, 4)])
def test_causal_is_that_of_transformers(n: int, offset: int) -> None:
    theirs = sdpa_mask(1, n, offset + n, q_offset=offset, allow_is_causal_skip=False)
    assert theirs is not None and theirs.shape == (1, 1, n, offset + n)
    np.testing.assert_array_equal(causal_mask(n, offset=offset), theirs[0, 0].numpy())


def test_more_keys_do_not_move_the_queries() -> None:
    assert causal_mask(2, 4).tolist() == [[T, F, F, F], [T, T, F, F]]
    assert causal_mask(2, 4, offset=1).tolist() == [[T, T, F, F], [T, T, T, F]]


def test_like_another_array() -> None:
    mask = causal_mask(2, like=torch.zeros(1, device="meta"))
    assert mask.device.type == "meta" and mask.dtype == torch.bool
    assert isinstance(causal_mask(2, like=np.zeros(1, dtype=np.float32)), np.ndarray)


# Padding


@given(seed=seeds, pad_token_id=st.integers(0, 3))
def test_a_key_is_allowed_unless_it_is_padding(seed: int, pad_token_id: int) -> None:
    ids = np.random.default_rng(seed).integers(0, 4, size=(3, 5))
    mask = padding_mask(ids, pad_token_id, heads=False)
    assert mask.shape == (3, 1, 5) and mask.dtype == np.bool_
    for b in range(3):
        assert mask[b, 0].tolist() == [token != pad_token_id for token in ids[b].tolist()]
    theirs = padding_mask(torch.from_numpy(ids), pad_token_id, heads=False)
    assert isinstance(theirs, torch.Tensor) and theirs.dtype == torch.bool
    np.testing.assert_array_equal(theirs.numpy(), mask)
    np.testing.assert_array_equal(padding_mask(ids, pad_token_id), mask[:, None])


def test_padding_on_either_side() -> None:
    ids = [[7, 8, 0], [0, 7, 8], [7, 0, 8]]
    assert padding_mask(ids, 0, heads=False).tolist() == [[[T, T, F]], [[F, T, T]], [[T, F, T]]]
    assert padding_mask([7, 8, -1], -1).tolist() == [[[T, T, F]]]  # one text, no batch


def test_lengths_instead_of_ids() -> None:
    """As the docstring says."""
    ids, S = np.array([[5, 6, 7], [5, 0, 0]]), 3
    np.testing.assert_array_equal(
        np.arange(S) < np.asarray([3, 1])[:, None, None, None], padding_mask(ids, 0)
    )


@given(seed=seeds, left=st.booleans())
def test_both_together_are_those_of_transformers(seed: int, left: bool) -> None:
    real = np.arange(6) < np.random.default_rng(seed).integers(1, 7, size=(4, 1))  # (B, S)
    real = real[:, ::-1].copy() if left else real
    ours = combine_masks(causal_mask(6), padding_mask(np.where(real, 5, 0), 0))
    theirs = sdpa_mask(4, 6, 6, attention_mask=torch.from_numpy(real), allow_is_causal_skip=False)
    assert ours is not None and theirs is not None
    np.testing.assert_array_equal(ours, theirs.numpy())


# Together


@given(seed=seeds)
def test_combined_is_what_all_allow(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b, c = (rng.random(shape) < 0.6 for shape in [(4, 5), (3, 1, 5), (2, 1, 1, 1)])
    combined = combine_masks(a, b, c)
    assert combined is not None and combined.shape == (2, 3, 4, 5)
    np.testing.assert_array_equal(combined, np.logical_and(np.logical_and(a, b), c))
    np.testing.assert_array_equal(combine_masks(c, None, b, a), combined)


def test_none_allows_all() -> None:
    mask = causal_mask(3)
    np.testing.assert_array_equal(combine_masks(None, mask, None), mask)
    assert combine_masks() is None and combine_masks(None, None) is None


def test_combined_in_the_library_that_is_not_numpys() -> None:
    ours = causal_mask(2)
    theirs = torch.ones(1, 1, 2, dtype=torch.bool)
    for masks in [(ours, theirs), (theirs, ours), ([[T, F], [T, T]], theirs)]:
        combined = combine_masks(*masks)
        assert isinstance(combined, torch.Tensor)
        assert combined.tolist() == [[[T, F], [T, T]]]


# What they do to attention


@given(seed=seeds, changed=st.integers(1, 5), scale=st.sampled_from([1.0, 1e6, 1e150]))
def test_the_future_does_not_change_the_past(seed: int, changed: int, scale: float) -> None:
    """Bit for bit, in NumPy and in torch: queries, keys and values from a place on are others."""
    rng = np.random.default_rng(seed)
    now = rng.standard_normal((3, 2, 6, 4))
    other = now.copy()
    other[:, :, changed:] = scale * rng.standard_normal(other[:, :, changed:].shape)
    for make in (np.asarray, torch.asarray):
        for x, y in zip(
            attention(*make(now), mask=causal_mask(6)),
            attention(*make(other), mask=causal_mask(6)),
            strict=True,
        ):
            np.testing.assert_array_equal(x[:, :changed], y[:, :changed])


@given(seed=seeds, scale=st.sampled_from([0.0, 1.0, 1e150]), left=st.booleans())
def test_what_stands_in_padding_never_matters(seed: int, scale: float, left: bool) -> None:
    """Bit for bit, for every query that is no padding itself."""
    rng = np.random.default_rng(seed)
    real = np.arange(6) < rng.integers(1, 7, size=(3, 1))  # (B, S)
    real = real[:, ::-1].copy() if left else real
    mask = padding_mask(np.where(real, 5, 0), 0, heads=False)
    q, k, v = rng.standard_normal((3, 3, 6, 4))
    noise = scale * rng.standard_normal((2, 3, 6, 4))
    k2, v2 = (np.where(real[..., None], x, y) for x, y in zip((k, v), noise, strict=True))
    for make in (np.asarray, torch.asarray):
        output, weights = attention(make(q), make(k), make(v), mask=mask)
        output2, weights2 = attention(make(q), make(k2), make(v2), mask=mask)
        np.testing.assert_array_equal(output, output2)
        np.testing.assert_array_equal(weights, weights2)
        assert not np.asarray(weights)[np.broadcast_to(~mask, (3, 6, 6))].any()


@given(seed=seeds, padding=st.integers(0, 4))
def test_a_padded_sequence_is_as_good_as_one_alone(seed: int, padding: int) -> None:
    q, k, v = np.random.default_rng(seed).standard_normal((3, 5 + padding, 4))
    mask = combine_masks(
        causal_mask(5 + padding), padding_mask([1] * 5 + [0] * padding, 0, heads=False)
    )
    alone, _ = attention(q[:5], k[:5], v[:5], mask=causal_mask(5))
    padded, _ = attention(q, k, v, mask=mask)
    np.testing.assert_allclose(padded[:5], alone, rtol=0, atol=1e-14)


def test_a_masked_diagonal_leaves_the_first_row_empty() -> None:
    """Strictly above the diagonal is the future. Without the diagonal, query 0 has no key."""
    x = np.eye(3)
    with pytest.raises(ValueError, match="it allows none for query 0 "):
        attention(x, x, x, mask=causal_mask(3) & ~np.eye(3, dtype=bool))


def test_left_padding_and_causal_leave_rows_empty() -> None:
    """A query that is padding sees nothing but padding: those rows become zeros if one says so."""
    mask = combine_masks(causal_mask(3), padding_mask([[0, 5, 6], [5, 6, 7]], 0, heads=False))
    x = np.ones((2, 3, 4))
    with pytest.raises(ValueError, match=r"none for query 0 \(weights\[0, 0, :\]\);"):
        attention(x, x, x, mask=mask)
    output, weights = attention(x, x, x, mask=mask, fully_masked="zero")
    assert not output[0, 0].any() and not weights[0, 0].any()
    np.testing.assert_allclose(weights.sum(-1), [[0, 1, 1], [1, 1, 1]], rtol=0, atol=1e-15)


# What is refused


def test_too_few_keys() -> None:
    why = "S must be at least offset + T, so that every query has its own key; got "
    with refused(ValueError, why + "S = 3, offset = 0, T = 4"):
        causal_mask(4, 3)
    with refused(ValueError, why + "S = 10, offset = 10, T = 1"):
        causal_mask(1, 10, offset=10)  # off by one, with a cache of ten


def test_masks() -> None:
    with refused(
        ValueError, "masks must have shapes that broadcast together; got (3, 3) and (2, 1, 4)"
    ):
        combine_masks(causal_mask(3), None, np.ones((2, 1, 4), dtype=bool))
    with refused(
        TypeError, "masks[1] must be boolean, True where attention is allowed; got float64"
    ):
        combine_masks(causal_mask(3), np.zeros((3, 3)))

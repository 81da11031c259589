"""Arguments that look right and are not: flags that are no booleans, masked arrays, huge sizes."""

import pickle
from typing import Any

import numpy as np
import pytest
import torch

from plainformer.attention import (
    MultiHeadAttention,
    attention,
    attention_scores,
    blockwise_attention,
    causal_mask,
    combine_masks,
    grouped_query_attention,
    lookup,
    multi_head_attention,
    padding_mask,
    softmax,
)
from plainformer.attention.stable_softmax import FullyMaskedRowError
from plainformer.inputs import (
    InputEmbedding,
    LearnedPositions,
    alibi_bias,
    apply_rope,
    embed,
    one_hot,
    sinusoidal,
)

X = np.ones((2, 3, 4))
LAYER = MultiHeadAttention(8, 2)
TOKENS = torch.ones(1, 3, 8)


@pytest.mark.parametrize("flag", ["no", 1, 0.5, None, [True]])
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("hard", lambda flag: lookup(X[0], X[0], X[0], hard=flag)),
        ("causal", lambda flag: blockwise_attention(X, X, X, causal=flag)),
        ("causal", lambda flag: LAYER(TOKENS, causal=flag)),
        ("return_weights", lambda flag: LAYER(TOKENS, return_weights=flag)),
        ("bias", lambda flag: MultiHeadAttention(8, 2, bias=flag)),
        ("scale", lambda flag: InputEmbedding(5, 4, scale=flag)),
    ],
)
def test_a_flag_is_true_or_false(name: str, call: Any, flag: Any) -> None:
    with pytest.raises(TypeError) as raised:
        call(flag)
    assert str(raised.value).startswith(f"{name} must be True or False; got {flag!r}")


@pytest.mark.parametrize("flag", [np.True_, np.False_])
def test_numpys_booleans_are_flags_too(flag: Any) -> None:
    np.testing.assert_array_equal(
        lookup(X[0], X[0], X[0], hard=flag), lookup(X[0], X[0], X[0], hard=bool(flag))
    )


@pytest.mark.parametrize("scale", [True, False, np.True_])
def test_a_scale_is_no_flag(scale: Any) -> None:
    for call in (attention, blockwise_attention):
        with pytest.raises(TypeError, match="scale must be a number; got bool"):
            call(X, X, X, scale=scale)
    with pytest.raises(TypeError, match="scale must be a number; got bool"):
        attention_scores(X, X, scale=scale)


# Masked arrays


@pytest.mark.parametrize(
    "call",
    [
        lambda x: softmax(x),
        lambda x: attention(x, x, x),
        lambda x: attention(X, X, X, attn_bias=x[..., :3]),
        lambda x: blockwise_attention(x, x, x),
        lambda x: grouped_query_attention(x, x, x),
        lambda x: lookup(x[0], x[0], x[0]),
        lambda x: multi_head_attention(x, x, *[np.eye(4)] * 4, n_heads=2),
        lambda x: apply_rope(x),
        lambda x: embed([0], x[0]),
        lambda x: sinusoidal(x, 4),
    ],
)
def test_a_masked_array_is_refused_as_its_mask_would_be_lost(call: Any) -> None:
    with pytest.raises(TypeError, match="must be a plain array; got a masked one"):
        call(np.ma.masked_greater(X + np.arange(4.0), 3.0))


def test_a_masked_mask() -> None:
    mask = np.ma.masked_array(np.ones((3, 3), dtype=bool), mask=np.eye(3))
    for call in (lambda: combine_masks(mask), lambda: attention(X, X, X, mask=mask)):
        with pytest.raises(TypeError, match="must be a plain boolean array; got a masked one"):
            call()


# Numbers that an array does not hold


@pytest.mark.parametrize("make", [np.asarray, torch.asarray], ids=["NumPy", "torch"])
@pytest.mark.parametrize("dtype", ["uint8", "int8", "int32", "int64"])
@pytest.mark.parametrize("pad", [256, -1, 2**31, 2**62, -(2**63)])
def test_padding_that_the_ids_cannot_hold_is_not_there(make: Any, dtype: str, pad: int) -> None:
    ids = make(np.array([[0, 1, 127], [0, 0, 5]], dtype=dtype))
    mask = padding_mask(ids, pad)
    assert tuple(mask.shape) == (2, 1, 3) and bool(mask.all())
    held = padding_mask(ids, 0)
    assert np.asarray(held).tolist() == [[[False, True, True]], [[False, False, True]]]


def test_padding_at_the_edges_of_a_dtype() -> None:
    for dtype in (np.uint8, np.int8, np.uint64, np.int64):
        info = np.iinfo(dtype)
        ids = np.array([info.min, info.max], dtype=dtype)
        for place, pad in enumerate((info.min, info.max)):
            assert padding_mask(ids, int(pad))[0].tolist() == [place == 1, place == 0]


@pytest.mark.parametrize("make", [np.asarray, torch.asarray], ids=["NumPy", "torch"])
def test_a_complex_bias_is_refused_not_halved(make: Any) -> None:
    x, bias = make(X), make(np.full((3, 3), 1 + 1j))
    with pytest.raises(TypeError, match=r"attn_bias must be real numbers; got .*complex128"):
        attention(x, x, x, attn_bias=bias)
    layer = LAYER
    with pytest.raises(TypeError, match=r"attn_bias must be real numbers; got .*complex128"):
        layer(TOKENS, attn_bias=bias)


@pytest.mark.parametrize("length", [2**60, 2**63 - 1, 2**63, 2**64, 10**30])
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("T", lambda n: causal_mask(n)),
        ("S", lambda n: causal_mask(1, n)),
        ("offset", lambda n: causal_mask(1, offset=n)),
        ("T", lambda n: alibi_bias(2, n)),
        ("S", lambda n: alibi_bias(2, 1, n)),
        ("vocab_size", lambda n: one_hot([0], n)),
        ("length", lambda n: sinusoidal(n, 4)),
        ("d_model", lambda n: sinusoidal(1, n)),
        ("max_length", lambda n: LearnedPositions(n, 4)),
    ],
)
def test_lengths_that_no_array_has(name: str, call: Any, length: int) -> None:
    with pytest.raises(ValueError, match=rf"{name} must be below 2\*\*60; got {length}"):
        call(length)


def test_offset_and_queries_together() -> None:
    with pytest.raises(ValueError, match=r"must be below 2\*\*60"):
        causal_mask(2, offset=2**63 - 1)


# Errors that travel


def test_the_error_can_be_pickled_with_its_row() -> None:
    with pytest.raises(FullyMaskedRowError) as raised:
        attention(X, X, X, mask=np.zeros((3, 3), dtype=bool))
    again = pickle.loads(pickle.dumps(raised.value))
    assert type(again) is FullyMaskedRowError
    assert again.row == raised.value.row == (0, 0) and str(again) == str(raised.value)

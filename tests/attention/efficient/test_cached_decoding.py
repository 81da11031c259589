"""Decoding with a cache gives what the whole text at once gives: in any steps, again and again.

What others got wrong here: a position that was not reset between two texts, and the kernel's own
causal mask, which takes the newest query for the first.
"""

import re
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.attention import KVCache, MultiHeadAttention
from plainformer.inputs import alibi_bias

EXACT = 1e-12  # float64, numbers of the size of 1
B, T, D, H = 2, 9, 16, 4

cuts = st.lists(st.integers(0, T), max_size=4).map(sorted)
layers = st.fixed_dictionaries(
    {
        "n_kv_heads": st.sampled_from([1, 2, 4]),
        "impl": st.sampled_from(["formula", "sdpa"]),
        "rope": st.sampled_from([None, {}, {"layout": "half", "rope_theta": 500.0}]),
        "bias": st.booleans(),
    }
)


def make(**options: Any) -> MultiHeadAttention:
    rng = torch.Generator().manual_seed(0)
    layer = MultiHeadAttention(D, H, rng=rng, **options).double().eval()
    for name, parameter in layer.named_parameters():
        if name.endswith("bias"):  # born as 0, where nothing could go wrong
            torch.nn.init.normal_(parameter, generator=rng)
    return layer


def text(seed: int = 0, length: int = T) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(B, length, D, dtype=torch.float64, generator=generator)


def bit_by_bit(layer: Any, x: torch.Tensor, cut: list[int], cache: KVCache, **options: Any) -> Any:
    """The outputs of x, whose pieces go in one after the other."""
    ends = [0, *cut, x.shape[1]]
    with torch.no_grad():
        pieces = [
            layer(x[:, start:end], causal=True, cache=cache, **options)
            for start, end in pairwise(ends)
        ]
    return torch.cat(pieces, dim=1)


def near(ours: torch.Tensor, theirs: torch.Tensor) -> None:
    torch.testing.assert_close(ours, theirs.detach(), rtol=0, atol=EXACT)


@given(options=layers, cut=cuts, second=cuts)
def test_cache_is_no_cache_over_two_texts(
    options: dict[str, Any], cut: list[int], second: list[int]
) -> None:
    layer = make(**options)
    cache = layer.new_cache(B, T)
    near(bit_by_bit(layer, text(0), cut, cache), layer(text(0), causal=True))
    cache.reset()
    near(bit_by_bit(layer, text(1), second, cache), layer(text(1), causal=True))
    assert cache.length == T


@given(options=layers, cut=cuts, back=st.integers(0, T))
def test_cache_is_no_cache_after_a_rewind(
    options: dict[str, Any], cut: list[int], back: int
) -> None:
    """The first tokens stay; what comes after them is another text."""
    layer = make(**options)
    cache = layer.new_cache(B, T)
    bit_by_bit(layer, text(0), cut, cache)
    cache.rewind(back)
    rest = text(1)[:, back:]
    whole = layer(torch.cat([text(0)[:, :back], rest], dim=1), causal=True)
    near(bit_by_bit(layer, rest, [], cache), whole[:, back:])


@given(options=layers, room=st.sampled_from([None, T, T + 3]))
def test_token_by_token(options: dict[str, Any], room: int | None) -> None:
    layer = make(**options)
    cache = layer.new_cache(B, room)
    near(bit_by_bit(layer, text(), list(range(1, T)), cache), layer(text(), causal=True))


@given(options=layers, cut=cuts, lengths=st.lists(st.integers(1, T), min_size=B, max_size=B))
def test_padded_on_the_left(options: dict[str, Any], cut: list[int], lengths: list[int]) -> None:
    """With padding's queries empty; scores see distances, so a shifted text is the same text."""
    layer, x = make(**options), text()
    real = torch.arange(T) >= T - torch.tensor(lengths)[:, None]  # (B, S)
    cache, ends = layer.new_cache(B, T), [0, *cut, T]
    with torch.no_grad():
        pieces = [
            layer(
                x[:, i:j],
                causal=True,
                cache=cache,
                mask=real[:, None, None, :j],
                fully_masked="zero",
            )
            for i, j in pairwise(ends)
        ]
    ours = torch.cat(pieces, dim=1)
    for b, length in enumerate(lengths):
        near(ours[b, T - length :], layer(x[b, T - length :], causal=True))


@given(options=layers, cut=cuts)
def test_with_alibi(options: dict[str, Any], cut: list[int]) -> None:
    layer, x = make(**options), text()
    cache, ends = layer.new_cache(B, T), [0, *cut, T]
    with torch.no_grad():
        pieces = [
            layer(x[:, i:j], causal=True, cache=cache, attn_bias=alibi_bias(H, j - i, j, like=x))
            for i, j in pairwise(ends)
        ]
    whole = layer(x, causal=True, attn_bias=alibi_bias(H, T, like=x))
    near(torch.cat(pieces, dim=1), whole)


@given(options=layers)
def test_sequences_in_a_cache_are_independent(options: dict[str, Any]) -> None:
    layer, x = make(**options), text()
    before = bit_by_bit(layer, x, [4], layer.new_cache(B, T))
    x[1] = text(1)[1]
    after = bit_by_bit(layer, x, [4], layer.new_cache(B, T))
    assert torch.equal(before[0], after[0]) and not torch.equal(before[1], after[1])


def test_a_cache_that_is_not_reset_goes_on_with_the_old_text() -> None:
    """What a reset is for: without it the new text stands behind the old one."""
    layer = make(rope={})
    cache = layer.new_cache(B, 2 * T)
    bit_by_bit(layer, text(0), [], cache)
    second = bit_by_bit(layer, text(1), [], cache)
    whole = layer(torch.cat([text(0), text(1)], dim=1), causal=True)
    near(second, whole[:, T:])
    assert (second - layer(text(1), causal=True)).abs().max() > 0.01


def test_weights_of_cached_tokens() -> None:
    layer, x = make(n_kv_heads=2, rope={}), text()
    cache = layer.new_cache(B, T)
    bit_by_bit(layer, x[:, :5], [], cache)
    with torch.no_grad():
        _, ours = layer(x[:, 5:], causal=True, cache=cache, return_weights=True)
        _, whole = layer(x, causal=True, return_weights=True)
    near(ours, whole[:, :, 5:])


def test_new_cache_fits_the_layer() -> None:
    layer = MultiHeadAttention(8, 4, n_kv_heads=2).to(torch.bfloat16)
    cache = layer.new_cache(3, 7)
    assert cache.keys.dtype is torch.bfloat16 and not cache.keys.requires_grad
    assert repr(cache) == "KVCache(batch=3, n_kv_heads=2, max_length=7, d_head=2, length=0)"


# A call that fails leaves the cache as it was


@pytest.mark.parametrize("impl", ["formula", "sdpa"])
@pytest.mark.parametrize(
    ("options", "length", "message"),
    [
        ({}, 5, "the cache must have room for every new token: max_length is 9 and 6 are held"),
        (
            {"mask": np.zeros((2, 7), dtype=bool)},
            2,
            "mask must broadcast to (..., H, T, S) = (2, 4, 2, 8)",
        ),
        ({"mask": np.arange(8) > 6}, 2, "mask must allow every query a key; it allows none for"),
        (
            {"attn_bias": np.zeros((3, 1, 1))},
            2,
            "attn_bias must broadcast to (..., H, T, S) = (2, 4, 2, 8)",
        ),
        ({"causal": False}, 2, "causal must be True with a cache, which assumes"),
    ],
)
def test_after_a_failed_call(impl: Any, options: Any, length: int, message: str) -> None:
    layer = make(impl=impl)
    cache = layer.new_cache(B, T)
    with torch.no_grad():
        layer(text()[:, :6], causal=True, cache=cache)
        keys = cache.keys.clone()
        with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
            layer(text(1, length), **{"causal": True, "cache": cache, **options})
        assert cache.length == 6 and torch.equal(cache.keys, keys)
        near(layer(text()[:, 6:], causal=True, cache=cache), layer(text(), causal=True)[:, 6:])


def test_no_gradients() -> None:
    layer = make()
    with pytest.raises(ValueError, match=r"decode within torch\.no_grad\(\)"):
        layer(text(), causal=True, cache=layer.new_cache(B, T))

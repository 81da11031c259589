"""The layer under autocast, which computes in another dtype than that of the weights."""

from typing import Any

import pytest
import torch

from plainformer.attention import MultiHeadAttention

every_impl = pytest.mark.parametrize("impl", ["formula", "sdpa"])
B, T, D, H = 2, 6, 16, 4


def make(impl: Any) -> tuple[MultiHeadAttention, torch.Tensor]:
    rng = torch.Generator().manual_seed(0)
    layer = MultiHeadAttention(D, H, n_kv_heads=2, rope={}, impl=impl, rng=rng).eval()
    return layer, torch.randn(B, T, D, generator=rng)


@every_impl
@pytest.mark.parametrize("outside", [False, True])
def test_a_cache_takes_what_autocast_makes(impl: Any, outside: bool) -> None:
    """Made within, it is of autocast's dtype; made before, of the weights', and stays so."""
    layer, x = make(impl)
    made_before = layer.new_cache(B, T)
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        cache = made_before if outside else layer.new_cache(B, T)
        whole = layer(x, causal=True)
        steps = [layer(x[:, i : i + 1], causal=True, cache=cache) for i in range(T)]
    assert cache.length == T
    assert cache.keys.dtype == (torch.float32 if outside else torch.bfloat16)
    torch.testing.assert_close(torch.cat(steps, dim=1), whole, rtol=0, atol=0.02)
    with torch.no_grad():
        exact = layer(x, causal=True)
    torch.testing.assert_close(whole.float(), exact, rtol=0, atol=0.05)


def test_without_autocast_a_cache_is_of_the_weights_dtype() -> None:
    layer, x = make("formula")
    cache = layer.to(torch.bfloat16).new_cache(B, T)
    assert cache.keys.dtype == torch.bfloat16
    with torch.no_grad(), pytest.raises(TypeError, match="like the cache"):
        layer.float()(x, causal=True, cache=cache)


def test_a_device_that_knows_no_autocast() -> None:
    layer = MultiHeadAttention(D, H, rope={}).to("meta")
    cache = layer.new_cache(B, T)
    assert cache.keys.device.type == "meta"
    assert layer.project(torch.ones(B, T, D, device="meta"))[0].shape == (B, H, T, D // H)

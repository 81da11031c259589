"""What published models ask of the layer: Llama 3 and Qwen2 beside transformers, random weights.

As in `test_peers.py`, tolerances are 1e-6 in float32 for numbers of the size of 1. Their rotary
angles are float32, so positions stay small here; `test_rope_scaling.py` compares frequencies.
"""

from typing import Any

import pytest
import torch
from torch import nn
from transformers import LlamaConfig, Qwen2Config
from transformers.models.llama.modeling_llama import LlamaAttention, LlamaRotaryEmbedding
from transformers.models.qwen2.modeling_qwen2 import Qwen2Attention, Qwen2RotaryEmbedding

from plainformer.attention import MultiHeadAttention, causal_mask, combine_masks, padding_mask
from plainformer.inputs import apply_rope

B, T, D, H, G, K = 3, 10, 24, 4, 2, 8  # K is not D / H
LLAMA_3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}
QKV = {"q": True, "k": True, "v": True, "o": False}
every_impl = pytest.mark.parametrize("impl", ["formula", "sdpa"])


def random(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def make(name: str, impl: Any) -> tuple[nn.Module, nn.Module, MultiHeadAttention]:
    """Their attention, their angles for positions, and ours with the same weights."""
    sizes: dict[str, Any] = {
        "hidden_size": D,
        "num_attention_heads": H,
        "num_key_value_heads": G,
        "head_dim": K,
        "attn_implementation": "eager",
    }
    if name == "llama":
        config: Any = LlamaConfig(**sizes, rope_parameters={**LLAMA_3, "rope_theta": 500.0})
        theirs: Any = LlamaAttention(config, layer_idx=0).eval()
        turns: nn.Module = LlamaRotaryEmbedding(config)
        rope: dict[str, Any] = {"rope_theta": 500.0, "rope_scaling": LLAMA_3, "layout": "half"}
    else:
        plain = {"rope_type": "default", "rope_theta": 1e6}
        config = Qwen2Config(**sizes, rope_parameters=plain)
        theirs = Qwen2Attention(config, layer_idx=0).eval()
        turns = Qwen2RotaryEmbedding(config)
        rope = {"rope_theta": 1e6, "layout": "half"}
    bias: Any = False if name == "llama" else QKV
    ours = MultiHeadAttention(D, H, n_kv_heads=G, d_head=K, bias=bias, rope=rope, impl=impl).eval()
    with torch.no_grad():
        for seed, each in enumerate(theirs.parameters()):
            each.copy_(random(*each.shape, seed=seed) / D**0.5)
        projections = (theirs.q_proj, theirs.k_proj, theirs.v_proj, theirs.o_proj)
        for own, source in zip((ours.w_q, ours.w_k, ours.w_v, ours.w_o), projections, strict=True):
            own.load_state_dict(source.state_dict())  # strict: the same biases, and no others
    return theirs, turns, ours


def agree(ours: torch.Tensor, theirs: torch.Tensor) -> None:
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-6)


@every_impl
@pytest.mark.parametrize("name", ["llama", "qwen2"])
def test_published_attention(name: str, impl: Any) -> None:
    theirs, turns, ours = make(name, impl)
    x, places = random(B, T, D), torch.arange(T)
    mask = causal_mask(T, like=x)
    added = torch.where(mask, 0.0, -torch.inf)[None, None]
    with torch.no_grad():
        output, weights = theirs(
            x, position_embeddings=turns(x, places[None]), attention_mask=added
        )
        agree(ours(x, causal=True), output)
        agree(ours(x, causal=True, return_weights=True)[1], weights)


@every_impl
@pytest.mark.parametrize("name", ["llama", "qwen2"])
def test_left_padding_gets_its_positions_with_a_cache_too(name: str, impl: Any) -> None:
    theirs, turns, ours = make(name, impl)
    x, lengths = random(B, T, D), torch.tensor([T, 6, 3])
    real = torch.arange(T) >= T - lengths[:, None]  # (B, T): padding on the left
    places = (torch.arange(T) - (T - lengths)[:, None]).clamp(min=0)  # each text starts at 0
    mask = combine_masks(padding_mask(real.long(), 0), causal_mask(T, like=x))
    added = torch.where(mask, 0.0, torch.finfo(x.dtype).min)
    options: dict[str, Any] = {"causal": True, "fully_masked": "zero"}
    with torch.no_grad():
        output, _ = theirs(x, position_embeddings=turns(x, places), attention_mask=added)
        whole = ours(x, mask=real[:, None, None], positions=places, **options)
        agree(whole[real], output[real])
        cache = ours.new_cache(B, T)
        pieces = [
            ours(
                x[:, a:b],
                mask=real[:, None, None, :b],
                positions=places[:, a:b],
                cache=cache,
                **options,
            )
            for a, b in ((0, 7), (7, 8), (8, T))
        ]
        agree(torch.cat(pieces, dim=1)[real], output[real])
        for row, length in enumerate(lengths.tolist()):  # and each text alone says the same
            agree(whole[row, T - length :], ours(x[row : row + 1, T - length :], causal=True)[0])


@every_impl
def test_positions_of_a_batch_and_of_one_text(impl: Any) -> None:
    layer = MultiHeadAttention(D, H, rope={}, impl=impl)
    x, places = random(B, T, D), torch.tensor([3, 0, 4, 1, 5, 9, 2, 6, 8, 7])
    one = layer(x, positions=places)
    agree(one, layer(x, positions=places.expand(B, T)))
    agree(one, layer(x, positions=places.tolist()))
    agree(one[0], layer(x[0], positions=places))
    agree(layer(x, positions=torch.arange(T)), layer(x))
    q, k, _ = layer.project(x, positions=places)
    bare = MultiHeadAttention(D, H)
    bare.load_state_dict(layer.state_dict())
    for turned, plain in zip((q, k), bare.project(x), strict=False):
        agree(turned, apply_rope(plain, places))
    assert not torch.allclose(one, layer(x), atol=1e-3)


def test_what_fits_no_positions() -> None:
    x = random(B, T, D)
    with pytest.raises(ValueError, match="positions must be left out of a layer without rope"):
        MultiHeadAttention(D, H)(x, positions=torch.arange(T))
    layer = MultiHeadAttention(D, H, rope={})
    with pytest.raises(ValueError, match=r"positions must broadcast to .*got shape \(9,\)"):
        layer(x, positions=torch.arange(T - 1))
    with pytest.raises(ValueError, match="positions must be finite"):
        layer(x, positions=[float("nan")] * T)


@pytest.mark.parametrize("rope", [None, {}])
@every_impl
def test_a_head_as_wide_as_one_likes(rope: Any, impl: Any) -> None:
    layer = MultiHeadAttention(10, 4, n_kv_heads=2, d_head=6, rope=rope, impl=impl)
    shapes = [tuple(p.weight.shape) for p in (layer.w_q, layer.w_k, layer.w_v, layer.w_o)]
    assert shapes == [(24, 10), (12, 10), (12, 10), (10, 24)]
    assert layer(random(2, 5, 10), causal=True).shape == (2, 5, 10)
    assert repr(layer.new_cache(2, 7)).startswith(
        "KVCache(batch=2, n_kv_heads=2, max_length=7, d_head=6"
    )
    assert MultiHeadAttention(12, 4, d_head=3).w_q.weight.shape == (12, 12)


@pytest.mark.parametrize("on", ["", "q", "qkv", "o", "qkvo"])
def test_each_bias_by_itself(on: str) -> None:
    layer = MultiHeadAttention(D, H, bias={name: name in on for name in "qkvo"})
    has = {name for name in "qkvo" if getattr(layer, f"w_{name}").bias is not None}
    assert has == set(on)


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"bias": {"q": True}}, ValueError, ["bias must be", "q, k, v and o", "'q'"]),
        ({"bias": {**QKV, "o": 1}}, TypeError, ["bias['o'] must be True or False", "1"]),
        ({"bias": "qkv"}, TypeError, ["bias must be True or False", "'qkv'"]),
        ({"bias": None}, TypeError, ["bias must be True or False", "None"]),
        ({"d_head": 0}, ValueError, ["d_head must be 1 or more", "0"]),
        ({"d_head": 2.5}, TypeError, ["d_head must be a whole number", "2.5"]),
        ({"d_head": 5, "rope": {}}, ValueError, ["d_head must be even", "5"]),
        ({"rope": {"rope_scaling": {"rope_type": "ntk"}}}, ValueError, ["'llama3'", "'ntk'"]),
    ],
)
def test_mistakes_in_these_options(options: Any, error: type[Exception], said: list[str]) -> None:
    with pytest.raises(error) as raised:
        MultiHeadAttention(D, H, **options)
    assert all(word in str(raised.value) for word in said)

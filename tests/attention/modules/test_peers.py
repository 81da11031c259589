"""`MultiHeadAttention` beside torch's own layer, Llama's attention and GPT-2's; random weights.

The tolerances are 1e-6 in float32 and 1e-12 in float64, for numbers of the size of 1. Two things in
Llama's code are float32 whatever the model is, so in float64 they are gone around, not made room
for: its cosines and sines (made here from complex numbers instead; in float32 its own are used,
with a base whose angles a float32 holds exactly), and the softmax of "eager" (so it runs "sdpa").
"""

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from transformers import DynamicCache, GPT2Config, LlamaConfig
from transformers.models.gpt2.modeling_gpt2 import GPT2Attention
from transformers.models.llama.modeling_llama import LlamaAttention, LlamaRotaryEmbedding

from plainformer.attention import MultiHeadAttention, causal_mask, combine_masks, padding_mask

TOLERANCES = {torch.float32: 1e-6, torch.float64: 1e-12}
B, T, S, D, H = 3, 10, 7, 32, 4
K = D // H

every_dtype = pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
every_impl = pytest.mark.parametrize("impl", ["formula", "sdpa"])


def random(*shape: int, seed: int = 0, dtype: torch.dtype) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, dtype=torch.float64, generator=generator).to(dtype)


def agree(ours: torch.Tensor, theirs: torch.Tensor) -> None:
    # Float32 rounds relative to the size of a number: where a value is 3.4, one rounding step is
    # already 2.4e-7, and which way a sum of 32 products rounds differs from one CPU to the next.
    tolerance = TOLERANCES[ours.dtype]
    torch.testing.assert_close(ours, theirs, rtol=tolerance, atol=tolerance)


def fill(module: nn.Module, std: float = 0.2) -> None:
    """All parameters random, biases too: a bias of 0 tells nothing."""
    generator = torch.Generator().manual_seed(0)
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=std, generator=generator)


def copy(linear: nn.Linear, weight: torch.Tensor, bias: torch.Tensor | None) -> None:
    with torch.no_grad():
        linear.weight.copy_(weight)
        if bias is not None:
            linear.bias.copy_(bias)


def additive(mask: Any, dtype: torch.dtype) -> torch.Tensor:
    """As `transformers` wants a mask: (B, 1, T, S), 0 where allowed and -∞ elsewhere."""
    mask = torch.as_tensor(mask)
    mask = mask[(None,) * (4 - mask.ndim)]
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, -torch.inf)


# torch's own layer, with copied weights


def make_torch(dtype: torch.dtype, **options: Any) -> nn.MultiheadAttention:
    theirs = nn.MultiheadAttention(D, H, **{"batch_first": True, **options}).to(dtype).eval()
    fill(theirs)
    return theirs


@every_dtype
@every_impl
@pytest.mark.parametrize("bias", [True, False])
def test_torch_self_attention(dtype: torch.dtype, impl: Any, bias: bool) -> None:
    theirs = make_torch(dtype, bias=bias)
    ours, x = MultiHeadAttention.from_torch(theirs, impl=impl), random(B, T, D, dtype=dtype)
    real = torch.arange(T) < torch.tensor([10, 4, 1])[:, None]
    causal = torch.from_numpy(causal_mask(T))
    cases: list[tuple[dict[str, Any], dict[str, Any]]] = [  # True there forbids
        ({}, {}),
        ({"causal": True}, {"attn_mask": ~causal}),
        ({"mask": real[:, None, None]}, {"key_padding_mask": ~real}),
        (
            {"mask": real[:, None, None], "causal": True},
            {"key_padding_mask": ~real, "attn_mask": ~causal},
        ),
    ]
    for call, their_call in cases:
        output, weights = theirs(x, x, x, average_attn_weights=False, **their_call)
        agree(ours(x, **call), output)
        our_output, our_weights = ours(x, return_weights=True, **call)
        agree(our_output, output)
        agree(our_weights, weights)


@every_dtype
@every_impl
@pytest.mark.parametrize("bias", [True, False])
def test_torch_cross_attention(dtype: torch.dtype, impl: Any, bias: bool) -> None:
    theirs = make_torch(dtype, bias=bias)
    ours = MultiHeadAttention.from_torch(theirs, impl=impl)
    x, context = random(B, T, D, dtype=dtype), random(B, S, D, seed=1, dtype=dtype)
    mask = random(B, H, T, S, seed=2, dtype=dtype) > -1
    mask[..., 0] = True
    agree(ours(x, context), theirs(x, context, context)[0])
    per_head = theirs(x, context, context, attn_mask=~mask.flatten(0, 1))[0]
    agree(ours(x, context, mask=mask), per_head)
    agree(ours(x[0], context[0]), theirs(x[0], context[0], context[0])[0])  # without B


@every_impl
def test_torch_gradients(impl: Any) -> None:
    theirs = make_torch(torch.float64)
    ours = MultiHeadAttention.from_torch(theirs, impl=impl)
    x = random(B, T, D, dtype=torch.float64)
    causal = ~torch.from_numpy(causal_mask(T))
    inputs = [x.clone().requires_grad_() for _ in range(2)]
    outputs = [
        ours(inputs[0], causal=True),
        theirs(inputs[1], inputs[1], inputs[1], attn_mask=causal)[0],
    ]
    for output in outputs:
        (output * random(B, T, D, seed=5, dtype=torch.float64)).sum().backward()
    pairs = [
        (inputs[1].grad, inputs[0]),
        *zip(
            theirs.in_proj_weight.grad.chunk(3),
            [ours.w_q.weight, ours.w_k.weight, ours.w_v.weight],
            strict=True,
        ),
        (theirs.out_proj.weight.grad, ours.w_o.weight),
    ]
    for gradient, ours_has in pairs:
        scale = max(1.0, float(gradient.abs().max()))
        agree(ours_has.grad / scale, gradient / scale)


def test_torch_with_sequences_second() -> None:
    """batch_first=False changes how theirs is called, not its weights."""
    theirs = make_torch(torch.float64, batch_first=False)
    ours, x = MultiHeadAttention.from_torch(theirs), random(B, T, D, dtype=torch.float64)
    there = x.transpose(0, 1)
    agree(ours(x), theirs(there, there, there)[0].transpose(0, 1))


def test_from_torch_copies_and_keeps_what_it_can() -> None:
    theirs = make_torch(torch.bfloat16, dropout=0.25)
    state = torch.get_rng_state()
    ours = MultiHeadAttention.from_torch(theirs, impl="sdpa")
    assert torch.equal(torch.get_rng_state(), state)
    assert (ours.dropout, ours.impl, ours.training) == (0.25, "sdpa", False)
    assert {p.dtype for p in ours.parameters()} == {torch.bfloat16}
    assert all(p.requires_grad and p.is_leaf for p in ours.parameters())
    before = ours.w_q.weight.clone()
    nn.init.zeros_(theirs.in_proj_weight)
    assert torch.equal(ours.w_q.weight, before)  # memory of its own
    assert MultiHeadAttention.from_torch(theirs.train()).training


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kdim": 8}, r"^kdim and vdim of torch_layer must be its embed_dim, 32, .* got 8 and 32$"),
        ({"vdim": 8}, r"^kdim and vdim of torch_layer must be its embed_dim, 32, .* got 32 and 8$"),
        ({"add_bias_kv": True}, r"^add_bias_kv of torch_layer must be False: ours adds no keys"),
        (
            {"add_zero_attn": True},
            r"^add_zero_attn of torch_layer must be False: ours adds no keys",
        ),
    ],
)
def test_what_from_torch_refuses(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MultiHeadAttention.from_torch(nn.MultiheadAttention(D, H, **options))


# Llama: grouped queries, rotary positions in the half layout, a cache

EXACT_BASE = 2.0 ** (K // 2)  # frequencies 1, 1/2, 1/4, …


def make_llama(dtype: torch.dtype, G: int, bias: bool, impl: Any) -> Any:
    """Llama's attention, its angles for positions, and ours with the same weights."""
    config = LlamaConfig(
        hidden_size=D,
        num_attention_heads=H,
        num_key_value_heads=G,
        attention_bias=bias,
        attn_implementation="eager" if dtype == torch.float32 else "sdpa",
        rope_parameters={"rope_type": "default", "rope_theta": EXACT_BASE},
    )
    theirs = LlamaAttention(config, layer_idx=0).to(dtype).eval()
    fill(theirs)
    rope = {"rope_theta": EXACT_BASE, "layout": "half"}
    ours = MultiHeadAttention(D, H, n_kv_heads=G, bias=bias, rope=rope, impl=impl).to(dtype).eval()
    for linear, source in (
        (ours.w_q, theirs.q_proj),
        (ours.w_k, theirs.k_proj),
        (ours.w_v, theirs.v_proj),
        (ours.w_o, theirs.o_proj),
    ):
        copy(linear, source.weight, source.bias)

    def angles(positions: torch.Tensor) -> Any:
        if dtype == torch.float32:
            return LlamaRotaryEmbedding(config)(torch.zeros(1, dtype=dtype), positions[None])
        step = np.exp(1j * 0.5 ** np.arange(K // 2))
        turns = torch.from_numpy(step ** positions.numpy()[:, None])
        return [torch.cat([part, part], dim=-1)[None] for part in (turns.real, turns.imag)]

    return theirs, angles, ours


@every_dtype
@every_impl
@pytest.mark.parametrize("G", [1, 2, 4])
@pytest.mark.parametrize("bias", [False, True])
def test_llama(dtype: torch.dtype, impl: Any, G: int, bias: bool) -> None:
    theirs, angles, ours = make_llama(dtype, G, bias, impl)
    x = random(B, T, D, dtype=dtype)
    ids = torch.arange(T) < torch.tensor([10, 4, 1])[:, None]
    positions = angles(torch.arange(T))
    for mask in (None, padding_mask(ids.long(), 0)):
        both = combine_masks(mask, causal_mask(T, like=x))
        with torch.no_grad():
            output, weights = theirs(
                x, position_embeddings=positions, attention_mask=additive(both, dtype)
            )
            agree(ours(x, causal=True, mask=mask), output)
            if weights is not None:
                agree(ours(x, causal=True, mask=mask, return_weights=True)[1], weights)


@every_dtype
@every_impl
@pytest.mark.parametrize("G", [1, 2, 4])
def test_llama_decoding_with_both_caches(dtype: torch.dtype, impl: Any, G: int) -> None:
    """A prompt, then token by token, then several at once, over two texts."""
    theirs, angles, ours = make_llama(dtype, G, False, impl)
    cache = ours.new_cache(B, T)
    for seed in range(2):
        x, their_cache = random(B, T, D, seed=seed, dtype=dtype), DynamicCache()
        cache.reset()
        for start, end in ((0, 4), (4, 5), (5, 6), (6, T)):
            mask = causal_mask(end - start, offset=start, like=x)
            with torch.no_grad():
                output, _ = theirs(
                    x[:, start:end],
                    position_embeddings=angles(torch.arange(start, end)),
                    attention_mask=additive(mask, dtype),
                    past_key_values=their_cache,
                )
                agree(ours(x[:, start:end], causal=True, cache=cache), output)
            agree(cache.keys, their_cache.layers[0].keys)
            agree(cache.values, their_cache.layers[0].values)


# GPT-2: one matrix for queries, keys and values, (in, out)


def make_gpt2(dtype: torch.dtype, impl: Any, cross: bool = False) -> Any:
    config = GPT2Config(n_embd=D, n_head=H, attn_implementation="eager")
    theirs = GPT2Attention(config, is_cross_attention=cross, layer_idx=0).to(dtype).eval()
    fill(theirs)
    ours = MultiHeadAttention(D, H, impl=impl).to(dtype).eval()
    packed = ([theirs.q_attn] if cross else []) + [theirs.c_attn, theirs.c_proj]
    weights = torch.cat([each.weight for each in packed], dim=1).T.split(D)
    biases = torch.cat([each.bias for each in packed]).split(D)
    linears = (ours.w_q, ours.w_k, ours.w_v, ours.w_o)
    for linear, weight, bias in zip(linears, weights, biases, strict=True):
        copy(linear, weight, bias)
    return theirs, ours


@every_dtype
@every_impl
def test_gpt2(dtype: torch.dtype, impl: Any) -> None:
    theirs, ours = make_gpt2(dtype, impl)
    x = random(B, T, D, dtype=dtype)
    mask = causal_mask(T, like=x)
    with torch.no_grad():
        output, weights = theirs(x, attention_mask=additive(mask, dtype))
        agree(ours(x, causal=True), output)
        agree(ours(x, causal=True, return_weights=True)[1], weights)


@every_dtype
@every_impl
def test_gpt2_decoding_with_both_caches(dtype: torch.dtype, impl: Any) -> None:
    theirs, ours = make_gpt2(dtype, impl)
    x, their_cache, cache = random(B, T, D, dtype=dtype), DynamicCache(), ours.new_cache(B, T)
    for start, end in ((0, 6), *((i, i + 1) for i in range(6, T))):
        mask = causal_mask(end - start, offset=start, like=x)
        with torch.no_grad():
            output, _ = theirs(
                x[:, start:end].contiguous(),
                past_key_values=their_cache,
                attention_mask=additive(mask, dtype),
            )
            agree(ours(x[:, start:end], causal=True, cache=cache), output)


@every_dtype
@every_impl
def test_gpt2_cross_attention(dtype: torch.dtype, impl: Any) -> None:
    theirs, ours = make_gpt2(dtype, impl, cross=True)
    x, context = random(B, T, D, dtype=dtype), random(B, S, D, seed=1, dtype=dtype)
    real = torch.arange(S) < torch.tensor([7, 4, 1])[:, None]
    with torch.no_grad():
        output, _ = theirs(
            x,
            encoder_hidden_states=context,
            encoder_attention_mask=additive(real[:, None, None], dtype),
        )
        agree(ours(x, context, mask=real[:, None, None]), output)

"""`apply_rope` beside `transformers`: Llama and GPT-NeoX (half), GPT-J and Cohere (interleaved).

Llama's own modules compute angles in float32, which is off by up to 0.03 radians at position 10^6.
That difference is theirs, and no tolerance here makes room for it. Instead the peers get exact
angles, in one of three ways:

- a base of 2^(K/2): the frequencies are 1, 1/2, 1/4, … and a float32 holds every angle exactly, so
  Llama's and Cohere's code runs untouched, from the configuration to the turned vectors;
- torch's default dtype set to float64, in which GPT-J computes its whole table;
- cosines and sines made here, in float64, as real and imaginary parts of complex numbers.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from transformers import CohereConfig, GPTJConfig, LlamaConfig
from transformers.models.cohere import modeling_cohere as cohere
from transformers.models.gpt_neox import modeling_gpt_neox as gpt_neox
from transformers.models.gptj import modeling_gptj as gptj
from transformers.models.llama import modeling_llama as llama

from plainformer.inputs.relative_positions import apply_rope, half_layout_order
from plainformer.inputs.relative_positions.rope import Layout

TOLERANCES = {torch.float32: 1e-6, torch.float64: 1e-12}
B, H, T, K = 2, 3, 40, 16
EXACT_BASE = 2.0 ** (K // 2)

both_dtypes = pytest.mark.parametrize("dtype", TOLERANCES)


@pytest.fixture
def default_float64() -> Iterator[None]:
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)


@pytest.fixture(autouse=True)
def seed() -> Iterator[None]:
    """The models draw their weights from torch's own generator, which is left as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield


def random(*shape: int, dtype: torch.dtype) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    return torch.rand(shape, dtype=torch.float64, generator=generator).mul(2).sub(1).to(dtype)


def phases(positions: torch.Tensor, width: int = K) -> Any:
    """e^(i p θ) for positions (..., T), by multiplying unit complex numbers; (..., T, K/2)."""
    step = np.exp(1j * 10000.0 ** (-2 * np.arange(width // 2) / width))
    return torch.from_numpy(step ** positions.numpy()[..., None])


def agree(ours: torch.Tensor, theirs: torch.Tensor) -> None:
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    assert (ours - theirs).abs().max() <= TOLERANCES[ours.dtype]


# The code of the models, untouched, from the configuration on


def parameters() -> dict[str, Any]:
    return {
        "hidden_size": H * K,
        "num_attention_heads": H,
        "num_key_value_heads": H,
        "max_position_embeddings": 2**21,
        "rope_parameters": {"rope_type": "default", "rope_theta": EXACT_BASE},
    }


@pytest.mark.parametrize("start", [0, 5000, 10**6])
@pytest.mark.parametrize("model", ["Llama", "Cohere"])
def test_from_the_configuration_on(model: str, start: int) -> None:
    q, k = random(2, B, H, T, K, dtype=torch.float32)
    positions = start + torch.arange(T)
    layout: Layout
    if model == "Llama":
        layout, turn = "half", llama.apply_rotary_pos_emb
        rotary: Any = llama.LlamaRotaryEmbedding(LlamaConfig(**parameters()))
    else:
        layout, turn = "interleaved", cohere.apply_rotary_pos_emb
        rotary = cohere.CohereRotaryEmbedding(CohereConfig(**parameters()))
    assert rotary.inv_freq.tolist() == [2.0**-i for i in range(K // 2)]
    theirs = turn(q, k, *rotary(q, positions[None]))
    for x, turned in zip((q, k), theirs, strict=True):
        agree(apply_rope(x, positions, rope_theta=EXACT_BASE, layout=layout), turned)
        agree(apply_rope(x, offset=start, rope_theta=EXACT_BASE, layout=layout), turned)


def test_in_bfloat16_bit_for_bit_as_llama() -> None:
    q, k = random(2, B, H, T, K, dtype=torch.bfloat16)
    rotary: Any = llama.LlamaRotaryEmbedding(LlamaConfig(**parameters()))
    theirs, _ = llama.apply_rotary_pos_emb(q, k, *rotary(q, torch.arange(T)[None]))
    assert torch.equal(apply_rope(q, rope_theta=EXACT_BASE, layout="half"), theirs)


def test_the_weights_that_llama_makes_of_queries_and_keys() -> None:
    """A whole attention module with random weights: its weights are those of our q and k."""
    config = LlamaConfig(**parameters(), attn_implementation="eager")
    attention, rotary = llama.LlamaAttention(config, 0), llama.LlamaRotaryEmbedding(config)
    x = random(B, T, H * K, dtype=torch.float32)
    mask = torch.full((T, T), -torch.inf).triu(1)
    angles = rotary(x, torch.arange(T)[None])
    with torch.no_grad():
        _, theirs = attention(x, position_embeddings=angles, attention_mask=mask[None, None])
        q, k = (
            apply_rope(
                linear(x).view(B, T, H, K).transpose(1, 2), rope_theta=EXACT_BASE, layout="half"
            )
            for linear in (attention.q_proj, attention.k_proj)
        )
        ours = torch.softmax(q @ k.transpose(-1, -2) / K**0.5 + mask, dim=-1)
    agree(ours, theirs)


@both_dtypes
@pytest.mark.usefixtures("default_float64")
def test_gpt_j_with_its_own_table(dtype: torch.dtype) -> None:
    """Its table as it makes it in float64, then rounded, as a model in float32 would like it."""
    x = random(B, H, T, K, dtype=dtype)
    table = gptj.create_sinusoidal_positions(5000 + T, K)
    assert table.dtype == torch.float64
    for start in (0, 5000):
        sin, cos = table[None, start : start + T].to(dtype).chunk(2, dim=-1)
        theirs = gptj.apply_rotary_pos_emb(x.transpose(1, 2), sin, cos)  # (B, T, H, K) there
        agree(apply_rope(x, offset=start), theirs.transpose(1, 2))


@pytest.mark.usefixtures("default_float64")
def test_the_weights_that_gpt_j_makes_of_queries_and_keys() -> None:
    """A whole attention module with random weights. It turns the first `rotary_dim` numbers of each
    head, and takes queries and keys to float32 before they meet, whatever they were made in.
    """
    config = GPTJConfig(n_embd=H * K, n_head=H, n_positions=T, rotary_dim=8, n_layer=1)
    attention = gptj.GPTJAttention(config, 0).eval()
    x = random(B, T, H * K, dtype=torch.float64)
    with torch.no_grad():
        _, theirs = attention(
            x,
            attention_mask=torch.full((T, T), -torch.inf).triu(1)[None, None],
            position_ids=torch.arange(T)[None].expand(B, T),
        )
        q, k = (
            linear(x).view(B, T, H, K).transpose(1, 2)
            for linear in (attention.q_proj, attention.k_proj)
        )
        q, k = (torch.cat([apply_rope(x[..., :8]), x[..., 8:]], dim=-1).float() for x in (q, k))
        scores = q @ k.transpose(-1, -2) / K**0.5
        ours = torch.softmax(scores + torch.full((T, T), -torch.inf).triu(1).float(), dim=-1)
    agree(ours, theirs.float())


# Their rotation, with cosines and sines that complex numbers gave


@both_dtypes
@pytest.mark.parametrize("peer", [llama, gpt_neox], ids=["Llama", "GPT-NeoX"])
def test_half_with_exact_angles(peer: Any, dtype: torch.dtype) -> None:
    q, k = random(2, B, H, T, K, dtype=dtype)
    positions = torch.stack([torch.arange(T), 1000 + torch.arange(T)])  # (B, T)
    turn = torch.cat([phases(positions)] * 2, dim=-1)  # (B, T, K): once for each half
    theirs = peer.apply_rotary_pos_emb(q, k, turn.real.to(dtype), turn.imag.to(dtype))
    for x, turned in zip((q, k), theirs, strict=True):
        agree(apply_rope(x, positions[:, None], layout="half"), turned)


@both_dtypes
def test_interleaved_with_exact_angles(dtype: torch.dtype) -> None:
    x = random(B, T, H, K, dtype=dtype)
    positions = torch.stack([torch.arange(T), 1000 + torch.arange(T)])  # (B, T)
    turn = phases(positions)
    theirs = gptj.apply_rotary_pos_emb(x, turn.imag.to(dtype), turn.real.to(dtype))
    agree(apply_rope(x.transpose(1, 2), positions[:, None]).transpose(1, 2), theirs)


@both_dtypes
def test_one_layout_from_the_other(dtype: torch.dtype) -> None:
    """The permutation carries GPT-J's rotation into Llama's, with neither of ours between."""
    x, order = random(1, T, 1, K, dtype=dtype), torch.from_numpy(half_layout_order(K))
    turn = phases(torch.arange(T))[None]
    cos, sin = turn.real.to(dtype), turn.imag.to(dtype)
    interleaved = gptj.apply_rotary_pos_emb(x, sin, cos)
    x_half = x[..., order].transpose(1, 2)
    half, _ = llama.apply_rotary_pos_emb(
        x_half, x_half, torch.cat([cos, cos], dim=-1), torch.cat([sin, sin], dim=-1)
    )
    agree(interleaved[..., order].transpose(1, 2), half)


def test_a_model_that_turns_a_part_of_each_head() -> None:
    """As GPT-NeoX does: cut the part off, turn it, put it back."""
    q, k = random(2, B, H, T, K, dtype=torch.float64)
    turn = torch.cat([phases(torch.arange(T), width=4)] * 2, dim=-1)[None]  # (1, T, 4)
    theirs, _ = gpt_neox.apply_rotary_pos_emb(q, k, turn.real, turn.imag)
    ours = torch.cat([apply_rope(q[..., :4], layout="half"), q[..., 4:]], dim=-1)
    agree(ours, theirs)

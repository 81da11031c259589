"""Initial weights as torch draws them, beside those of `torch.nn.Transformer` itself."""

import math
from typing import Any

import pytest
import torch
from torch import nn

from plainformer.attention import MultiHeadAttention
from plainformer.blocks import EncoderDecoder, TransformerConfig
from plainformer.blocks.modules.initialization import initialize_like_torch

D, F, LAYERS = 64, 256, 2


def new_model(seed: int = 0, **options: Any) -> EncoderDecoder:
    config = TransformerConfig(
        family="encoder_decoder", vocab_size=9, d_model=D, n_layers=LAYERS, n_heads=4, d_ff=F,
        **options,
    )  # fmt: skip
    rng = torch.Generator().manual_seed(seed)
    model = EncoderDecoder(config, rng=rng)
    initialize_like_torch(model, rng)
    return model


def ours_and_theirs() -> dict[str, tuple[list[torch.Tensor], list[torch.Tensor]]]:
    """The parameters of both models that have the same part to play, by name."""
    torch.manual_seed(0)
    ours, theirs = new_model(), nn.Transformer(D, 4, LAYERS, LAYERS, F, batch_first=True)
    attention = [m for m in ours.modules() if isinstance(m, MultiHeadAttention)]
    peers = [m for m in theirs.modules() if isinstance(m, nn.MultiheadAttention)]
    up = [layer.feed_forward.w_up for layer in (*ours.layers, *ours.decoder_layers)]
    down = [layer.feed_forward.w_down for layer in (*ours.layers, *ours.decoder_layers)]
    stacks = (*theirs.encoder.layers, *theirs.decoder.layers)
    packed = [w.weight for m in attention for w in (m.w_q, m.w_k, m.w_v)]
    return {
        "q, k, v": (packed, [m.in_proj_weight for m in peers]),
        "w_o": ([m.w_o.weight for m in attention], [m.out_proj.weight for m in peers]),
        "w_up": ([w.weight for w in up], [layer.linear1.weight for layer in stacks]),
        "w_down": ([w.weight for w in down], [layer.linear2.weight for layer in stacks]),
        "up's bias": ([w.bias for w in up], [layer.linear1.bias for layer in stacks]),
        "down's bias": ([w.bias for w in down], [layer.linear2.bias for layer in stacks]),
        "attention's biases": (
            [w.bias for m in attention for w in (m.w_q, m.w_k, m.w_v, m.w_o)],
            [bias for m in peers for bias in (m.in_proj_bias, m.out_proj.bias)],
        ),
    }


@pytest.mark.parametrize("name", list(ours_and_theirs()))
def test_each_part_is_drawn_as_torch_draws_it(name: str) -> None:
    """Both are uniform around 0, so the spread and the largest number say everything."""
    ours, theirs = (torch.cat([p.detach().flatten() for p in side])
                    for side in ours_and_theirs()[name])  # fmt: skip
    n = len(ours)
    assert n == len(theirs)
    most = theirs.abs().max().item()
    assert ours.abs().max().item() == pytest.approx(most, rel=20 / n, abs=0)
    # The standard deviation of a uniform sample is within 3 / √n of its true value.
    assert ours.std().item() == pytest.approx(theirs.std().item(), rel=6 / math.sqrt(n), abs=0)
    assert abs(ours.mean().item()) <= 5 * most / math.sqrt(3 * n)


def test_fewer_keys_and_values_are_packed_with_the_queries() -> None:
    """With G = 1, one matrix would hold 64 + 16 + 16 rows, so its bound is √(6 / (64 + 96))."""
    attention = MultiHeadAttention(D, 4, n_kv_heads=1)
    initialize_like_torch(attention)
    for layer in (attention.w_q, attention.w_k, attention.w_v):
        assert layer.weight.abs().max().item() == pytest.approx(math.sqrt(6 / 160), rel=0.02)


def test_layers_without_biases_stay_without() -> None:
    model = new_model(attention_bias=False, ff_bias=False, activation="swiglu")
    assert not any("bias" in name for name, _ in model.named_parameters())


def test_a_generator_decides_everything() -> None:
    torch.manual_seed(0)
    first = new_model(seed=3).state_dict()
    torch.manual_seed(1)
    again, other = new_model(seed=3).state_dict(), new_model(seed=4).state_dict()
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not torch.equal(first["layers.0.feed_forward.w_up.bias"],
                           other["layers.0.feed_forward.w_up.bias"])  # fmt: skip

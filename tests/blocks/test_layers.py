"""Layers of an encoder and a decoder: torch's own, alone and stacked, and the laws of a block."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import nn

from plainformer.blocks import (
    DecoderLayer,
    EncoderDecoder,
    EncoderLayer,
    FeedForward,
    LayerNorm,
    RMSNorm,
    TransformerConfig,
)

D, H, F = 16, 4, 24
Options = dict[str, Any]


def config(**options: Any) -> TransformerConfig:
    family = options.pop("family", "encoder")
    sizes = {"vocab_size": 9, "d_model": D, "n_layers": 1, "n_heads": H, "d_ff": F}
    return TransformerConfig(family=family, positions=None, **sizes, **options)


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def draw(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=seeded(seed), dtype=torch.float64)


def copy_attention(theirs: nn.MultiheadAttention, ours: Any) -> None:
    for name, weight in zip("qkv", theirs.in_proj_weight.chunk(3), strict=True):
        getattr(ours, f"w_{name}").weight.copy_(weight)
    for name, bias in zip("qkv", theirs.in_proj_bias.chunk(3), strict=True):
        getattr(ours, f"w_{name}").bias.copy_(bias)
    ours.w_o.load_state_dict(theirs.out_proj.state_dict())


def copy_norm(theirs: nn.LayerNorm, ours: Any) -> None:
    ours.gamma.copy_(theirs.weight)
    ours.beta.copy_(theirs.bias)


def copy_layer(theirs: Any, ours: Any) -> None:
    copy_attention(theirs.self_attn, ours.attention)
    ours.feed_forward.w_up.load_state_dict(theirs.linear1.state_dict())
    ours.feed_forward.w_down.load_state_dict(theirs.linear2.state_dict())
    copy_norm(theirs.norm1, ours.norm_1)
    if isinstance(ours, EncoderLayer):
        copy_norm(theirs.norm2, ours.norm_2)
    else:
        copy_attention(theirs.multihead_attn, ours.cross_attention)
        copy_norm(theirs.norm2, ours.norm_cross)
        copy_norm(theirs.norm3, ours.norm_2)


@torch.no_grad()
def layers(kind: str, place: str, impl: str) -> tuple[Any, Any]:
    """A layer of torch's with random numbers, and ours with the same."""
    options: Options = {"batch_first": True, "norm_first": place == "pre", "dtype": torch.float64}
    their_kind: Any = getattr(nn, f"Transformer{kind}Layer")
    theirs = their_kind(D, H, F, dropout=0.0, **options).eval()
    for i, parameter in enumerate(theirs.parameters()):
        parameter.copy_(draw(*parameter.shape, seed=i) / 3)
    family = "encoder" if kind == "Encoder" else "encoder_decoder"
    make: Any = EncoderLayer if kind == "Encoder" else DecoderLayer
    settings = config(family=family, norm_place=place, activation="relu")
    ours = make(settings, impl=impl).double().eval()
    copy_layer(theirs, ours)
    return theirs, ours


@torch.no_grad()
@pytest.mark.parametrize("impl", ["formula", "sdpa"])
@pytest.mark.parametrize("place", ["pre", "post"])
def test_torchs_encoder_layer_gives_the_same(place: str, impl: str) -> None:
    theirs, ours = layers("Encoder", place, impl)
    x, tokens = draw(2, 7, D, seed=50), torch.ones(2, 7, dtype=torch.bool)
    torch.testing.assert_close(ours(x), theirs(x))
    tokens[1, 4:] = False
    got = ours(x, mask=tokens[:, None, None, :])
    wanted = theirs(x, src_key_padding_mask=~tokens)
    torch.testing.assert_close(got[tokens], wanted[tokens])


@torch.no_grad()
@pytest.mark.parametrize("impl", ["formula", "sdpa"])
@pytest.mark.parametrize("place", ["pre", "post"])
def test_torchs_decoder_layer_gives_the_same(place: str, impl: str) -> None:
    theirs, ours = layers("Decoder", place, impl)
    x, source = draw(2, 5, D, seed=50), draw(2, 7, D, seed=51)
    tokens = torch.ones(2, 7, dtype=torch.bool)
    tokens[0, 5:] = False
    later = torch.triu(torch.ones(5, 5, dtype=torch.bool), 1)
    wanted = theirs(x, source, tgt_mask=later, memory_key_padding_mask=~tokens)
    mask = tokens[:, None, None, :]
    torch.testing.assert_close(ours(x, source, source_mask=mask), wanted)
    once = ours.cross_attention.project_context(source)  # and once for many calls
    torch.testing.assert_close(ours(x, once, source_mask=mask), wanted)


@torch.no_grad()
@pytest.mark.filterwarnings("ignore:enable_nested_tensor")  # which pre-norm switches off
def test_torchs_whole_transformer_gives_the_same() -> None:
    """nn.Transformer has neither embeddings nor a head, so both get ours."""
    settings = replace(config(family="encoder_decoder", activation="relu"), n_layers=2)
    ours = EncoderDecoder(settings, rng=seeded()).double().eval()
    theirs = nn.Transformer(
        D, H, 2, 2, F, dropout=0.0, batch_first=True, norm_first=True, dtype=torch.float64
    ).eval()
    for i, parameter in enumerate(theirs.parameters()):
        parameter.copy_(draw(*parameter.shape, seed=i) / 3)
    for stack, layers, norm in (
        (theirs.encoder, ours.layers, ours.norm),
        (theirs.decoder, ours.decoder_layers, ours.decoder_norm),
    ):
        for layer, our_layer in zip(stack.layers, layers, strict=True):
            copy_layer(layer, our_layer)
        copy_norm(stack.norm, norm)
    source, text = torch.tensor([[1, 2, 3, 4], [5, 6, 0, 0]]), torch.tensor([[1, 7, 8], [1, 8, 2]])
    tokens, later = source != 0, torch.ones(3, 3, dtype=torch.bool).triu(1)
    hidden = theirs(
        ours.embedding(source), ours.embedding(text), tgt_mask=later,
        src_key_padding_mask=~tokens, memory_key_padding_mask=~tokens,
    )  # fmt: skip
    torch.testing.assert_close(ours(source, text, source_mask=tokens), ours.head(hidden))


@torch.no_grad()
@pytest.mark.parametrize("place", ["pre", "post"])
def test_without_positions_shuffled_tokens_give_shuffled_results(place: str) -> None:
    layer = EncoderLayer(config(norm_place=place), rng=seeded()).double()
    x, order = draw(1, 6, D), torch.randperm(6, generator=seeded(1))
    torch.testing.assert_close(layer(x[:, order]), layer(x)[:, order])


@torch.no_grad()
def test_sublayers_of_zeros_leave_the_residual_stream_as_it_is() -> None:
    layer = EncoderLayer(config(), rng=seeded()).double()
    for last in (layer.attention.w_o, layer.feed_forward.w_down):
        last.weight.zero_()
    x = draw(1, 6, D)
    assert torch.equal(layer(x), x)


def test_a_decoder_layer_without_an_encoder_has_one_attention() -> None:
    alone, whole = (
        sum(p.numel() for p in DecoderLayer(config(family=family)).parameters())
        for family in ("decoder", "encoder_decoder")
    )
    cross = 4 * (D * D + D) + 2 * D  # four products with biases, and a norm
    assert whole - alone == cross


@pytest.mark.parametrize("norm", ["layer", "rms"])
@pytest.mark.parametrize("place", ["pre", "post"])
def test_tokens_of_another_width_are_refused(place: str, norm: str) -> None:
    """A token of one number above all: γ and a plus sign would spread it without a word."""
    layer = EncoderLayer(config(norm_place=place, norm=norm))
    for wrong in (1, D - 1):
        with pytest.raises(ValueError, match=f"like d_model; got \\(1, 3, {wrong}\\)"):
            layer(torch.ones(1, 3, wrong))


@pytest.mark.parametrize("place", ["pre", "post"])
def test_a_list_is_refused_by_name(place: str) -> None:
    settings: Any = config(norm_place=place)
    for layer in (EncoderLayer(settings), LayerNorm(D), RMSNorm(D), FeedForward(D, F)):
        with pytest.raises(TypeError, match="x must be a torch tensor; got list"):
            layer([[[0.0] * D]])


def test_a_feed_forward_network_names_its_width() -> None:
    with pytest.raises(ValueError, match=r"x must be \(..., 16\), like d_model; got \(2, 5\)"):
        FeedForward(D, F)(torch.ones(2, 5))

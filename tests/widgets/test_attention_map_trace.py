"""`AttentionMap.from_trace`: the heads of all layers, as the model's trace has them."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from plainformer.blocks import DecoderOnly, EncoderDecoder, TransformerConfig, trace
from plainformer.widgets import AttentionMap

SIZES = {"vocab_size": 9, "d_model": 8, "n_layers": 3, "n_heads": 2, "d_ff": 16}
IDS = torch.tensor([[1, 2, 3], [4, 5, 6]])


def rng() -> torch.Generator:
    return torch.Generator().manual_seed(0)


@torch.no_grad()
def test_it_holds_all_heads_of_all_layers_of_the_text_that_was_chosen() -> None:
    model = DecoderOnly(TransformerConfig(family="decoder", **SIZES), rng=rng())
    steps = trace(model, IDS)
    widget = AttentionMap.from_trace(["a", "b", "c"], steps, text=1, layer=2, head=1)
    wanted = torch.stack([steps[f"layers.{i}.attention.weights"][1] for i in range(3)])
    assert (widget.n_layers, widget.n_heads, widget.layer, widget.head) == (3, 2, 2, 1)
    np.testing.assert_allclose(widget.weights, wanted.numpy(), atol=1e-6)


@torch.no_grad()
def test_a_look_at_a_source_has_the_sources_tokens_as_keys() -> None:
    config = TransformerConfig(family="encoder_decoder", **SIZES)
    steps = trace(EncoderDecoder(config, rng=rng()), (IDS[:, :2], IDS))
    where = "decoder_layers.*.cross_attention"
    widget = AttentionMap.from_trace(["a", "b", "c"], steps, attention=where, keys=["x", "y"])
    wanted = steps["decoder_layers.0.cross_attention.weights"][0]
    np.testing.assert_allclose(widget.weights[0], wanted.numpy(), atol=1e-6)


@torch.no_grad()
def test_what_a_trace_lacks_is_named() -> None:
    model = DecoderOnly(TransformerConfig(family="decoder", **SIZES), rng=rng())
    steps = trace(model, IDS)
    with pytest.raises(ValueError, match="it has none"):
        AttentionMap.from_trace(["a", "b", "c"], steps, attention="decoder_layers.*.attention")
    with pytest.raises(ValueError, match=r"must have a \* for the layer"):
        AttentionMap.from_trace(["a", "b", "c"], steps, attention="layers")
    with pytest.raises(ValueError, match="text must be from 0 to 1; got 2"):
        AttentionMap.from_trace(["a", "b", "c"], steps, text=2)

"""BlockFlow in Python: its numbers, its words, its picture, and what it refuses."""

import re
from typing import Literal

import numpy as np
import pytest
import torch

from plainformer.attention.example import X
from plainformer.blocks import EncoderLayer, TransformerConfig
from plainformer.widgets import BlockFlow
from plainformer.widgets.block_flow.flow import WEIGHTS


def module(norms: Literal["pre", "post"]) -> EncoderLayer:
    """The package's own layer, with the widget's weights."""
    layer = EncoderLayer(
        TransformerConfig(
            family="encoder", vocab_size=9, d_model=4, n_layers=1, n_heads=2, d_ff=3,
            activation="relu", attention_bias=False, norm_place=norms,
        )
    ).double()  # fmt: skip
    for name, matrix in WEIGHTS.items():
        within = layer.feed_forward if name in ("w_up", "b_up", "w_down") else layer.attention
        place = getattr(within, name.replace("b_", "w_"))
        (place.bias if name == "b_up" else place.weight).data.copy_(torch.tensor(matrix.T))
    layer.feed_forward.w_down.bias.data.zero_()
    return layer


@pytest.mark.parametrize("norms", ["pre", "post"])
def test_two_layers_of_the_package_give_the_same(norms: Literal["pre", "post"]) -> None:
    layer = module(norms)
    with torch.no_grad():
        right = layer(layer(torch.tensor(X)[None]))[0].numpy()
    steps = BlockFlow(norms=norms).steps
    np.testing.assert_allclose(steps[3].stream, right, rtol=0, atol=1e-12)


@pytest.mark.parametrize("norms", ["pre", "none"])
def test_the_stream_is_the_input_and_all_that_was_written(norms: str) -> None:
    steps = BlockFlow(norms=norms, on=[True, False, True, True]).steps
    np.testing.assert_allclose(steps[3].stream, X + sum(each.written for each in steps))
    assert not steps[1].written.any()
    assert (steps[1].stream == steps[0].stream).all()


def test_the_prompt_is_true() -> None:
    """With all switched off, the input comes out; a post-norm norms it nevertheless."""
    for norms, same in (("pre", True), ("none", True), ("post", False)):
        steps = BlockFlow(norms=norms, on=[False] * 4).steps
        assert (steps[3].stream == X).all() == same


def test_it_follows_what_is_set() -> None:
    flow = BlockFlow()
    before = flow.steps[3].stream
    flow.on = [True, True, False, True]
    assert (flow.steps[1].stream == BlockFlow().steps[1].stream).all()
    assert not np.allclose(flow.steps[3].stream, before)


def test_the_words_and_the_picture_say_what_is_shown() -> None:
    flow = BlockFlow(on=[True, False, True, True])
    said = flow.description()
    assert "; pre-norm. For “cat”, attention of layer 1 writes −0.74, 2.08, 1.56, −0.53;" in said
    assert "feed-forward of layer 1 writes nothing;" in said
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", flow.picture())
    assert texts[:5] == ["input", "attention", "feed-forward, off", "attention", "feed-forward"]
    assert texts[7:] == ["your", "▸ cat", "is", "a", "lovely", "cat"]

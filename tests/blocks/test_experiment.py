"""The experiment on deep stacks: what it measures is what the chapter says."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from plainformer.blocks import EncoderLayer, TransformerConfig
from plainformer.blocks.modules.experiment import RULES, measure, run

DEPTH = 12


@pytest.fixture(scope="module")
def measured():
    return {rule: measure(rule, DEPTH, D=16) for rule in RULES}


@pytest.mark.parametrize("place", ["pre", "post"])
def test_the_rules_of_both_orders_are_those_of_the_layers(place):
    config = TransformerConfig(
        family="encoder", vocab_size=1, d_model=8, n_layers=1, n_heads=2, d_ff=8, norm_place=place
    )
    layer = EncoderLayer(config)
    x = torch.randn(1, 5, 8)
    (_, ours) = run([layer], x, RULES[place])
    torch.testing.assert_close(ours, layer(x))


def test_without_anything_stream_and_gradient_vanish(measured):
    m = measured["neither"]
    assert m.size[-1] < 1e-3 * m.size[0]
    assert m.gradient[0] < 1e-3 * m.gradient[-1]


def test_a_residual_alone_explodes(measured):
    m = measured["residual"]
    assert m.size[-1] > 30 * m.size[0]
    assert m.gradient[0] > 3 * m.gradient[-1]


def test_a_norm_alone_makes_all_tokens_equal(measured):
    m = measured["norm"]
    np.testing.assert_allclose(m.size[1:], 1, rtol=1e-2)
    assert m.diversity[0] > 0.5 and m.diversity[-1] < 1e-6
    assert m.attention[-1] < 1e-6 * m.gradient[-1]


def test_pre_keeps_more_of_the_tokens_than_post_and_grows(measured):
    pre, post = measured["pre"], measured["post"]
    assert pre.diversity[-1] > 3 * post.diversity[-1]
    assert pre.size[-1] > 1.5
    np.testing.assert_allclose(post.size[1:], 1, rtol=1e-2)
    assert pre.gradient[-1] < post.gradient[-1]


def test_measuring_repeats_and_leaves_torch_as_it_was():
    before = torch.random.get_rng_state()
    once, again = (measure("pre", 2, D=8) for _ in range(2))
    assert (once.gradient == again.gradient).all()
    assert once.size.shape == once.diversity.shape == (3,)
    assert once.gradient.shape == once.attention.shape == (2,)
    assert torch.equal(before, torch.random.get_rng_state())


def test_an_unknown_rule_is_refused():
    with pytest.raises(ValueError, match="rule must be"):
        measure("sandwich", 2)

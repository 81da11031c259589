"""LoRA: against torch by hand, and what adding, merging and mistakes do to a model."""

import copy

import numpy as np
import pytest
import torch
from torch import nn

from plainformer.assistant import LoRALinear, add_lora, count_trainable, lora_linear, merge_lora
from plainformer.blocks import DecoderOnly, TransformerConfig

IDS = torch.arange(12).reshape(2, 6) % 9


def small_model() -> DecoderOnly:
    config = TransformerConfig(
        family="decoder", vocab_size=9, d_model=8, n_layers=2, n_heads=2, d_ff=16
    )
    return DecoderOnly(config, rng=torch.Generator().manual_seed(0)).double()


def trained(model: nn.Module) -> list[LoRALinear]:
    layers = add_lora(model, 2, alpha=6.0, rng=torch.Generator().manual_seed(1))
    with torch.no_grad():
        for layer in layers:
            layer.b.normal_(generator=torch.Generator().manual_seed(2))
    return layers


def test_the_formula_is_that_of_two_linear_layers_next_to_a_third() -> None:
    """PEFT's layer computes base(x) + lora_B(lora_A(dropout(x))) * (alpha / r)."""
    rng = torch.Generator().manual_seed(0)
    base, lora_a, lora_b = nn.Linear(5, 4), nn.Linear(5, 3, bias=False), nn.Linear(3, 4, bias=False)
    layer = LoRALinear(base, rank=3, alpha=12.0)
    x = torch.randn(2, 7, 5, generator=rng)
    with torch.no_grad():
        layer.a.copy_(lora_a.weight)
        layer.b.copy_(lora_b.weight)
        want = base(x) + lora_b(lora_a(x)) * (12.0 / 3)
        torch.testing.assert_close(layer(x), want)
        formula = lora_linear(x, base.weight, layer.a, layer.b, alpha=12.0) + base.bias
        torch.testing.assert_close(formula, want)
        torch.testing.assert_close(layer.delta(), lora_b.weight @ lora_a.weight * 4)


def test_gradients_reach_a_and_b_only_and_b_alone_at_first() -> None:
    model = small_model()
    layers = add_lora(model, 2)
    model(IDS).square().mean().backward()
    with_gradient = {name for name, p in model.named_parameters() if p.grad is not None}
    assert with_gradient == {
        f"layers.{i}.attention.{w}.{m}" for i in (0, 1) for w in ("w_q", "w_v") for m in "ab"
    }
    for layer in layers:
        assert not layer.a.grad.any() and layer.b.grad.any()


def test_a_model_computes_the_same_until_b_is_trained() -> None:
    model = small_model()
    before = model(IDS)
    add_lora(model, 2)
    assert torch.equal(model(IDS), before)


def test_merging_changes_no_answer_and_unmerging_restores_the_weights() -> None:
    model = small_model()
    layers = trained(model)
    want, frozen = model(IDS), [layer.base.weight.clone() for layer in layers]
    for _ in range(2):  # twice is once
        [layer.merge() for layer in layers]
        torch.testing.assert_close(model(IDS), want)
    for _ in range(2):
        [layer.unmerge() for layer in layers]
        torch.testing.assert_close(model(IDS), want)
        for layer, weight in zip(layers, frozen, strict=True):
            torch.testing.assert_close(layer.base.weight, weight)


def test_a_merged_model_has_the_parameters_of_the_original() -> None:
    model = small_model()
    names = set(model.state_dict())
    trained(model)
    want = model(IDS)
    assert set(merge_lora(model).state_dict()) == names
    assert not any(isinstance(each, LoRALinear) for each in model.modules())
    torch.testing.assert_close(model(IDS), want)
    add_lora(model, 2)  # and again


def test_the_update_has_the_rank() -> None:
    model = small_model()
    for layer in trained(model):
        assert np.linalg.matrix_rank(layer.delta().detach().numpy()) == 2


def test_trainable_numbers_are_those_of_a_and_b() -> None:
    model = small_model()
    add_lora(model, 3, targets=["w_q", "w_up"])
    assert count_trainable(model) == 2 * 3 * (8 + 8 + 8 + 16)


def test_the_same_seed_gives_the_same_layers() -> None:
    first, second = (trained(small_model()) for _ in range(2))
    assert all(torch.equal(a.a, b.a) for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"rank": 9}, ValueError, r"rank must be at most 8, because .*w_q is 8 × 8 .*got 9"),
        ({"rank": 0}, ValueError, "rank must be"),
        ({"rank": 2, "targets": ["w_q", "w_z"]}, ValueError, "got 'w_z'"),
        ({"rank": 2, "targets": "w_q"}, TypeError, "a list of names"),
        ({"rank": 2, "alpha": float("nan")}, ValueError, "alpha must be"),
    ],
)
def test_a_mistake_is_explained_and_changes_nothing(arguments, error, says) -> None:
    model = small_model()
    before = copy.deepcopy(model.state_dict())
    with pytest.raises(error, match=says):
        add_lora(model, **arguments)
    assert all(p.requires_grad for p in model.parameters())
    assert all(torch.equal(before[name], each) for name, each in model.state_dict().items())


def test_lora_on_lora_is_refused() -> None:
    model = small_model()
    add_lora(model, 2)
    with pytest.raises(ValueError, match="merge them first"):
        add_lora(model, 2)
    with pytest.raises(TypeError, match=r"nn\.Linear; got Embedding"):
        LoRALinear(nn.Embedding(3, 4), 1, 1.0)

"""The engine's backward pass and its AdamW against torch, in double precision."""

from types import MethodType
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from tests.widgets.engine import open_model, read, script

from plainformer.blocks import DecoderOnly, TransformerConfig
from plainformer.training import adamw
from plainformer.widgets.kit.front_end import bundle

if TYPE_CHECKING:
    from playwright.sync_api import Page

TEXTS = [[3, 1, 4, 1, 5, 9, 2, 6], [5, 3, 5, 8, 9, 7, 9, 3], [0, 10, 0, 0, 0, 10, 10, 0]]
SMALL = {"vocab_size": 11, "d_model": 16, "n_layers": 2, "n_heads": 4, "d_ff": 20}
LLAMA_3 = {
    "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 100,
}  # fmt: skip

CONFIGS: dict[str, dict[str, Any]] = {
    "gpt2": {"positions": "learned", "max_length": 12, "activation": "gelu_tanh"},
    "gelu": {"positions": "learned", "max_length": 7, "activation": "gelu", "tied": False},
    "relu": {"positions": "rope", "activation": "relu"},
    "silu": {"positions": "rope", "activation": "silu", "attention_bias": False},
    "paper": {
        "positions": "sinusoidal", "d_model": 15, "n_heads": 3, "norm_place": "post",
        "activation": "relu", "scale_embedding": True, "tied": False, "head_bias": True,
    },
    "llama": {
        "positions": "rope", "norm": "rms", "activation": "swiglu", "n_kv_heads": 2, "d_head": 6,
        "rope_scaling": LLAMA_3, "rope_theta": 500.0, "ff_bias": False,
        "attention_bias": {"q": True, "k": True, "v": True, "o": False},
    },
    "half": {
        "positions": "rope", "position_layout": "half", "n_kv_heads": 1, "norm_place": "post",
        "norm": "rms", "activation": "silu", "attention_bias": False,
    },
    "alibi": {"positions": "alibi", "d_model": 24, "n_heads": 6, "norm_embedding": True},
    "segments": {"positions": "sinusoidal", "position_layout": "half", "n_segments": 2},
    "rms embedding": {"norm_embedding": True, "norm": "rms", "positions": "learned",
                      "max_length": 9, "scale_embedding": True},
    "no positions": {"positions": None, "norm": "rms"},
    "one layer": {"n_layers": 1, "positions": "rope"},
    "four layers": {"n_layers": 4, "positions": "rope", "activation": "swiglu"},
    "one head": {"n_heads": 1, "positions": "rope"},
    "odd": {"d_model": 9, "n_heads": 3, "d_ff": 7, "positions": "alibi"},
    "narrow": {"d_model": 2, "n_heads": 1, "d_ff": 1, "positions": "rope", "activation": "gelu"},
    "wide heads": {"d_head": 10, "positions": "rope", "tied": False},
    "large epsilon": {"norm_eps": 0.5, "norm_place": "post", "positions": "alibi"},
    "post, no positions": {"norm_place": "post", "positions": None, "activation": "swiglu"},
    "two words": {"vocab_size": 11, "d_ff": 64, "n_kv_heads": 1, "head_bias": True,
                  "positions": "rope"},
}  # fmt: skip
PLAIN = ("relu", "paper", "llama", "half")  # also without residuals, and without the mask


def new_model(name: str) -> DecoderOnly:
    """All parameters are random, also those that begin as 0 or 1; they are float32 numbers."""
    model = DecoderOnly(TransformerConfig(family="decoder", **(SMALL | CONFIGS[name])))
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0, 0.4, generator=generator)
    return model.double()


def without(model: DecoderOnly, what: str) -> None:
    """Break a model as the page's options do."""
    layers: Any = model.layers
    for layer in layers:
        if what == "causal":
            layer.attention.forward = _seeing_all(layer.attention.forward)
        else:
            layer.add = MethodType(_without_residual, layer)


def _seeing_all(forward: Any) -> Any:
    return lambda *inputs, causal, **options: forward(*inputs, causal=False, **options)


def _without_residual(
    self: Any, x: Any, sublayer: Any, norm: Any, _: Any, *inputs: Any, **options: Any
) -> Any:
    if self.norm_place == "post":
        return norm(sublayer(x, *inputs, **options))
    return sublayer(norm(x), *inputs, **options)


def open_training(page: "Page", model: DecoderOnly) -> None:
    """Put a model on the page as `model`, and what trains it as `t`."""
    open_model(page, model, "float32")
    script(page, "await load(x); window.t = plainformerTraining;", bundle("engine/training_worker"))


def torch_loss(model: DecoderOnly, texts: list[list[int]] = TEXTS) -> torch.Tensor:
    ids = torch.tensor(texts)
    logits = model(ids[:, :-1])
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())


def check_gradients(page: "Page", model: DecoderOnly, options: str = "{}") -> None:
    """Every gradient, to 1e-5 of the largest one of its parameter or of 1."""
    body = f"""
      const {{ loss, gradients }} = t.lossAndGradients(model, x, {options});
      return [loss, pack(gradients)];
    """
    loss, gradients = script(page, body, TEXTS)
    wanted = torch_loss(model)
    wanted.backward()  # type: ignore[no-untyped-call]
    assert loss == pytest.approx(wanted.item(), rel=1e-6)
    found = read(gradients)
    assert set(found) == {name for name, _ in model.named_parameters()}
    for name, parameter in model.named_parameters():
        grad = np.zeros(parameter.shape) if parameter.grad is None else parameter.grad.numpy()
        atol = 1e-5 * max(1, np.abs(grad).max())
        np.testing.assert_allclose(found[name], grad, rtol=0, atol=atol, err_msg=name)
    assert any(np.abs(each).max() > 1e-3 for each in found.values())


@pytest.mark.parametrize("name", CONFIGS)
def test_gradients_are_those_of_torch(page: "Page", name: str) -> None:
    model = new_model(name)
    open_training(page, model)
    check_gradients(page, model)


@pytest.mark.parametrize("what", ["causal", "residuals"])
@pytest.mark.parametrize("name", PLAIN)
def test_and_without_mask_or_residuals(page: "Page", name: str, what: str) -> None:
    model = new_model(name)
    open_training(page, model)
    without(model, what)
    check_gradients(page, model, f"{{ {what}: false }}")


@pytest.mark.parametrize("name", ["gpt2", "relu", "llama", "half"])
def test_fifty_steps_of_adamw(page: "Page", name: str) -> None:
    """The same losses and, at the end, the same weights; the rate changes on the way."""
    model = new_model(name)
    open_training(page, model)
    rates = [0.01 if i < 30 else 0.002 for i in range(50)]
    first, pace = np.random.default_rng(4).integers(1, 5, size=(2, 50, 2, 1))
    batches = ((first + pace * np.arange(7)) % 11).tolist()  # to be continued at the same pace
    body = """
      const state = t.newAdamW(model);
      const [rates, batches] = x;
      const step = (texts, i) => t.trainingStep(model, state, texts, { learningRate: rates[i] });
      return [batches.map(step), pack(model.tensors)];
    """
    losses, tensors = script(page, body, [rates, batches])
    optimizer = adamw(model)
    wanted = []
    for rate, texts in zip(rates, batches, strict=True):
        for group in optimizer.param_groups:
            group["lr"] = rate
        loss = torch_loss(model, texts)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        wanted.append(loss.item())
    np.testing.assert_allclose(losses, wanted, rtol=0, atol=1e-5)
    assert np.mean(wanted[-5:]) < np.mean(wanted[:5]) - 0.2
    found = read(tensors)
    for each, parameter in model.named_parameters():
        if each.endswith("w_k.bias") and model.config.positions != "rope":
            continue  # moves all scores of a row alike: its gradient is rounding error around 0
        np.testing.assert_allclose(
            found[each], parameter.detach().numpy(), rtol=0, atol=1e-4, err_msg=each
        )

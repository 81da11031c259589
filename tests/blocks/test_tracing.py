"""A trace says what happened; a patch changes what it names and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from plainformer.attention import attention, split_heads
from plainformer.blocks import (
    DecoderOnly,
    EncoderDecoder,
    EncoderOnly,
    TransformerConfig,
    ablate,
    patch,
    trace,
)

MODELS: dict[str, dict[str, Any]] = {
    "gpt2": {"family": "decoder", "positions": "learned", "max_length": 16},
    "llama": {
        "family": "decoder", "positions": "rope", "n_kv_heads": 2, "activation": "swiglu",
        "norm": "rms", "attention_bias": False, "ff_bias": False, "tied": False,
    },
    "alibi": {"family": "decoder", "positions": "alibi"},
    "bert": {
        "family": "encoder", "positions": "learned", "max_length": 16, "norm_place": "post",
        "head": "transform", "head_bias": True,
    },
    "pre encoder": {"family": "encoder"},
    "marian": {"family": "encoder_decoder", "norm_place": "post", "activation": "silu"},
    "pre marian": {"family": "encoder_decoder"},
}  # fmt: skip
CLASSES: dict[str, Any] = {
    "decoder": DecoderOnly, "encoder": EncoderOnly, "encoder_decoder": EncoderDecoder,
}  # fmt: skip
CASES = [(name, impl) for name in MODELS for impl in ("formula", "sdpa")]


def make(name: str, impl: str = "formula") -> tuple[Any, Any]:
    """A model whose every number is random, and what it reads."""
    sizes = {"vocab_size": 11, "d_model": 16, "n_layers": 2, "n_heads": 4, "d_ff": 24}
    config = TransformerConfig(**{**sizes, **MODELS[name]})
    rng = torch.Generator().manual_seed(0)
    model = CLASSES[config.family](config, impl=impl, rng=rng).double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=rng, dtype=torch.float64) / 9)
    ids = torch.randint(11, (2, 6), generator=rng)
    source = torch.randint(11, (2, 5), generator=rng)
    return model, (source, ids) if config.family == "encoder_decoder" else ids


def said(model: Any, ids: Any) -> torch.Tensor:
    logits: torch.Tensor = model(*ids) if isinstance(ids, tuple) else model(ids)
    return logits


@torch.no_grad()
@pytest.mark.parametrize(("name", "impl"), CASES)
def test_a_trace_ends_with_what_the_model_says_and_leaves_it_alone(name: str, impl: str) -> None:
    model, ids = make(name, impl)
    before = {module: dict(vars(module)) for module in model.modules()}
    steps, wanted = trace(model, ids), said(model, ids)
    torch.testing.assert_close(steps["logits"], wanted)
    assert list(steps)[-1] == "logits"
    assert {module: dict(vars(module)) for module in model.modules()} == before


@torch.no_grad()
@pytest.mark.parametrize("name", MODELS)
def test_every_step_replaced_with_itself_changes_nothing(name: str) -> None:
    model, ids = make(name)
    steps = trace(model, ids)
    for step, value in steps.items():
        again = patch(model, ids, {step: value.clone()})
        assert all(torch.equal(again[each], steps[each]) for each in steps), step


@torch.no_grad()
@pytest.mark.parametrize("name", MODELS)
def test_every_step_moves_the_logits(name: str) -> None:
    """So no name is of a tensor that nobody reads."""
    model, ids = make(name)
    steps = trace(model, ids)
    for step in steps:
        # Squared, for a norm undoes what is only moved or multiplied.
        moved = patch(model, ids, {step: lambda value: value + value.square()})["logits"]
        assert not torch.allclose(moved, steps["logits"]), step


@torch.no_grad()
@pytest.mark.parametrize("name", MODELS)
def test_the_stream_is_what_was_there_and_what_was_written(name: str) -> None:
    model, ids = make(name)
    steps, stacks = trace(model, ids), ["layers"]
    stacks += ["decoder_layers"] if isinstance(model, EncoderDecoder) else []
    for stack in stacks:
        encoder = stack == "layers" and len(stacks) == 2
        x = steps["source_embedding" if encoder else "embedding"]
        for i, layer in enumerate(getattr(model, stack)):
            for which, sublayer in (
                ("1", "attention"), ("cross", "cross_attention"), ("2", "feed_forward"),
            ):  # fmt: skip
                at = f"{stack}.{i}."
                if f"{at}{sublayer}.output" not in steps:
                    continue
                x = x + steps[f"{at}{sublayer}.output"]
                x = x if layer.norm_place == "pre" else getattr(layer, f"norm_{which}")(x)
                torch.testing.assert_close(steps[f"{at}residual_{which}"], x)
                x = steps[f"{at}residual_{which}"]


@torch.no_grad()
@pytest.mark.parametrize("name", ["gpt2", "pre encoder"])
def test_scores_weights_and_heads_are_those_of_the_formula(name: str) -> None:
    model, ids = make(name)
    steps, at = trace(model, ids), "layers.1.attention."
    layer, read = model.layers[1], steps["layers.1.norm_1"]
    q, k, v = (steps[at + name] for name in ("queries", "keys", "values"))
    torch.testing.assert_close(q, split_heads(layer.attention.w_q(read), 4))
    torch.testing.assert_close(steps[at + "scores"], q @ k.mT / 2)
    mask = torch.ones(6, 6, dtype=torch.bool)
    mask = mask.tril() if name == "gpt2" else mask
    torch.testing.assert_close(steps[at + "weights"], attention(q, k, v, mask=mask)[1])
    torch.testing.assert_close(steps[at + "heads"], steps[at + "weights"] @ v)
    wide = steps["layers.1.feed_forward.activations"]
    wanted = layer.feed_forward.w_down(wide)
    torch.testing.assert_close(steps["layers.1.feed_forward.output"], wanted)


@torch.no_grad()
@pytest.mark.parametrize("impl", ["formula", "sdpa"])
def test_patched_scores_and_weights_are_computed_on(impl: str) -> None:
    model, ids = make("gpt2", impl)
    at = "layers.0.attention."
    sharper = patch(model, ids, {at + "scores": lambda scores: 3 * scores})
    q, k, v = (sharper[at + name] for name in ("queries", "keys", "values"))
    mask = torch.ones(6, 6, dtype=torch.bool).tril()
    wanted = attention(3 * q, k, v, mask=mask)[1]
    torch.testing.assert_close(sharper[at + "weights"], wanted)
    same = patch(model, ids, {at + "weights": wanted})
    torch.testing.assert_close(same["logits"], sharper["logits"])
    torch.testing.assert_close(same[at + "heads"], wanted @ v)


@torch.no_grad()
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("head", [0, 3])
def test_a_head_switched_off_is_one_without_its_rows_of_w_o(name: str, head: int) -> None:
    model, ids = make(name)
    got = patch(model, ids, {"layers.1.attention.heads": ablate(head)})["logits"]
    weight = model.layers[1].attention.w_o.weight  # (D, H · K), the transpose of the formula's
    weight[:, head * 4 : head * 4 + 4] = 0
    torch.testing.assert_close(got, said(model, ids))


@torch.no_grad()
def test_the_look_at_the_source_can_be_read_and_switched_off() -> None:
    model, ids = make("pre marian")
    steps = trace(model, ids)
    assert steps["decoder_layers.0.cross_attention.weights"].shape == (2, 4, 6, 5)
    assert steps["source_embedding"].shape == (2, 5, 16)
    blind = {
        f"decoder_layers.{i}.cross_attention.output": torch.zeros_like(steps["embedding"])
        for i in range(2)
    }
    other = (torch.zeros_like(ids[0]), ids[1])
    torch.testing.assert_close(patch(model, ids, blind)["logits"],
                               patch(model, other, blind)["logits"])  # fmt: skip


def test_gradients_flow_through_a_trace() -> None:
    model, ids = make("gpt2")
    steps = trace(model, ids)
    step = steps["layers.0.residual_2"]
    (grad,) = torch.autograd.grad(steps["logits"][0, 2].sum(), step)
    assert grad[0, :3].abs().max() > 0
    assert grad[0, 3:].abs().max() == 0


@torch.no_grad()
def test_options_and_a_cache_are_the_models_own() -> None:
    model, ids = make("gpt2", "sdpa")
    cache = model.new_cache(2)
    model(ids[:, :4], cache=cache)
    steps = trace(model, ids[:, 4:], cache=cache)
    torch.testing.assert_close(steps["logits"], model(ids)[:, 4:])
    assert steps["layers.0.attention.weights"].shape == (2, 4, 2, 6)


@torch.no_grad()
def test_a_change_in_place_stays_out_of_the_cache() -> None:
    model, ids = make("gpt2")
    cache, clean = model.new_cache(2), model.new_cache(2)
    wanted = model(ids, cache=clean)
    patch(model, ids, {"layers.1.attention.keys": lambda keys: keys.zero_()}, cache=cache)
    cache.rewind(5)
    torch.testing.assert_close(model(ids[:, 5:], cache=cache), wanted[:, 5:])


@torch.no_grad()
def test_dropout_is_out_and_the_mode_comes_back_even_after_an_error() -> None:
    model, ids = make("gpt2")
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.5
    wanted = model(ids)
    model.train()
    model.layers[1].eval()
    torch.testing.assert_close(trace(model, ids)["logits"], wanted)
    with pytest.raises(ValueError, match="ids must be from 0"):
        trace(model, ids + 11)
    assert model.training
    assert model.layers[0].training
    assert not model.layers[1].training
    assert "add" not in vars(model.layers[0])
    assert not model.head._forward_hooks


@pytest.mark.parametrize(
    ("replacements", "error", "says"),
    [
        (
            {"layer.0.residual": 0},
            ValueError,
            "this model has no step 'layer.0.residual'; similar names: layers.0.res",
        ),
        ({"logits": torch.zeros(1)}, ValueError, r"logits must have shape \(2, 6, 11\)"),
        ({"logits": lambda x: x.float()}, ValueError, "must have .* and torch.float64"),
        ({"logits": lambda x: None}, TypeError, "replaced by a tensor; got NoneType"),
        ({"logits": [1.0]}, TypeError, "replaced by a tensor; got list"),
        ({"layers.0.attention.heads": ablate(4)}, ValueError, "from 0 to 3; got 4"),
    ],
)
def test_what_does_not_fit_is_named(replacements: Any, error: Any, says: str) -> None:
    model, ids = make("gpt2")
    with pytest.raises(error, match=says):
        patch(model, ids, replacements)
    with pytest.raises(TypeError, match=r"model must be a DecoderOnly.*got Linear"):
        trace(torch.nn.Linear(2, 2), ids)  # type: ignore[arg-type]
    with pytest.raises(KeyError, match=r"similar names: layers\.1\.residual_2"):
        trace(model, ids)["layers.2.residual_2"]


@pytest.mark.parametrize(
    ("head", "error"), [(-1, ValueError), (1.0, TypeError), (True, TypeError), ("0", TypeError)]
)
def test_heads_are_whole_numbers_and_refused_at_once(head: Any, error: Any) -> None:
    with pytest.raises(error, match="heads must be"):
        ablate(0, head)

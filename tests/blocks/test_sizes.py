"""What a model costs: our formulas against models on the meta device, which allocates nothing."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode

from plainformer.blocks import (
    PRESETS,
    DecoderOnly,
    EncoderDecoder,
    EncoderOnly,
    TransformerConfig,
    cache_bytes,
    count_flops,
    count_parameters,
    training_bytes,
)

MODELS: dict[str, Any] = {
    "decoder": DecoderOnly,
    "encoder": EncoderOnly,
    "encoder_decoder": EncoderDecoder,
}
PUBLISHED = {
    "gpt2": 124_439_808,
    "gpt2-medium": 354_823_168,
    "gpt2-large": 774_030_080,
    "gpt2-xl": 1_557_611_200,
    "bert-base": 109_514_298,
    "llama-2-7b": 6_738_415_616,
    "llama-3-8b": 8_030_261_248,
}


def empty(config: TransformerConfig) -> Any:
    """The model without its numbers."""
    with torch.device("meta"):
        return MODELS[config.family](config)


def counted(model: torch.nn.Module) -> dict[str, int]:
    """Its parameters, by the names that they have in the modules."""
    parts: Counter[str] = Counter()
    for name, parameter in model.named_parameters():
        if name.startswith("head."):
            part = "head"
        elif "norm" in name:
            part = "norms"
        elif name == "embedding.positions":
            part = "positions"
        elif name.startswith("embedding."):
            part = "embedding"
        else:
            part = "attention" if "attention" in name else "feed_forward"
        parts[part] += parameter.numel()
    return dict(parts)


@st.composite
def configs(draw: st.DrawFn) -> TransformerConfig:
    """Any mixture of the choices, small."""
    family: Any = draw(st.sampled_from(sorted(MODELS)))
    G, group, K = draw(st.integers(1, 3)), draw(st.integers(1, 3)), draw(st.integers(1, 3))
    bias: Any = draw(st.booleans() | st.fixed_dictionaries({n: st.booleans() for n in "qkvo"}))
    given_head = draw(st.booleans())
    activation: Any = draw(st.sampled_from(["relu", "gelu", "swiglu"]))
    heads = ["linear"] if activation == "swiglu" else ["linear", "transform"]
    return TransformerConfig(
        family=family, vocab_size=draw(st.integers(1, 30)), n_layers=draw(st.integers(1, 3)),
        d_model=draw(st.integers(1, 9)) if given_head else G * group * 2 * K,
        d_head=2 * K if given_head else None, n_heads=G * group, n_kv_heads=G,
        d_ff=draw(st.integers(1, 20)), max_length=draw(st.integers(8, 20)),
        norm=draw(st.sampled_from(["layer", "rms"])),
        norm_place=draw(st.sampled_from(["pre", "post"])),
        activation=activation,
        positions=draw(st.sampled_from(["learned", "sinusoidal", None])),
        n_segments=draw(st.integers(0, 2)), norm_embedding=draw(st.booleans()),
        attention_bias=bias, ff_bias=draw(st.booleans()),
        head=draw(st.sampled_from(heads)), head_bias=draw(st.booleans()),
        tied=draw(st.booleans()),
    )  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(config=configs())
def test_parameters_are_those_of_the_model(config: TransformerConfig) -> None:
    ours = {part: n for part, n in count_parameters(config).items() if n}
    assert ours == counted(empty(config))


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_presets_are_counted_as_their_models_are(name: str) -> None:
    parts = {part: n for part, n in count_parameters(PRESETS[name]).items() if n}
    assert parts == counted(empty(PRESETS[name]))
    assert sum(parts.values()) == PUBLISHED.get(name, sum(parts.values()))


def published(hf: Any, name: str) -> Any:
    """The same model in transformers; a size that is not named here is its default."""
    if name == "gpt2":
        return hf.GPT2LMHeadModel(hf.GPT2Config())
    if name == "bert-base":
        return hf.BertForMaskedLM(hf.BertConfig())
    if name == "llama-2-7b":
        return hf.LlamaForCausalLM(hf.LlamaConfig())
    sizes = {"vocab_size": 128256, "intermediate_size": 14336, "num_key_value_heads": 8}
    return hf.LlamaForCausalLM(hf.LlamaConfig(**sizes))


@pytest.mark.parametrize("name", ["gpt2", "bert-base", "llama-2-7b", "llama-3-8b"])
def test_presets_are_as_large_as_the_models_of_transformers(name: str) -> None:
    hf = pytest.importorskip("transformers")
    with torch.device("meta"):
        model = published(hf, name)
    assert sum(p.numel() for p in model.parameters()) == PUBLISHED[name]


@settings(max_examples=30, deadline=None)
@given(config=configs(), T=st.integers(1, 8), S=st.integers(1, 8))
def test_operations_are_those_that_torch_counts(config: TransformerConfig, T: int, S: int) -> None:
    both = config.family == "encoder_decoder"
    model = MODELS[config.family](config)
    ids = [torch.zeros(1, n, dtype=torch.long) for n in ([S, T] if both else [T])]
    with FlopCounterMode(display=False) as counter:
        model(*ids)
    assert sum(count_flops(config, T, S if both else 0).values()) == counter.get_total_flops()


def test_training_takes_three_times_as_many_operations() -> None:
    model = DecoderOnly(PRESETS["small"])
    with FlopCounterMode(display=False) as counter:
        logits = model(torch.zeros(1, 100, dtype=torch.long))
        forward = counter.get_total_flops()
        logits.sum().backward()
    assert sum(count_flops(PRESETS["small"], 100).values()) == forward
    assert counter.get_total_flops() == 3 * forward


@torch.no_grad()
@pytest.mark.parametrize("G", [1, 2, 4])
@pytest.mark.parametrize("B", [1, 3])
def test_cache_is_as_large_as_the_models(G: int, B: int) -> None:
    config = TransformerConfig(
        family="decoder", vocab_size=9, d_model=16, n_layers=3, n_heads=4, n_kv_heads=G, d_ff=4
    )
    model = DecoderOnly(config)
    cache = model.new_cache(B, 8)
    model(torch.zeros(B, 7, dtype=torch.long), cache=cache)
    kept = sum(part.nbytes for layer in cache for part in (layer.keys, layer.values))
    assert cache_bytes(config, 7, batch=B, bytes_per_number=4) == kept


def kept_by_autograd(config: TransformerConfig, B: int, T: int) -> int:
    """Bytes of what torch saves for a backward pass, beside the model's own parameters."""
    model = MODELS[config.family](config, impl="formula")
    own = {p.untyped_storage().data_ptr() for p in model.parameters()}
    saved = {}

    def note(x: torch.Tensor) -> torch.Tensor:
        storage = x.untyped_storage()
        if x.is_floating_point() and storage.data_ptr() not in own:
            saved[storage.data_ptr()] = (storage.nbytes(), x)  # x, so that no address comes twice
        return x

    ids = [torch.zeros(B, T, dtype=torch.long)] * (2 if config.family == "encoder_decoder" else 1)
    with torch.autograd.graph.saved_tensors_hooks(note, lambda x: x):
        model(*ids).logsumexp(dim=-1).sum()
    return sum(size for size, _ in saved.values())


@pytest.mark.parametrize("family", sorted(MODELS))
@pytest.mark.parametrize("activation", ["relu", "swiglu"])
@pytest.mark.parametrize("T", [4, 64])
def test_activations_are_the_least_of_what_torch_keeps(
    family: Any, activation: Any, T: int
) -> None:
    """Torch keeps every step of a formula; ours is what the backward formulas need."""
    config = TransformerConfig(
        family=family, vocab_size=50, d_model=64, n_layers=3, n_heads=4, d_ff=256,
        activation=activation,
    )  # fmt: skip
    source = T if family == "encoder_decoder" else 0
    ours = training_bytes(config, T, batch=2, source_length=source)["activations"]
    kept = kept_by_autograd(config, 2, T)
    assert ours <= kept <= 2.5 * ours


def test_training_keeps_four_numbers_for_each_parameter() -> None:
    needs = training_bytes(PRESETS["gpt2"], 1)
    assert needs["weights"] == needs["gradients"] == 4 * 124_439_808
    assert needs["adam"] == 8 * 124_439_808


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda c: count_flops(c, 0), "context_length must be 1 or more"),
        (lambda c: count_flops(c, 4, 4), "source_length must be 0 in the family 'decoder'"),
        (lambda c: cache_bytes(c, 4, batch=0), "batch must be 1 or more"),
        (lambda c: cache_bytes(c, 4, bytes_per_number=0), "bytes_per_number must be 1 or more"),
        (
            lambda _: cache_bytes(PRESETS["bert-base"], 4),
            "config must be of a family that generates",
        ),
        (lambda _: count_flops(PRESETS["transformer-base"], 4), "source_length must be 1 or more"),
    ],
)
def test_mistakes_are_named(call: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        call(PRESETS["gpt2"])

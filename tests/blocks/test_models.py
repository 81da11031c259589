"""Whole models: the laws that hold for every choice of a configuration."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from tests.calls import functions_passed
from torch._subclasses.fake_tensor import FakeTensorMode

from plainformer.blocks import (
    DecoderLayer,
    DecoderOnly,
    EncoderDecoder,
    EncoderOnly,
    TransformerConfig,
)

V = 11
KINDS: dict[str, dict[str, Any]] = {
    "learned": {"positions": "learned", "max_length": 32},
    "llama": {
        "positions": "rope", "position_layout": "half", "n_kv_heads": 2, "activation": "swiglu",
        "norm": "rms", "attention_bias": False, "ff_bias": False, "tied": False,
    },
    "alibi": {"positions": "alibi", "d_head": 6},
    "sinusoidal, post": {"norm_place": "post", "scale_embedding": True},
    "none": {"positions": None, "head_bias": True, "norm_embedding": True},
}  # fmt: skip
NAMES = sorted(KINDS)
IMPLS = ["formula", "sdpa"]
SMALL = [torch.uint8, torch.int8, torch.int16, torch.int32]


def config(name: str, family: str = "decoder") -> TransformerConfig:
    sizes = {"vocab_size": V, "d_model": 16, "n_layers": 3, "n_heads": 4, "d_ff": 40}
    made: Any = TransformerConfig(**{"family": family, **sizes, **KINDS[name]})
    return made


def decoder(name: str, impl: Any = "formula") -> DecoderOnly:
    rng = torch.Generator().manual_seed(0)
    return DecoderOnly(config(name), impl=impl, rng=rng).double().eval()


def ids(*shape: int, seed: int = 1) -> torch.Tensor:
    return torch.randint(0, V, shape, generator=torch.Generator().manual_seed(seed))


@torch.no_grad()
@pytest.mark.parametrize(
    ("name", "most"), [("learned", 20), ("sinusoidal, post", 20), ("llama", 23)]
)
def test_a_forward_pass_passes_few_functions(name: str, most: int) -> None:
    """One can follow it in a debugger, from the ids to the logits."""
    model = decoder(name)
    assert most - 5 < len(functions_passed(lambda: model(ids(2, 7)))) <= most


@torch.no_grad()
@pytest.mark.parametrize("impl", IMPLS)
@pytest.mark.parametrize("name", NAMES)
def test_a_cache_changes_nothing(name: str, impl: str) -> None:
    model, text = decoder(name, impl), ids(2, 7)
    cache = model.new_cache(2, 8)
    parts = [model(text[:, a:b], cache=cache) for a, b in ((0, 4), (4, 5), (5, 7))]
    torch.testing.assert_close(torch.cat(parts, dim=1), model(text))
    cache.rewind(3)
    torch.testing.assert_close(model(text[:, 3:5], cache=cache), model(text)[:, 3:5])


@torch.no_grad()
@pytest.mark.parametrize("impl", IMPLS)
@pytest.mark.parametrize("name", NAMES)
def test_padding_on_the_left_changes_nothing(name: str, impl: str) -> None:
    model, text = decoder(name, impl), ids(2, 7)
    positions = torch.arange(7) - torch.tensor([[2], [0]])
    alone = torch.cat([model(text[:1, 2:])[0], model(text[1:])[0]])
    cache = model.new_cache(2)
    parts = [
        model(text[:, a:b], cache=cache, positions=positions[:, a:b]) for a, b in ((0, 4), (4, 7))
    ]
    for got in (model(text, positions=positions), torch.cat(parts, dim=1)):
        torch.testing.assert_close(got[positions >= 0], alone)


@pytest.mark.parametrize("name", NAMES)
def test_no_later_token_moves_an_earlier_logit(name: str) -> None:
    model, text = decoder(name), ids(1, 7)
    changed = text.clone()
    changed[0, 4] = (text[0, 4] + 1) % V
    before, after = model(text), model(changed)
    torch.testing.assert_close(before[:, :4], after[:, :4], rtol=0, atol=1e-12)
    assert not torch.allclose(before[:, 4:], after[:, 4:])
    seen = []
    model.embedding.register_forward_hook(lambda _, __, x: seen.append(x) or None)
    logits = model(text)
    (grad,) = torch.autograd.grad(logits[0, 3].square().sum(), seen)
    assert grad[0, :4].abs().sum(dim=-1).min() > 0
    assert grad[0, 4:].abs().max() == 0


@torch.no_grad()
@pytest.mark.parametrize("name", NAMES)
def test_the_fast_way_is_the_formula(name: str) -> None:
    text = ids(2, 7)
    torch.testing.assert_close(decoder(name, "sdpa")(text), decoder(name)(text))


@torch.no_grad()
@pytest.mark.parametrize("name", NAMES)
def test_the_fast_way_waits_for_no_number(name: str) -> None:
    """Fake tensors have none: to look at one is an error. So does the meta device."""
    positions = torch.arange(7) - torch.tensor([[2], [0]])
    with torch.device("meta"):
        shape = DecoderOnly(config(name), impl="sdpa")(ids(2, 7).to("meta")).shape
    assert shape == (2, 7, V)
    with FakeTensorMode() as mode:
        model = DecoderOnly(config(name), impl="sdpa")
        text, places = mode.from_tensor(ids(2, 7)), mode.from_tensor(positions)
        assert model(text).shape == (2, 7, V)
        assert model(text, positions=places).shape == (2, 7, V)


@torch.no_grad()
@pytest.mark.parametrize("name", NAMES)
def test_it_runs_in_bfloat16(name: str) -> None:
    model, text = decoder(name, "sdpa"), ids(2, 7)
    exact = model(text)
    rough = model.bfloat16()(text)
    assert rough.dtype == torch.bfloat16
    error = (rough.double() - exact).norm() / exact.norm()
    assert error < 0.05


@torch.no_grad()
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore:Dynamo detected a call to a `functools.lru_cache`")
def test_the_fast_way_compiles_into_one_graph(name: str) -> None:
    model, text = decoder(name, "sdpa"), ids(2, 7)
    compiled = torch.compile(model, fullgraph=True, backend="eager")
    torch.testing.assert_close(compiled(text), model(text))


@torch.no_grad()
def test_an_encoder_reads_both_ways_and_ignores_padding() -> None:
    settings = config("learned", "encoder")
    model = EncoderOnly(settings, rng=torch.Generator().manual_seed(0)).double().eval()
    text, tokens = ids(1, 7), torch.tensor([[True] * 5 + [False] * 2])
    torch.testing.assert_close(model(text, mask=tokens)[:, :5], model(text[:, :5]))
    changed = text.clone()
    changed[0, 4] = (text[0, 4] + 1) % V
    assert not torch.allclose(model.encode(text)[:, 0], model.encode(changed)[:, 0])


@torch.no_grad()
@pytest.mark.parametrize("impl", IMPLS)
def test_a_bound_decoder_with_a_cache_says_what_the_whole_model_says(impl: Any) -> None:
    settings = config("sinusoidal, post", "encoder_decoder")
    rng = torch.Generator().manual_seed(0)
    model = EncoderDecoder(settings, impl=impl, rng=rng).double().eval()
    source, text = ids(2, 6), ids(2, 5, seed=2)
    tokens = torch.tensor([[True] * 6, [True] * 4 + [False] * 2])
    whole = model(source, text, source_mask=tokens)
    bound = model.bind(source, source_mask=tokens)
    cache = bound.new_cache(2, 5)
    first = bound(text[:, :2], cache=cache)
    cache.select([1, 0, 1])  # rows move, and their sources with them
    rest = bound(text[[1, 0, 1], 2:], cache=cache)
    torch.testing.assert_close(first, whole[:, :2])
    torch.testing.assert_close(rest, whole[[1, 0, 1], 2:])


@pytest.mark.parametrize(
    ("text", "positions", "says"),
    [
        (torch.tensor([[1, V]]), None, f"ids must be from 0 to {V - 1}; got {V} at \\[0, 1\\]"),
        (torch.tensor([1, 2]), None, "ids must be .B, T."),
        (torch.zeros(1, 33, dtype=torch.long), None, "at most 32 tokens; got 33"),
        (torch.zeros(1, 2, dtype=torch.long), torch.tensor([[5, 6]]), "positions must be from 0"),
    ],
)
def test_what_does_not_fit_is_named(text: Any, positions: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        decoder("learned")(text, positions=positions)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"n_heads": 5}, "n_heads must divide d_model"),
        ({"n_kv_heads": 3}, "n_kv_heads must divide n_heads"),
        ({"activation": "tanh"}, "activation must be"),
        ({"family": "both"}, "family must be"),
        ({"positions": "learned"}, "max_length must be given"),
        ({"dropout": 1.0}, "^dropout must be"),
        ({"activation_dropout": 1.0}, "^activation_dropout must be"),
        ({"activation": "swiglu", "head": "transform"}, "activation must have no gate"),
        ({"family": "encoder", "positions": "alibi"}, "positions must not be 'alibi'"),
        ({"d_ff": 0}, "d_ff must be 1 or more"),
    ],
)
def test_a_configuration_that_makes_no_sense_is_refused(options: Any, says: str) -> None:
    sizes = {"family": "decoder", "vocab_size": V, "d_model": 16, "n_layers": 1, "n_heads": 4}
    with pytest.raises(ValueError, match=says):
        TransformerConfig(**{**sizes, "d_ff": 8, **options})


def test_a_family_and_a_source_that_do_not_fit_are_named() -> None:
    with pytest.raises(ValueError, match="family 'encoder'; got 'decoder'"):
        EncoderOnly(config("learned"))
    x = torch.ones(1, 2, 16)
    with pytest.raises(ValueError, match="source must be None in a decoder without an encoder"):
        DecoderLayer(config("learned"))(x, x)
    with pytest.raises(ValueError, match="source must be given"):
        DecoderLayer(config("none", "encoder_decoder"))(x)
    mask = torch.ones(1, 1, 3, dtype=torch.bool)
    with pytest.raises(ValueError, match="source_mask must be None without a source"):
        DecoderLayer(config("learned"))(x, source_mask=mask)


def test_a_mask_and_a_cache_of_another_kind_are_named() -> None:
    model = EncoderDecoder(config("none", "encoder_decoder"))
    text = ids(1, 3)
    with pytest.raises(TypeError, match="mask must be a torch tensor; got list"):
        model.encode(text, mask=[[True] * 3])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"mask must be \(1, 3\), like the ids; got \(3,\)"):
        model.encode(text, mask=torch.ones(3, dtype=torch.bool))
    foreign: Any = decoder("none").new_cache(1)
    for cache in (foreign, model.bind(text + 1).new_cache(1)):
        with pytest.raises(ValueError, match="cache must come from this decoder's new_cache"):
            model.bind(text)(text, cache=cache)


@torch.no_grad()
@pytest.mark.parametrize("dtype", SMALL, ids=str)
def test_ids_positions_and_segments_may_be_integers_of_any_width(dtype: torch.dtype) -> None:
    text, positions = ids(2, 7), torch.arange(7).expand(2, 7)
    model = decoder("learned")
    small = model(text.to(dtype), positions=positions.to(dtype))
    torch.testing.assert_close(small, model(text, positions=positions))
    reader = EncoderOnly(TransformerConfig(
        family="encoder", vocab_size=V, d_model=8, n_layers=1, n_heads=2, d_ff=8, n_segments=2
    )).eval()  # fmt: skip
    parts = (text > 5).to(torch.int64)
    small = reader(text.to(dtype), segments=parts.to(dtype))
    torch.testing.assert_close(small, reader(text, segments=parts))


@torch.no_grad()
@pytest.mark.parametrize("dtype", SMALL, ids=str)
def test_the_rows_of_sources_may_be_integers_of_any_width(dtype: torch.dtype) -> None:
    model = EncoderDecoder(config("none", "encoder_decoder")).eval()
    source, text = ids(3, 5), ids(3, 2)
    decoder = model.bind(source)
    cache = decoder.new_cache(3)
    decoder(text[:, :1], cache=cache)
    cache.select(torch.tensor([1, 1, 0], dtype=dtype))  # as a mask: texts 0 and 1
    order = [1, 1, 0]
    expected = model(source[order], torch.cat([text[order, :1], text[:, 1:]], dim=1))[:, 1:]
    torch.testing.assert_close(decoder(text[:, 1:], cache=cache), expected)

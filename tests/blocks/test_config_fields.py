"""A field that is new to a configuration, and set, is refused wherever it is not computed."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from plainformer.blocks import (
    PRESETS,
    DecoderOnly,
    TransformerConfig,
    cache_bytes,
    count_flops,
    count_parameters,
    save_pretrained,
    training_bytes,
)
from plainformer.blocks.sizes import COUNTED
from plainformer.training import sharing
from plainformer.widgets import ModelBuilder
from plainformer.widgets.engine.pack import COMPUTED, pack_model
from plainformer.widgets.model_builder import widget


@dataclass(frozen=True, kw_only=True)
class NewConfig(TransformerConfig):
    """A configuration with a made-up option."""

    mystery: int = 0


def config(**options: Any) -> NewConfig:
    return NewConfig(
        family="decoder", vocab_size=9, d_model=8, n_layers=1, n_heads=2, d_ff=16, **options
    )


INTERPRETERS: dict[str, Any] = {
    "count_parameters": count_parameters,
    "count_flops": lambda config: count_flops(config, 4),
    "cache_bytes": lambda config: cache_bytes(config, 4),
    "training_bytes": lambda config: training_bytes(config, 4),
    "sharing": lambda config: sharing.step_cost(config, 4, 1, "one"),
    "pack_model": lambda config: pack_model(DecoderOnly(config)),
}


@pytest.mark.parametrize("interpret", INTERPRETERS.values(), ids=INTERPRETERS)
def test_a_field_that_is_not_taken_into_account_is_refused(interpret: Any) -> None:
    interpret(config())
    with pytest.raises(ValueError, match="mystery"):
        interpret(config(mystery=1))


def test_the_model_builder_refuses_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    presets = MappingProxyType({**PRESETS, "small": config(mystery=1)})
    monkeypatch.setattr(widget, "PRESETS", presets)
    with pytest.raises(ValueError, match="mystery"):
        ModelBuilder()


def test_a_layout_cannot_describe_it(tmp_path: Path) -> None:
    model = DecoderOnly(config(positions="learned", max_length=4, activation="gelu_tanh"))
    save_pretrained(model, tmp_path / "old", "gpt2")
    options: Any = {"positions": "learned", "max_length": 4, "activation": "gelu_tanh"}
    with pytest.raises(ValueError, match="mystery"):
        save_pretrained(DecoderOnly(config(mystery=1, **options)), tmp_path / "new", "gpt2")
    assert not (tmp_path / "new").exists()


def test_only_fields_that_exist_are_listed() -> None:
    names = {field.name for field in fields(TransformerConfig)}
    assert names >= COUNTED | COMPUTED
    assert names - COUNTED == set()


@pytest.mark.parametrize(
    "options",
    [{"qk_norm": True}, {"sliding_window": 3}, {"logit_softcap": 9.0},
     {"norm_place": "sandwich"}, {"activation": "geglu_tanh"}],
)  # fmt: skip
def test_the_pages_engine_refuses_what_it_does_not_compute(options: Any) -> None:
    (name,) = options
    with pytest.raises(ValueError, match=name):
        pack_model(DecoderOnly(config(**options)))


@pytest.mark.parametrize("options", [{}, {"qk_norm": True, "norm_place": "sandwich"}])
def test_the_layers_parameters_are_those_of_a_model(options: Any) -> None:
    model = DecoderOnly(config(norm="rms", **options))
    exact = sum(each.numel() for each in model.layers.parameters())
    assert sharing.parameters_in_layers(model.config) == exact
    whole = sum(each.numel() for each in model.parameters())
    assert sum(count_parameters(model.config).values()) == whole

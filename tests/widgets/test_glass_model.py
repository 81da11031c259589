"""GlassModel in Python: what it reads, what it refuses, what a page carries of it."""

import pytest
import torch
from tests.widgets.glass import glass, lm, random_decoder

from plainformer.blocks import trace
from plainformer.widgets import GlassModel
from plainformer.widgets.glass_model.experiments import run
from plainformer.widgets.glass_model.selection import NUMBERS, check_selected


def test_without_experiments_it_is_the_model() -> None:
    widget = glass()
    with torch.no_grad():
        wanted = trace(widget.model, torch.tensor([widget.ids]))
    found = widget.steps
    assert list(found) == list(wanted)
    assert all(torch.equal(found[name], step) for name, step in wanted.items())
    names = {".".join(part for part in name.split(".") if not part.isdigit()) for name in wanted}
    assert names == set(NUMBERS)


def test_what_is_hidden_moves_nothing_but_itself() -> None:
    """Whatever stands at a hidden place, no other token is told."""
    model, ids = lm().model, [5, 17, 300, 9]
    for each in (17, 400):
        ids[1] = each
        found = run(model, ids, hidden=[1])["logits"][0]
        if each == 17:
            first = found
    assert torch.equal(first[[0, 2, 3]], found[[0, 2, 3]])
    assert not torch.equal(first[1], found[1])


def test_a_layer_off_leaves_the_stream_as_it_is() -> None:
    steps = run(lm().model, [5, 17, 300, 9], off=["1"])
    assert torch.equal(steps["layers.0.residual_2"], steps["layers.1.residual_2"])


def test_all_heads_of_a_layer_off_is_its_attention_off() -> None:
    steps = run(lm().model, [5, 17, 300], off=["2.0", "2.1", "2.2", "2.3"])
    assert torch.equal(steps["layers.1.residual_2"], steps["layers.2.residual_1"])


def test_an_empty_prompt_is_the_bos_token_and_a_long_one_loses_its_beginning() -> None:
    widget = glass(prompt="")
    assert widget.ids == [lm().tokenizer.special_tokens["<sos>"]]
    widget.prompt = "the end of it " * 60
    assert widget.ids == lm().tokenizer.encode(widget.prompt)[-128:]
    assert widget.data["summary"] is not None
    assert glass(prompt=widget.prompt).data["summary"] is None  # it would weigh too much


def test_a_model_that_is_too_large_is_refused() -> None:
    tokenizer = lm().tokenizer
    with pytest.raises(ValueError, match="model must have at most 12 layers; got 13"):
        GlassModel(random_decoder(2400, n_layers=13, n_heads=1), tokenizer)
    with pytest.raises(ValueError, match="must know all 2,400 tokens of the tokenizer; it knows 9"):
        GlassModel(random_decoder(9, n_layers=1, n_heads=1), tokenizer)
    with pytest.raises(TypeError, match="model must be a DecoderOnly; got function"):
        GlassModel(lambda ids: ids, tokenizer)  # type: ignore[arg-type]


def test_every_place_of_a_trace_can_be_selected() -> None:
    widget = glass()
    for name, step in widget.steps.items():
        last = ", ".join(str(size - 1) for size in step.shape[1:])
        assert check_selected(f"{name}[{last}]", widget.model.config)
    with pytest.raises(ValueError, match="selected must be"):
        check_selected("logits[0, 2400]", widget.model.config)

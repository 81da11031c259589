"""What a step costs on paper is what it costs: bytes held, bytes sent, call by call."""

import dataclasses
from dataclasses import dataclass, replace

import pytest

from plainformer.blocks import PRESETS, DecoderOnly, TransformerConfig, count_parameters
from plainformer.exercises import exercise
from plainformer.training.many_machines import one_process, sentence_run, two_processes
from plainformer.training.sharing import COUNTED, STRATEGIES, parameters_in_layers, step_cost
from plainformer.training.traffic import ring_bytes


@pytest.fixture(scope="module")
def measured():
    """A step of two processes."""
    return two_processes(steps=1)


def paper(how: str) -> dict[str, int]:
    return step_cost(sentence_run().model.config, 5, 4, how, 2)


@pytest.mark.parametrize("how", ["ddp", "fsdp"])
def test_what_is_held_and_sent_is_as_on_paper(measured, how):
    step, costs = measured[how], paper(how)
    assert step.held == costs["weights"] + costs["adam"]
    sent = sum(ring_bytes(name, size, 2) for name, size in step.calls)
    assert sent == costs["forward"] + costs["backward"]
    backward = [size for name, size in step.calls if name != "all-gather"]
    assert sum(backward) == 4 * sum(p.numel() for p in sentence_run().model.parameters())


def test_one_process_holds_everything_and_sends_nothing():
    step, costs = one_process(steps=1), paper("one")
    assert step.calls == [] and costs["forward"] == costs["backward"] == 0
    assert step.held == costs["weights"] + costs["adam"]


def test_the_exercise_counts_alike_where_there_are_no_tables():
    held_and_sent = exercise("training.many_machines.2").reference
    P = sum(count_parameters(PRESETS["gpt2"]).values())
    for parts in (1, 2, 8):
        costs = step_cost(PRESETS["gpt2"], 1024, 8, "ddp", parts)
        held = costs["weights"] + costs["gradients"] + costs["adam"]
        assert held_and_sent(P, parts, "ddp") == (held, costs["backward"])
        costs = step_cost(PRESETS["gpt2"], 1024, 8, "fsdp", parts)
        held, sent = held_and_sent(P, parts, "fsdp")
        assert held == costs["weights"] + costs["gradients"] + costs["adam"]
        assert costs["forward"] + costs["backward"] <= sent  # tables are not collected twice


@pytest.mark.parametrize("odd", [{}, {"norm_place": "post"}, {"norm_embedding": True}])
def test_what_is_in_no_layer_is_left_out(odd):
    config = replace(sentence_run().model.config, **odd)
    inside = DecoderOnly(config).layers.parameters()
    assert parameters_in_layers(config) == sum(p.numel() for p in inside)


@dataclass(frozen=True, kw_only=True)
class Extended(TransformerConfig):
    """A configuration with an option that nothing counts yet."""

    made_up: bool = False


def test_an_option_that_is_not_counted_is_refused():
    fields = {
        each.name: getattr(PRESETS["gpt2"], each.name)
        for each in dataclasses.fields(PRESETS["gpt2"])
    }
    assert parameters_in_layers(Extended(**fields)) == parameters_in_layers(PRESETS["gpt2"])
    other = Extended(**fields, made_up=True)
    with pytest.raises(ValueError, match=r"training\.sharing does not take made_up into account"):
        parameters_in_layers(other)
    with pytest.raises(ValueError, match="does not take made_up into account"):
        step_cost(other, 1024, 64, "ddp", 2)


def test_every_field_of_a_configuration_is_counted():
    """Whoever adds a field decides here whether it changes a count."""
    assert {each.name for each in dataclasses.fields(TransformerConfig)} == COUNTED


def test_the_strategies_divide_what_they_say():
    one, accumulate, ddp, fsdp = (
        step_cost(PRESETS["gpt2"], 1024, 64, how, 8) for how in STRATEGIES
    )
    assert accumulate["activations"] == ddp["activations"] == one["activations"] // 8
    assert accumulate["operations"] == one["operations"] == 8 * ddp["operations"]
    assert accumulate["weights"] == ddp["weights"] == 8 * fsdp["weights"]
    assert 0 < fsdp["collected"] < one["weights"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"strategy": "zero"}, "strategy must be 'one', 'accumulate', 'ddp' or 'fsdp'; got 'zero'"),
        ({"parts": 3}, "batch_size must be a multiple of parts, 3; got 64"),
        ({"parts": 0}, "parts must be 1 or more"),
    ],
)
def test_what_cannot_be_is_named(change, words):
    with pytest.raises(ValueError, match=words):
        step_cost(PRESETS["gpt2"], 1024, 64, **({"strategy": "ddp", "parts": 2} | change))
    with pytest.raises(ValueError, match="call must be"):
        ring_bytes("gossip", 4, 2)

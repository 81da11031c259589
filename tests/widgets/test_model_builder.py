"""ModelBuilder in Python: what its numbers are, what it says, and what it refuses."""

import pytest

from plainformer.blocks import PRESETS, cache_bytes, count_flops, count_parameters
from plainformer.widgets import ModelBuilder
from plainformer.widgets.model_builder.widget import LABELS


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_a_preset_is_the_published_model(name: str) -> None:
    builder, config = ModelBuilder(name), PRESETS[name].resolved()
    source = builder.length if config.family == "encoder_decoder" else 0
    assert builder.parameters == count_parameters(config)
    cost = count_flops(config, builder.length, source)
    assert sum(builder.operations.values()) * builder.length == sum(cost.values())
    assert builder.memory["training"] == 16 * sum(builder.parameters.values())


def test_every_preset_has_a_button() -> None:
    assert list(LABELS) == list(PRESETS)


def test_what_goes_with_the_width_follows_it() -> None:
    builder = ModelBuilder("llama-3-8b", d_model=2048)
    config = builder.config
    assert (config.n_heads, config.n_kv_heads, config.d_head) == (16, 4, 128)
    assert config.d_ff == 7168
    assert builder.memory["cache"] == cache_bytes(config, 8192)
    builder.d_model = 64  # a head is as wide as it was, so one group of them is left
    assert (builder.config.n_heads, builder.config.n_kv_heads) == (4, 1)


def test_a_table_of_positions_grows_with_the_text() -> None:
    builder = ModelBuilder("gpt2", length=2048)
    assert builder.parameters["positions"] == 2048 * 768
    builder.length = 100
    assert builder.parameters["positions"] == 1024 * 768


def test_the_words_say_the_numbers() -> None:
    assert ModelBuilder("gpt2").description() == (
        "A model like GPT-2: 768 wide, 12 layers, 50,257 words. It has 124,439,808 parameters: "
        "embedding 31.0%, positions 0.6%, attention 22.8%, feed-forward 45.5%, norms 0.0%. One "
        "token of 1,024 costs 284,812,800 operations."
    )
    assert "38,597,376" in ModelBuilder("gpt2").picture()

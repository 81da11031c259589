"""GPT-2's names. Its matrices are (in, out), and one matrix holds queries, keys and values."""

from __future__ import annotations

from typing import Any

from plainformer.blocks.config import TransformerConfig
from plainformer.blocks.published.layout import (
    Config,
    Layout,
    StoredWeight,
    norm,
    read_sizes,
    refuse_contradiction,
    refuse_unless,
)

__all__ = ["LAYOUT"]

SIZES = {
    "vocab_size": "vocab_size",
    "d_model": "n_embd",
    "n_layers": "n_layer",
    "n_heads": "n_head",
    "max_length": "n_positions",
}
ACTIVATIONS: dict[str, Any] = {
    "gelu_new": "gelu_tanh",
    "gelu": "gelu",
    "relu": "relu",
    "silu": "silu",
}


def read_config(given: Config) -> TransformerConfig:
    """A `TransformerConfig` from GPT-2's config.json."""
    sizes = read_sizes(given, SIZES)
    activation = given.get("activation_function", "gelu_new")
    refuse_unless(
        {"activation_function": activation}, "activation_function", tuple(ACTIVATIONS),
        "which are the activations we have",
    )  # fmt: skip
    why = "because scores are only divided by √K"
    refuse_unless(given, "scale_attn_weights", (True,), why)
    refuse_unless(given, "scale_attn_by_inverse_layer_idx", (False,), why)
    refuse_contradiction(given, "n_ctx", "n_positions")
    refuse_unless(given, "add_cross_attention", (False,), "because there is no source text")
    d_ff = given.get("n_inner")
    return TransformerConfig(
        family="decoder", **sizes, d_ff=4 * sizes["d_model"] if d_ff is None else d_ff,
        activation=ACTIVATIONS[activation], positions="learned",
        norm_eps=given.get("layer_norm_epsilon", 1e-5),
        tied=given.get("tie_word_embeddings", True),
    )  # fmt: skip


def write_config(config: TransformerConfig) -> dict[str, Any]:
    """GPT-2's config.json from a `TransformerConfig`."""
    names = {ours: theirs for theirs, ours in ACTIVATIONS.items()}
    return {
        "model_type": "gpt2",
        "architectures": ["GPT2LMHeadModel"],
        **{theirs: getattr(config, ours) for ours, theirs in SIZES.items()},
        "n_inner": config.d_ff,
        "activation_function": names[config.activation],
        "layer_norm_epsilon": config.norm_eps,
        "tie_word_embeddings": config.tied,
    }


def _linear(ours: str, theirs: str, part: tuple[int, int] | None = None) -> dict[str, StoredWeight]:
    """The weight and the bias of a linear layer."""
    return {
        f"{ours}.weight": StoredWeight(f"{theirs}.weight", transposed=True, part=part),
        f"{ours}.bias": StoredWeight(f"{theirs}.bias", part=part),
    }


LAYOUT = Layout(
    read_config,
    write_config,
    once={
        "embedding.tokens": StoredWeight("wte.weight"),
        "embedding.positions": StoredWeight("wpe.weight"),
        **norm("norm", "ln_f"),
        "head.table": StoredWeight("lm_head.weight"),
    },
    each={
        **norm("layers.{i}.norm_1", "h.{i}.ln_1"),
        **_linear("layers.{i}.attention.w_q", "h.{i}.attn.c_attn", (0, 3)),
        **_linear("layers.{i}.attention.w_k", "h.{i}.attn.c_attn", (1, 3)),
        **_linear("layers.{i}.attention.w_v", "h.{i}.attn.c_attn", (2, 3)),
        **_linear("layers.{i}.attention.w_o", "h.{i}.attn.c_proj"),
        **norm("layers.{i}.norm_2", "h.{i}.ln_2"),
        **_linear("layers.{i}.feed_forward.w_up", "h.{i}.mlp.c_fc"),
        **_linear("layers.{i}.feed_forward.w_down", "h.{i}.mlp.c_proj"),
    },
    prefix="transformer.",
    unused=(".attn.bias", ".attn.masked_bias"),
)

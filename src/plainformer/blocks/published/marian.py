"""Marian's names, as in the opus-mt translators. Both texts and the head share one table."""

from __future__ import annotations

from typing import Any

from plainformer.blocks.config import TransformerConfig
from plainformer.blocks.published.layout import (
    Config,
    Layout,
    StoredWeight,
    linear,
    norm,
    read_sizes,
    refuse_contradiction,
    refuse_unless,
)

__all__ = ["LAYOUT"]

SIZES = {
    "vocab_size": "vocab_size",
    "d_model": "d_model",
    "n_layers": "encoder_layers",
    "n_heads": "encoder_attention_heads",
    "d_ff": "encoder_ffn_dim",
}
DECODER = {  # the decoder's sizes, which must be the encoder's
    "n_layers": "decoder_layers",
    "n_heads": "decoder_attention_heads",
    "d_ff": "decoder_ffn_dim",
}
ACTIVATIONS: dict[str, Any] = {"swish": "silu", "silu": "silu", "relu": "relu", "gelu": "gelu"}


def read_config(given: Config) -> TransformerConfig:
    """A `TransformerConfig` from Marian's config.json."""
    sizes = read_sizes(given, SIZES)
    for ours, theirs in DECODER.items():
        if given.get(theirs) != sizes[ours]:
            raise ValueError(
                f"config.json: {theirs} must be {SIZES[ours]}, {sizes[ours]}; "
                f"got {given.get(theirs)}"
            )
    activation = given.get("activation_function", "gelu")
    have = "which are the activations we have"
    refuse_unless({"activation_function": activation}, "activation_function",
                  tuple(ACTIVATIONS), have)  # fmt: skip
    refuse_unless(given, "is_decoder", (False,), "because there is an encoder as well")
    refuse_unless(given, "normalize_before", (False,), "because the norm follows each sum")
    refuse_unless(given, "normalize_embedding", (False,), "because no norm follows the embedding")
    refuse_unless(
        given, "add_final_layer_norm", (False,), "because the last layer ends with a norm"
    )
    refuse_unless(given, "static_position_embeddings", (True,), "because we compute the sinusoids")
    refuse_contradiction(given, "num_hidden_layers", "encoder_layers")
    refuse_unless(given, "share_encoder_decoder_embeddings", (True,), "because there is one table")
    refuse_unless(given, "tie_word_embeddings", (True,), "because there is one table")
    if given.get("decoder_vocab_size") not in (None, given.get("vocab_size")):
        raise ValueError(
            "config.json: decoder_vocab_size must be vocab_size, because there is one table"
        )
    return TransformerConfig(
        family="encoder_decoder", **sizes,
        max_length=given.get("max_position_embeddings"), norm_place="post",
        activation=ACTIVATIONS[activation], positions="sinusoidal", position_layout="half",
        scale_embedding=given.get("scale_embedding", False), head_bias=True,
    )  # fmt: skip


def write_config(config: TransformerConfig) -> dict[str, Any]:
    """Marian's config.json from a `TransformerConfig`, with our ids for the special tokens."""
    return {
        "model_type": "marian",
        "architectures": ["MarianMTModel"],
        **{theirs: getattr(config, ours) for ours, theirs in SIZES.items()},
        **{theirs: getattr(config, ours) for ours, theirs in DECODER.items()},
        "decoder_vocab_size": config.vocab_size,
        "max_position_embeddings": config.max_length or 1024,
        "activation_function": config.activation,
        "scale_embedding": config.scale_embedding,
        "pad_token_id": config.vocab_size - 1,
        "decoder_start_token_id": config.vocab_size - 1,
        "eos_token_id": 0,
        "share_encoder_decoder_embeddings": True,
        "tie_word_embeddings": True,
    }


def _layer(ours: str, theirs: str) -> dict[str, StoredWeight]:
    """The weights that a layer of the encoder and a layer of the decoder have in common."""
    return {
        **linear(f"{ours}.attention.w_q", f"{theirs}.self_attn.q_proj"),
        **linear(f"{ours}.attention.w_k", f"{theirs}.self_attn.k_proj"),
        **linear(f"{ours}.attention.w_v", f"{theirs}.self_attn.v_proj"),
        **linear(f"{ours}.attention.w_o", f"{theirs}.self_attn.out_proj"),
        **norm(f"{ours}.norm_1", f"{theirs}.self_attn_layer_norm"),
        **linear(f"{ours}.feed_forward.w_up", f"{theirs}.fc1"),
        **linear(f"{ours}.feed_forward.w_down", f"{theirs}.fc2"),
        **norm(f"{ours}.norm_2", f"{theirs}.final_layer_norm"),
    }


OURS, THEIRS = "decoder_layers.{i}", "model.decoder.layers.{i}"

LAYOUT = Layout(
    read_config,
    write_config,
    once={
        "embedding.tokens": StoredWeight("model.shared.weight"),
        "head.bias": StoredWeight("final_logits_bias", row=True),
    },
    each={
        **_layer("layers.{i}", "model.encoder.layers.{i}"),
        **_layer(OURS, THEIRS),
        **linear(f"{OURS}.cross_attention.w_q", f"{THEIRS}.encoder_attn.q_proj"),
        **linear(f"{OURS}.cross_attention.w_k", f"{THEIRS}.encoder_attn.k_proj"),
        **linear(f"{OURS}.cross_attention.w_v", f"{THEIRS}.encoder_attn.v_proj"),
        **linear(f"{OURS}.cross_attention.w_o", f"{THEIRS}.encoder_attn.out_proj"),
        **norm(f"{OURS}.norm_cross", f"{THEIRS}.encoder_attn_layer_norm"),
    },
    unused=(
        "model.encoder.embed_tokens.weight",  # copies of the one table
        "model.decoder.embed_tokens.weight",
        "lm_head.weight",
        "embed_positions.weight",  # sinusoids, which are computed
    ),
)

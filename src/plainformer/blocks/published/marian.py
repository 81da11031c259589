"""Marian's names, as in the opus-mt translators. Source, target and head share one table."""

from __future__ import annotations

from typing import Any

from plainformer.blocks.config import TransformerConfig
from plainformer.blocks.published.layout import (
    Config,
    Layout,
    StoredWeight,
    attention,
    linear,
    norm,
    refuse_contradiction,
)

__all__ = ["LAYOUT"]

ONE_TABLE = "because both texts and the head share one table"


def read_more(given: Config, model_type: str) -> dict[str, Any]:
    """Check that keys given for both the encoder and the decoder have the same values."""
    for name in ("layers", "attention_heads", "ffn_dim"):
        ours, theirs = given[f"encoder_{name}"], given.get(f"decoder_{name}")
        if theirs != ours:
            raise ValueError(
                f"config.json: decoder_{name} must be encoder_{name}, {ours}; got {theirs}"
            )
    refuse_contradiction(given, "num_hidden_layers", "encoder_layers")
    refuse_contradiction(given, "decoder_vocab_size", "vocab_size")
    return {}


def write_more(config: TransformerConfig, model_type: str) -> dict[str, Any]:
    """The keys of the decoder, and our ids for the special tokens."""
    return {
        "decoder_layers": config.n_layers,
        "decoder_attention_heads": config.n_heads,
        "decoder_ffn_dim": config.d_ff,
        "decoder_vocab_size": config.vocab_size,
        "max_position_embeddings": config.max_length or 1024,
        "pad_token_id": config.vocab_size - 1,
        "decoder_start_token_id": config.vocab_size - 1,
        "eos_token_id": 0,
    }


PROJECTIONS = "q_proj k_proj v_proj out_proj"


def _layer(ours: str, theirs: str) -> dict[str, StoredWeight]:
    """The weights that a layer of the encoder and a layer of the decoder have in common."""
    return {
        **attention(f"{ours}.attention", f"{theirs}.self_attn", PROJECTIONS),
        **norm(f"{ours}.norm_1", f"{theirs}.self_attn_layer_norm"),
        **linear(f"{ours}.feed_forward.w_up", f"{theirs}.fc1"),
        **linear(f"{ours}.feed_forward.w_down", f"{theirs}.fc2"),
        **norm(f"{ours}.norm_2", f"{theirs}.final_layer_norm"),
    }


OURS, THEIRS = "decoder_layers.{i}", "model.decoder.layers.{i}"

LAYOUT = Layout(
    model_type="marian",
    architecture="MarianMTModel",
    fields={
        "family": "encoder_decoder", "norm_place": "post", "positions": "sinusoidal",
        "position_layout": "half", "head_bias": True,
    },
    sizes={
        "vocab_size": "vocab_size",
        "d_model": "d_model",
        "n_layers": "encoder_layers",
        "n_heads": "encoder_attention_heads",
        "d_ff": "encoder_ffn_dim",
    },
    options={
        "max_length": ("max_position_embeddings", None),
        "activation": ("activation_function", "gelu"),
        "scale_embedding": ("scale_embedding", False),
    },
    must_be={
        "is_decoder": ((False,), "because there is an encoder as well"),
        "normalize_before": ((False,), "because the norm follows each sum"),
        "normalize_embedding": ((False,), "because no norm follows the embedding"),
        "add_final_layer_norm": ((False,), "because the last layer ends with a norm"),
        "static_position_embeddings": ((True,), "because we compute the sinusoids"),
        "share_encoder_decoder_embeddings": ((True,), ONE_TABLE),
        "tie_word_embeddings": ((True,), ONE_TABLE),
    },
    read_more=read_more,
    write_more=write_more,
    once={
        "embedding.tokens": StoredWeight("model.shared.weight"),
        "head.bias": StoredWeight("final_logits_bias", row=True),
    },
    each={
        **_layer("layers.{i}", "model.encoder.layers.{i}"),
        **_layer(OURS, THEIRS),
        **attention(f"{OURS}.cross_attention", f"{THEIRS}.encoder_attn", PROJECTIONS),
        **norm(f"{OURS}.norm_cross", f"{THEIRS}.encoder_attn_layer_norm"),
    },
    unused=(
        "model.encoder.embed_tokens.weight",  # copies of the one table
        "model.decoder.embed_tokens.weight",
        "lm_head.weight",
        "embed_positions.weight",  # sinusoids, which are computed
    ),
)  # fmt: skip

"""BERT's names, including its head for masked tokens. Old files call γ and β gamma and beta."""

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
    refuse_unless,
)

__all__ = ["LAYOUT"]

SIZES = {
    "vocab_size": "vocab_size",
    "d_model": "hidden_size",
    "n_layers": "num_hidden_layers",
    "n_heads": "num_attention_heads",
    "d_ff": "intermediate_size",
    "max_length": "max_position_embeddings",
    "n_segments": "type_vocab_size",
}
ACTIVATIONS: dict[str, Any] = {
    "gelu": "gelu",
    "relu": "relu",
    "silu": "silu",
    "gelu_new": "gelu_tanh",
}


def read_config(given: Config) -> TransformerConfig:
    """A `TransformerConfig` from BERT's config.json."""
    activation = given.get("hidden_act", "gelu")
    have = "which are the activations we have"
    refuse_unless({"hidden_act": activation}, "hidden_act", tuple(ACTIVATIONS), have)
    refuse_unless(
        given, "position_embedding_type", ("absolute",), "because we only have learned ones"
    )
    refuse_unless(given, "is_decoder", (False,), "because our BERT is an encoder")
    refuse_unless(given, "add_cross_attention", (False,), "because there is no source text")
    return TransformerConfig(
        family="encoder", **read_sizes(given, SIZES), activation=ACTIVATIONS[activation],
        positions="learned", norm_place="post", norm_eps=given.get("layer_norm_eps", 1e-12),
        norm_embedding=True, head="transform", head_bias=True,
        tied=given.get("tie_word_embeddings", True),
    )  # fmt: skip


def write_config(config: TransformerConfig) -> dict[str, Any]:
    """BERT's config.json from a `TransformerConfig`."""
    names = {ours: theirs for theirs, ours in ACTIVATIONS.items()}
    return {
        "model_type": "bert",
        "architectures": ["BertForMaskedLM"],
        **{theirs: getattr(config, ours) for ours, theirs in SIZES.items()},
        "hidden_act": names[config.activation],
        "layer_norm_eps": config.norm_eps,
        "tie_word_embeddings": config.tied,
    }


LAYER = "bert.encoder.layer.{i}"

LAYOUT = Layout(
    read_config,
    write_config,
    once={
        "embedding.tokens": StoredWeight("bert.embeddings.word_embeddings.weight"),
        "embedding.positions": StoredWeight("bert.embeddings.position_embeddings.weight"),
        "embedding.segments": StoredWeight("bert.embeddings.token_type_embeddings.weight"),
        **norm("embedding.norm", "bert.embeddings.LayerNorm"),
        **linear("head.linear", "cls.predictions.transform.dense"),
        **norm("head.norm", "cls.predictions.transform.LayerNorm"),
        "head.table": StoredWeight("cls.predictions.decoder.weight"),
        "head.bias": StoredWeight("cls.predictions.bias"),
    },
    each={
        **linear("layers.{i}.attention.w_q", f"{LAYER}.attention.self.query"),
        **linear("layers.{i}.attention.w_k", f"{LAYER}.attention.self.key"),
        **linear("layers.{i}.attention.w_v", f"{LAYER}.attention.self.value"),
        **linear("layers.{i}.attention.w_o", f"{LAYER}.attention.output.dense"),
        **norm("layers.{i}.norm_1", f"{LAYER}.attention.output.LayerNorm"),
        **linear("layers.{i}.feed_forward.w_up", f"{LAYER}.intermediate.dense"),
        **linear("layers.{i}.feed_forward.w_down", f"{LAYER}.output.dense"),
        **norm("layers.{i}.norm_2", f"{LAYER}.output.LayerNorm"),
    },
    unused=(
        "embeddings.position_ids",
        "bert.pooler.dense.weight",
        "bert.pooler.dense.bias",
        "cls.seq_relationship.weight",
        "cls.seq_relationship.bias",
        "cls.predictions.decoder.bias",  # if tied, a copy of cls.predictions.bias
        "cls.predictions.bias",  # if not tied, it is never added to anything
    ),
    untied={"head.bias": StoredWeight("cls.predictions.decoder.bias")},
    renamed={"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"},
)

"""BERT's names, including its head for masked tokens. Old files call γ and β gamma and beta."""

from __future__ import annotations

from plainformer.blocks.published.layout import Layout, StoredWeight, attention, linear, norm

__all__ = ["LAYOUT"]

OURS, THEIRS = "layers.{i}", "bert.encoder.layer.{i}"

LAYOUT = Layout(
    model_type="bert",
    architecture="BertForMaskedLM",
    fields={
        "family": "encoder", "positions": "learned", "norm_place": "post", "norm_embedding": True,
        "head": "transform", "head_bias": True,
    },
    sizes={
        "vocab_size": "vocab_size",
        "d_model": "hidden_size",
        "n_layers": "num_hidden_layers",
        "n_heads": "num_attention_heads",
        "d_ff": "intermediate_size",
        "max_length": "max_position_embeddings",
        "n_segments": "type_vocab_size",
    },
    options={
        "activation": ("hidden_act", "gelu"),
        "norm_eps": ("layer_norm_eps", 1e-12),
        "tied": ("tie_word_embeddings", True),
    },
    must_be={
        "position_embedding_type": (("absolute",), "because we only support learned ones"),
        "is_decoder": ((False,), "because our BERT is an encoder"),
        "add_cross_attention": ((False,), "because there is no source text"),
    },
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
        **attention(f"{OURS}.attention", f"{THEIRS}.attention",
                    "self.query self.key self.value output.dense"),
        **norm(f"{OURS}.norm_1", f"{THEIRS}.attention.output.LayerNorm"),
        **linear(f"{OURS}.feed_forward.w_up", f"{THEIRS}.intermediate.dense"),
        **linear(f"{OURS}.feed_forward.w_down", f"{THEIRS}.output.dense"),
        **norm(f"{OURS}.norm_2", f"{THEIRS}.output.LayerNorm"),
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
)  # fmt: skip

"""GPT-2's names. Its matrices are (in, out), and one matrix holds queries, keys and values."""

from __future__ import annotations

from typing import Any

from plainformer.blocks.published.layout import (
    Config,
    Layout,
    StoredWeight,
    linear,
    norm,
    refuse_contradiction,
)

__all__ = ["LAYOUT"]

OURS, THEIRS = "layers.{i}", "h.{i}"
SCALE = "because scores are only divided by √K"


def read_more(given: Config, model_type: str) -> dict[str, Any]:
    refuse_contradiction(given, "n_ctx", "n_positions")
    d_ff = given.get("n_inner")
    return {"d_ff": 4 * given["n_embd"] if d_ff is None else d_ff}


LAYOUT = Layout(
    model_type="gpt2",
    architecture="GPT2LMHeadModel",
    fields={"family": "decoder", "positions": "learned"},
    sizes={
        "vocab_size": "vocab_size",
        "d_model": "n_embd",
        "n_layers": "n_layer",
        "n_heads": "n_head",
        "max_length": "n_positions",
    },
    options={
        "activation": ("activation_function", "gelu_new"),
        "norm_eps": ("layer_norm_epsilon", 1e-5),
        "tied": ("tie_word_embeddings", True),
    },
    must_be={
        "scale_attn_weights": ((True,), SCALE),
        "scale_attn_by_inverse_layer_idx": ((False,), SCALE),
        "add_cross_attention": ((False,), "because there is no source text"),
    },
    read_more=read_more,
    write_more=lambda config, model_type: {"n_inner": config.d_ff},
    once={
        "embedding.tokens": StoredWeight("wte.weight"),
        "embedding.positions": StoredWeight("wpe.weight"),
        **norm("norm", "ln_f"),
        "head.table": StoredWeight("lm_head.weight"),
    },
    each={
        **norm(f"{OURS}.norm_1", f"{THEIRS}.ln_1"),
        **linear(f"{OURS}.attention.w_q", f"{THEIRS}.attn.c_attn", transposed=True, part=(0, 3)),
        **linear(f"{OURS}.attention.w_k", f"{THEIRS}.attn.c_attn", transposed=True, part=(1, 3)),
        **linear(f"{OURS}.attention.w_v", f"{THEIRS}.attn.c_attn", transposed=True, part=(2, 3)),
        **linear(f"{OURS}.attention.w_o", f"{THEIRS}.attn.c_proj", transposed=True),
        **norm(f"{OURS}.norm_2", f"{THEIRS}.ln_2"),
        **linear(f"{OURS}.feed_forward.w_up", f"{THEIRS}.mlp.c_fc", transposed=True),
        **linear(f"{OURS}.feed_forward.w_down", f"{THEIRS}.mlp.c_proj", transposed=True),
    },
    prefix="transformer.",
    unused=(".attn.bias", ".attn.masked_bias"),
)

"""The names of Gemma 2 and of Gemma 3's text models.

Both have a norm that multiplies by 1 + γ before and after each sublayer, a gate with GELU, and
token embeddings multiplied by √D. Some layers have a sliding window: every second one in Gemma 2,
and five out of six in Gemma 3. Gemma 2 caps scores and logits, while Gemma 3 normalises queries and
keys and uses a different θ in layers with a window.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from plainformer.arrays import check_size
from plainformer.blocks.config import TransformerConfig
from plainformer.blocks.published.layout import Config, StoredWeight
from plainformer.blocks.published.llama import (
    LLAMA,
    read_rope,
    read_windows,
    write_rope,
    write_windows,
)

__all__ = ["GEMMA2", "GEMMA3"]

OURS, THEIRS = "layers.{i}", "model.layers.{i}"


def read_gemma2(given: Config, model_type: str) -> dict[str, Any]:
    return {**read_rope(given), **_read(given, pattern=2)}


def read_gemma3(given: Config, model_type: str) -> dict[str, Any]:
    """Read Gemma 3, whose rope_parameters have a part for each kind of layer."""
    parts = given.get("rope_parameters") or {}
    full = {"rope_theta": given.get("rope_theta", 1e6), **parts.get("full_attention", {})}
    local = {
        "rope_theta": given.get("rope_local_base_freq", 1e4),
        **parts.get("sliding_attention", {}),
    }
    longest = {"max_position_embeddings": given.get("max_position_embeddings")}
    scaled = {"rope_parameters": full | (given.get("rope_scaling") or {})}
    local = read_rope({"rope_parameters": local})
    if local["rope_scaling"] is not None:
        raise ValueError("config.json: rope_type of sliding_attention must be 'default'")
    pattern = given.get("sliding_window_pattern", given.get("_sliding_window_pattern", 6))
    rope = read_rope({**longest, **scaled})
    return {**rope, "local_rope_theta": local["rope_theta"], **_read(given, pattern)}


def _read(given: Config, pattern: int) -> dict[str, Any]:
    """The fields that both have in common; every `pattern`-th layer has no window."""
    kinds = ["full_attention" if (i + 1) % pattern == 0 else "sliding_attention"
             for i in range(given["num_hidden_layers"])]  # fmt: skip
    scalar = given.get("query_pre_attn_scalar", 256)
    return {
        "sliding_window": read_windows(given, given.get("sliding_window", 4096), kinds),
        "attention_scale": check_size(scalar, "config.json: query_pre_attn_scalar") ** -0.5,
    }


def write_more(config: TransformerConfig, model_type: str) -> dict[str, Any]:
    scale = config.attention_scale or config.resolved_head**-0.5
    keys = write_rope(config, 8192)
    if model_type == "gemma3_text":
        local = {"rope_type": "default", "rope_theta": config.local_rope_theta}
        full = keys["rope_parameters"]
        keys["rope_parameters"] = {"full_attention": full, "sliding_attention": local}
    return {
        **keys,
        "query_pre_attn_scalar": round(scale**-2),
        **write_windows(config),
    }


GEMMA2 = replace(
    LLAMA,
    model_type="gemma2",
    architecture="Gemma2ForCausalLM",
    fields={
        **LLAMA.fields,
        "norm_place": "sandwich", "zero_centered_gamma": True, "activation": "geglu_tanh",
        "scale_embedding": True,
    },
    options={
        **LLAMA.options,
        "n_kv_heads": ("num_key_value_heads", 4),
        "d_head": ("head_dim", 256),
        "tied": ("tie_word_embeddings", True),
        "attention_softcap": ("attn_logit_softcapping", 50.0),
        "logit_softcap": ("final_logit_softcapping", 30.0),
    },
    must_be={
        "hidden_activation": (("gelu_pytorch_tanh",), "the activation of the gate"),
        "hidden_act": (("gelu_pytorch_tanh",), "the activation of the gate"),
        "use_bidirectional_attention": ((False, None), "because a decoder only looks back"),
    },
    read_more=read_gemma2,
    write_more=write_more,
    each={
        **LLAMA.each,
        f"{OURS}.norm_1_post.gamma": StoredWeight(f"{THEIRS}.post_attention_layernorm.weight"),
        f"{OURS}.norm_2.gamma": StoredWeight(f"{THEIRS}.pre_feedforward_layernorm.weight"),
        f"{OURS}.norm_2_post.gamma": StoredWeight(f"{THEIRS}.post_feedforward_layernorm.weight"),
    },
    unused=(),
)  # fmt: skip
GEMMA3 = replace(
    GEMMA2,
    model_type="gemma3_text",
    architecture="Gemma3ForCausalLM",
    fields={**GEMMA2.fields, "qk_norm": True},
    options={
        **GEMMA2.options,
        "attention_softcap": ("attn_logit_softcapping", None),
        "logit_softcap": ("final_logit_softcapping", None),
    },
    read_more=read_gemma3,
)

"""The names of Gemma 2 and of Gemma 3's text models.

Both have norms before and after each sublayer that multiply by 1 + γ, a gate with GELU, and token
embeddings multiplied by √D. Some layers have a sliding window: every second one in Gemma 2, and
five of six in Gemma 3. Gemma 2 caps scores and logits, while Gemma 3 normalises queries and keys
and uses another θ in layers with a window.
"""

from __future__ import annotations

from typing import Any

from plainformer.arrays import check_flag, check_size
from plainformer.blocks.config import TransformerConfig
from plainformer.blocks.published.layout import (
    Config,
    Layout,
    StoredWeight,
    linear,
    read_sizes,
    refuse_unless,
)
from plainformer.blocks.published.llama import SIZES, read_rope, read_windows, write_windows

__all__ = ["GEMMA2", "GEMMA3"]


def read_gemma2(given: Config) -> TransformerConfig:
    """A `TransformerConfig` from Gemma 2's config.json."""
    theta, scaling = read_rope(given)
    return _read(
        given, pattern=2, rope_theta=theta, rope_scaling=scaling,
        attention_softcap=given.get("attn_logit_softcapping", 50.0),
        logit_softcap=given.get("final_logit_softcapping", 30.0),
    )  # fmt: skip


def read_gemma3(given: Config) -> TransformerConfig:
    """A `TransformerConfig` from the config.json of a text model of Gemma 3."""
    pattern = given.get("sliding_window_pattern", given.get("_sliding_window_pattern", 6))
    parts = given.get("rope_parameters") or {}
    wide = {**parts.get("full_attention", {})}
    wide.setdefault("rope_theta", given.get("rope_theta", 1e6))
    local = {**parts.get("sliding_attention", {})}
    local.setdefault("rope_theta", given.get("rope_local_base_freq", 1e4))
    if given.get("rope_scaling") is not None:
        wide |= given["rope_scaling"]
    theta, scaling = read_rope({"rope_parameters": wide})
    local_theta, local_scaling = read_rope({"rope_parameters": local})
    if local_scaling is not None:
        raise ValueError("config.json: rope_type of sliding_attention must be 'default'")
    return _read(
        given, pattern=pattern, rope_theta=theta, rope_scaling=scaling, qk_norm=True,
        local_rope_theta=local_theta, attention_softcap=given.get("attn_logit_softcapping"),
        logit_softcap=given.get("final_logit_softcapping"),
    )  # fmt: skip


def _read(given: Config, pattern: int, **options: Any) -> TransformerConfig:
    """What both have in common; every `pattern`-th layer has no window."""
    for name in ("hidden_activation", "hidden_act"):
        refuse_unless(given, name, ("gelu_pytorch_tanh",), "the activation of the gate")
    refuse_unless(
        given, "use_bidirectional_attention", (False, None), "because a decoder only looks back"
    )
    sizes = read_sizes(given, SIZES)
    full = ["full_attention" if (i + 1) % pattern == 0 else "sliding_attention"
            for i in range(sizes["n_layers"])]  # fmt: skip
    window = given.get("sliding_window", 4096)
    scalar = given.get("query_pre_attn_scalar", 256)
    biased = check_flag(given.get("attention_bias", False), "config.json: attention_bias")
    return TransformerConfig(
        family="decoder", **sizes, max_length=given.get("max_position_embeddings"),
        n_kv_heads=given.get("num_key_value_heads", 4), d_head=given.get("head_dim", 256),
        norm="rms", norm_place="sandwich", norm_eps=given.get("rms_norm_eps", 1e-6),
        zero_centered_gamma=True, activation="geglu_tanh", positions="rope", position_layout="half",
        sliding_window=read_windows(given, window, full), scale_embedding=True,
        attention_bias=biased, ff_bias=False,
        attention_scale=check_size(scalar, "config.json: query_pre_attn_scalar") ** -0.5,
        tied=given.get("tie_word_embeddings", True), **options,
    )  # fmt: skip


def write_gemma2(config: TransformerConfig) -> dict[str, Any]:
    """Gemma 2's config.json from a `TransformerConfig`."""
    rope: dict[str, Any] = {"rope_theta": config.rope_theta, "rope_type": "default"}
    return _write(config, "gemma2", "Gemma2ForCausalLM") | {"rope_parameters": rope}


def write_gemma3(config: TransformerConfig) -> dict[str, Any]:
    """The config.json of a text model of Gemma 3 from a `TransformerConfig`."""
    thetas = {"full_attention": config.rope_theta, "sliding_attention": config.local_rope_theta}
    rope = {kind: {"rope_theta": theta, "rope_type": "default"} for kind, theta in thetas.items()}
    return _write(config, "gemma3_text", "Gemma3ForCausalLM") | {"rope_parameters": rope}


def _write(config: TransformerConfig, model_type: str, architecture: str) -> dict[str, Any]:
    scale = config.attention_scale or config.resolved_head**-0.5
    return {
        "model_type": model_type,
        "architectures": [architecture],
        **{theirs: getattr(config, ours) for ours, theirs in SIZES.items()},
        "max_position_embeddings": config.max_length or 8192,
        "num_key_value_heads": config.n_kv_heads,
        "head_dim": config.d_head,
        "hidden_activation": "gelu_pytorch_tanh",
        "rms_norm_eps": config.norm_eps,
        "query_pre_attn_scalar": round(scale**-2),
        "attn_logit_softcapping": config.attention_softcap,
        "final_logit_softcapping": config.logit_softcap,
        "attention_bias": config.attention_bias,
        "tie_word_embeddings": config.tied,
        **write_windows(config),
    }


LAYER, THEIRS = "layers.{i}", "model.layers.{i}"

ONCE = {
    "embedding.tokens": StoredWeight("model.embed_tokens.weight"),
    "norm.gamma": StoredWeight("model.norm.weight"),
    "head.table": StoredWeight("lm_head.weight"),
}
EACH = {
    f"{LAYER}.norm_1.gamma": StoredWeight(f"{THEIRS}.input_layernorm.weight"),
    **linear(f"{LAYER}.attention.w_q", f"{THEIRS}.self_attn.q_proj"),
    **linear(f"{LAYER}.attention.w_k", f"{THEIRS}.self_attn.k_proj"),
    **linear(f"{LAYER}.attention.w_v", f"{THEIRS}.self_attn.v_proj"),
    **linear(f"{LAYER}.attention.w_o", f"{THEIRS}.self_attn.o_proj"),
    f"{LAYER}.attention.q_norm": StoredWeight(f"{THEIRS}.self_attn.q_norm.weight"),
    f"{LAYER}.attention.k_norm": StoredWeight(f"{THEIRS}.self_attn.k_norm.weight"),
    f"{LAYER}.norm_1_post.gamma": StoredWeight(f"{THEIRS}.post_attention_layernorm.weight"),
    f"{LAYER}.norm_2.gamma": StoredWeight(f"{THEIRS}.pre_feedforward_layernorm.weight"),
    **linear(f"{LAYER}.feed_forward.w_gate", f"{THEIRS}.mlp.gate_proj"),
    **linear(f"{LAYER}.feed_forward.w_up", f"{THEIRS}.mlp.up_proj"),
    **linear(f"{LAYER}.feed_forward.w_down", f"{THEIRS}.mlp.down_proj"),
    f"{LAYER}.norm_2_post.gamma": StoredWeight(f"{THEIRS}.post_feedforward_layernorm.weight"),
}

GEMMA2 = Layout(read_gemma2, write_gemma2, ONCE, EACH)
GEMMA3 = Layout(read_gemma3, write_gemma3, ONCE, EACH)

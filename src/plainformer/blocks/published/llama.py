"""Llama's names, which Mistral and Qwen2 share; Qwen2 has biases for queries, keys and values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from plainformer.arrays import check_flag, check_length
from plainformer.blocks.config import TransformerConfig
from plainformer.blocks.published.layout import (
    Config,
    Layout,
    Place,
    linear,
    read_sizes,
    refuse_contradiction,
    refuse_unless,
)

__all__ = ["LAYOUT"]

SIZES = {
    "vocab_size": "vocab_size",
    "d_model": "hidden_size",
    "n_layers": "num_hidden_layers",
    "n_heads": "num_attention_heads",
    "d_ff": "intermediate_size",
}
MISTRALS_WINDOW = 4096  # where its config.json is silent
LLAMA3 = (
    "factor",
    "low_freq_factor",
    "high_freq_factor",
    "original_max_position_embeddings",
)


def read_config(given: Config) -> TransformerConfig:
    """A `TransformerConfig` from the config.json of Llama, Mistral or Qwen2."""
    refuse_unless(given, "hidden_act", ("silu",), "for the gate is SwiGLU's")
    refuse_unless(given, "mlp_bias", (False,), "for the feed-forward network has no biases")
    refuse_unless(given, "partial_rotary_factor", (1.0,), "for every pair is turned")
    refuse_unless(given, "use_mrope", (False,), "for a text has one axis")
    longest = given.get("max_position_embeddings")
    _refuse_window(given, longest)
    theta, scaling = _read_rope(given)
    qwen = given.get("model_type") == "qwen2"
    biased = check_flag(given.get("attention_bias", False), "config.json: attention_bias")
    return TransformerConfig(
        family="decoder", **read_sizes(given, SIZES), max_length=longest,
        n_kv_heads=given.get("num_key_value_heads"), d_head=given.get("head_dim"),
        norm="rms", norm_eps=given.get("rms_norm_eps", 1e-6), activation="swiglu",
        positions="rope", pair_layout="half", rope_theta=theta, rope_scaling=scaling,
        attention_bias={"q": True, "k": True, "v": True, "o": False} if qwen else biased,
        ff_bias=False, tied=given.get("tie_word_embeddings", False),
    )  # fmt: skip


def write_config(config: TransformerConfig) -> dict[str, Any]:
    """Llama's or Qwen2's config.json from a `TransformerConfig`."""
    qwen = not isinstance(config.attention_bias, bool)
    rope: dict[str, Any] = {"rope_theta": config.rope_theta, "rope_type": "default"}
    if config.rope_scaling is not None:
        rope |= {**config.rope_scaling, "rope_type": "llama3"}
    return {
        "model_type": "qwen2" if qwen else "llama",
        "architectures": ["Qwen2ForCausalLM" if qwen else "LlamaForCausalLM"],
        **{theirs: getattr(config, ours) for ours, theirs in SIZES.items()},
        "max_position_embeddings": config.max_length or 2048,
        "num_key_value_heads": config.n_kv_heads,
        "head_dim": config.d_head,
        "hidden_act": "silu",
        "rms_norm_eps": config.norm_eps,
        "rope_parameters": rope,
        "tie_word_embeddings": config.tied,
        **({} if qwen else {"attention_bias": config.attention_bias}),
    }


def _refuse_window(given: Config, longest: Any) -> None:
    """Attention that looks only so far back is the same where no text is longer than that."""
    unsaid = MISTRALS_WINDOW if given.get("model_type") == "mistral" else None
    window = given.get("sliding_window", unsaid)
    kinds = given.get("layer_types")
    kinds = [] if kinds is None else kinds
    if window is not None:
        check_length(window, "config.json: sliding_window")
    if not isinstance(kinds, list):
        raise ValueError(f"config.json: layer_types must be a list of names; got {kinds!r}")
    if given.get("model_type") == "qwen2" and not given.get("use_sliding_window", False):
        window = None
    if window is None and any(kind != "full_attention" for kind in kinds):
        raise ValueError(
            "config.json: layer_types must be 'full_attention' where sliding_window is not used; "
            f"got {kinds}"
        )
    if window is not None and (longest is None or window < longest):
        raise ValueError(
            "config.json: sliding_window must be null, or as long as the longest text, "
            f"{longest}, for attention here looks back to the first token; got {window}"
        )


def _read_rope(given: Config) -> tuple[float, dict[str, Any] | None]:
    """θ and the scaling: newer files keep both in rope_parameters, older ones apart."""
    refuse_contradiction(given, "rope_scaling", "rope_parameters")
    rope: dict[str, Any] = {}
    for name in ("rope_scaling", "rope_parameters"):
        said = given.get(name)
        if not isinstance(said, Mapping | None):
            raise ValueError(f"config.json: {name} must be an object of keys; got {said!r}")
        rope = dict(said or rope)
    outer, inner = given.get("rope_theta"), rope.pop("rope_theta", None)
    both = {"rope_theta": outer, "rope_parameters' rope_theta": inner}
    refuse_contradiction(both, *both)
    theta = next((said for said in (inner, outer) if said is not None), 10000.0)
    kind = rope.pop("rope_type", rope.pop("type", "default"))
    refuse_unless(rope, "partial_rotary_factor", (1.0,), "for every pair is turned")
    unknown = [name for name in rope if name not in (*LLAMA3, "partial_rotary_factor")]
    if kind in ("default", "llama3") and unknown:
        raise ValueError(f"config.json: {unknown[0]} is no key of rope_parameters that we know")
    if kind == "default":
        return theta, None
    if kind != "llama3":
        raise ValueError(
            f"config.json: rope_type must be 'default' or 'llama3', which we compute; got {kind!r}"
        )
    missing = [name for name in LLAMA3 if name not in rope]
    if missing:
        raise ValueError(f"config.json: its rope scaling must have {missing[0]!r}")
    return theta, {"rope_type": "llama3", **{name: rope[name] for name in LLAMA3}}


LAYOUT = Layout(
    read_config,
    write_config,
    once={
        "embedding.tokens": Place("model.embed_tokens.weight"),
        "norm.gamma": Place("model.norm.weight"),
        "head.table": Place("lm_head.weight"),
    },
    each={
        "layers.{i}.norm_1.gamma": Place("model.layers.{i}.input_layernorm.weight"),
        **linear("layers.{i}.attention.w_q", "model.layers.{i}.self_attn.q_proj"),
        **linear("layers.{i}.attention.w_k", "model.layers.{i}.self_attn.k_proj"),
        **linear("layers.{i}.attention.w_v", "model.layers.{i}.self_attn.v_proj"),
        **linear("layers.{i}.attention.w_o", "model.layers.{i}.self_attn.o_proj"),
        "layers.{i}.norm_2.gamma": Place("model.layers.{i}.post_attention_layernorm.weight"),
        **linear("layers.{i}.feed_forward.w_gate", "model.layers.{i}.mlp.gate_proj"),
        **linear("layers.{i}.feed_forward.w_up", "model.layers.{i}.mlp.up_proj"),
        **linear("layers.{i}.feed_forward.w_down", "model.layers.{i}.mlp.down_proj"),
    },
    unused=("rotary_emb.inv_freq",),
)

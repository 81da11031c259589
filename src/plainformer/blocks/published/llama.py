"""Llama's names, which Mistral, Qwen2 and Qwen3 share.

Qwen2 has biases for queries, keys and values, and Qwen3 normalises queries and keys. Mistral's
layers, and some of Qwen's, have a sliding window.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from plainformer.arrays import check_flag, check_length
from plainformer.blocks.config import TransformerConfig
from plainformer.blocks.published.layout import (
    Config,
    Layout,
    StoredWeight,
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
QWEN2_BIAS = {"q": True, "k": True, "v": True, "o": False}
MISTRALS_WINDOW = 4096  # if its config.json does not give one
LLAMA3 = (
    "factor",
    "low_freq_factor",
    "high_freq_factor",
    "original_max_position_embeddings",
)


def read_config(given: Config) -> TransformerConfig:
    """A `TransformerConfig` from the config.json of Llama, Mistral, Qwen2 or Qwen3."""
    refuse_unless(given, "hidden_act", ("silu",), "because the gate is SwiGLU's")
    refuse_unless(given, "mlp_bias", (False,), "because the feed-forward network has no biases")
    refuse_unless(given, "partial_rotary_factor", (1.0,), "because every pair is rotated")
    refuse_unless(given, "use_mrope", (False,), "because a text has one axis")
    theta, scaling = read_rope(given)
    kind = given.get("model_type")
    biased = check_flag(given.get("attention_bias", False), "config.json: attention_bias")
    return TransformerConfig(
        family="decoder", **read_sizes(given, SIZES),
        max_length=given.get("max_position_embeddings"), sliding_window=_read_windows(given, kind),
        n_kv_heads=given.get("num_key_value_heads"), d_head=given.get("head_dim"),
        norm="rms", norm_eps=given.get("rms_norm_eps", 1e-6), activation="swiglu",
        positions="rope", position_layout="half", rope_theta=theta, rope_scaling=scaling,
        attention_bias=QWEN2_BIAS if kind == "qwen2" else biased, qk_norm=kind == "qwen3",
        ff_bias=False, tied=given.get("tie_word_embeddings", False),
    )  # fmt: skip


def write_config(config: TransformerConfig) -> dict[str, Any]:
    """The config.json of Llama, Mistral, Qwen2 or Qwen3 from a `TransformerConfig`."""
    kind = "llama"
    if config.sliding_window is not None:
        kind = "mistral"
    if not isinstance(config.attention_bias, bool):
        kind = "qwen2"
    elif config.qk_norm:
        kind = "qwen3"
    windows: dict[str, Any] = {"sliding_window": config.sliding_window}
    if kind.startswith("qwen"):
        windows = write_windows(config) | {"use_sliding_window": config.sliding_window is not None}
    rope: dict[str, Any] = {"rope_theta": config.rope_theta, "rope_type": "default"}
    if config.rope_scaling is not None:
        rope |= {**config.rope_scaling, "rope_type": "llama3"}
    return {
        "model_type": kind,
        "architectures": [f"{kind.capitalize()}ForCausalLM"],
        **{theirs: getattr(config, ours) for ours, theirs in SIZES.items()},
        "max_position_embeddings": config.max_length or 2048,
        "num_key_value_heads": config.n_kv_heads,
        "head_dim": config.d_head,
        "hidden_act": "silu",
        "rms_norm_eps": config.norm_eps,
        "rope_parameters": rope,
        "tie_word_embeddings": config.tied,
        **({} if kind == "qwen2" else {"attention_bias": config.attention_bias}),
        **({} if kind == "llama" else windows),
    }


def _read_windows(given: Config, kind: str | None) -> Any:
    """The sliding window of a model, or of each of its layers."""
    window = given.get("sliding_window", MISTRALS_WINDOW if kind == "mistral" else None)
    if kind in ("qwen2", "qwen3") and not given.get("use_sliding_window", False):
        window = None
    first = given.get("max_window_layers", 28) if kind != "mistral" else 0
    n_layers = given["num_hidden_layers"]
    default = ["sliding_attention" if i >= first else "full_attention" for i in range(n_layers)]
    return read_windows(given, window, default)


def read_windows(given: Config, window: Any, default: list[str]) -> Any:
    """The window of each layer by its type, or None if no window is shorter than the longest text.

    Args:
        given: config.json, which may list the types in layer_types.
        window: the window of those layers that have one.
        default: the types of the layers if config.json does not list them.
    """
    kinds = given.get("layer_types")
    if kinds is None:
        kinds = [] if window is None else default
    if window is not None:
        check_length(window, "config.json: sliding_window")
    if not isinstance(kinds, list):
        raise ValueError(f"config.json: layer_types must be a list of names; got {kinds!r}")
    for kind in kinds:
        if kind not in ("full_attention", "sliding_attention"):
            raise ValueError(
                "config.json: layer_types must be 'full_attention' or 'sliding_attention', "
                f"which are the ones we compute; got {kind!r}"
            )
        if kind == "sliding_attention" and window is None:
            raise ValueError(
                "config.json: layer_types must be 'full_attention' where sliding_window is not "
                f"used; got {kinds}"
            )
    longest = given.get("max_position_embeddings")
    windows = tuple(window if kind == "sliding_attention" else None for kind in kinds)
    if not any(windows) or (longest is not None and window >= longest):
        return None
    return window if None not in windows else windows


def write_windows(config: TransformerConfig) -> dict[str, Any]:
    """The keys of config.json for layers with a sliding window."""
    windows = [window for window in config.windows if window is not None]
    if len(set(windows)) > 1:
        raise ValueError(f"a published layout has one sliding_window; got {set(windows)}")
    kinds = ["full_attention" if each is None else "sliding_attention" for each in config.windows]
    return {"sliding_window": windows[0] if windows else None, "layer_types": kinds}


def read_rope(given: Config) -> tuple[float, dict[str, Any] | None]:
    """θ and the scaling, which newer files keep together in rope_parameters."""
    refuse_contradiction(given, "rope_scaling", "rope_parameters")
    rope: dict[str, Any] = {}
    for name in ("rope_scaling", "rope_parameters"):
        value = given.get(name)
        if not isinstance(value, Mapping | None):
            raise ValueError(f"config.json: {name} must be a JSON object; got {value!r}")
        rope = dict(value or rope)
    outer, inner = given.get("rope_theta"), rope.pop("rope_theta", None)
    both = {"rope_theta": outer, "rope_parameters' rope_theta": inner}
    refuse_contradiction(both, *both)
    theta = next((value for value in (inner, outer) if value is not None), 10000.0)
    kind = rope.pop("rope_type", rope.pop("type", "default"))
    refuse_unless(rope, "partial_rotary_factor", (1.0,), "because every pair is rotated")
    unknown = [name for name in rope if name not in (*LLAMA3, "partial_rotary_factor")]
    if kind in ("default", "llama3") and unknown:
        raise ValueError(f"config.json: {unknown[0]} is not a key of rope_parameters that we know")
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
        "embedding.tokens": StoredWeight("model.embed_tokens.weight"),
        "norm.gamma": StoredWeight("model.norm.weight"),
        "head.table": StoredWeight("lm_head.weight"),
    },
    each={
        "layers.{i}.norm_1.gamma": StoredWeight("model.layers.{i}.input_layernorm.weight"),
        **linear("layers.{i}.attention.w_q", "model.layers.{i}.self_attn.q_proj"),
        **linear("layers.{i}.attention.w_k", "model.layers.{i}.self_attn.k_proj"),
        **linear("layers.{i}.attention.w_v", "model.layers.{i}.self_attn.v_proj"),
        **linear("layers.{i}.attention.w_o", "model.layers.{i}.self_attn.o_proj"),
        "layers.{i}.attention.q_norm": StoredWeight("model.layers.{i}.self_attn.q_norm.weight"),
        "layers.{i}.attention.k_norm": StoredWeight("model.layers.{i}.self_attn.k_norm.weight"),
        "layers.{i}.norm_2.gamma": StoredWeight("model.layers.{i}.post_attention_layernorm.weight"),
        **linear("layers.{i}.feed_forward.w_gate", "model.layers.{i}.mlp.gate_proj"),
        **linear("layers.{i}.feed_forward.w_up", "model.layers.{i}.mlp.up_proj"),
        **linear("layers.{i}.feed_forward.w_down", "model.layers.{i}.mlp.down_proj"),
    },
    unused=("rotary_emb.inv_freq",),
)

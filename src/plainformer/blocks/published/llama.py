"""Llama's names, which Mistral, Qwen2 and Qwen3 share.

Qwen2 has biases for queries, keys and values, and Qwen3 normalises queries and keys. Mistral's
layers, and some of Qwen's, have a sliding window.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from plainformer.arrays import check_size
from plainformer.blocks.config import TransformerConfig
from plainformer.blocks.published.layout import (
    Config,
    Layout,
    StoredWeight,
    attention,
    linear,
    refuse_contradiction,
    refuse_unless,
)
from plainformer.inputs.scaling_checks import SCALINGS, check_scaling

__all__ = ["LLAMA", "MISTRAL", "QWEN2", "QWEN3"]

MISTRALS_WINDOW = 4096  # if its config.json does not give one
LENGTH = "original_max_position_embeddings"


def read_more(given: Config, model_type: str) -> dict[str, Any]:
    n_layers, window = given["num_hidden_layers"], given.get("sliding_window")
    first = 0  # the first layer that has the window
    if model_type == "mistral":
        window = given.get("sliding_window", MISTRALS_WINDOW)
    elif model_type == "llama":  # which has none, whatever its config.json says
        first = n_layers
    elif model_type.startswith("qwen"):
        window = window if given.get("use_sliding_window", False) else None
        first = given.get("max_window_layers", 28)
    kinds = ["sliding_attention" if i >= first else "full_attention" for i in range(n_layers)]
    windows = read_windows(given, window, kinds)
    return {**read_rope(given), "sliding_window": windows}


def write_more(config: TransformerConfig, model_type: str) -> dict[str, Any]:
    windows: dict[str, Any] = {}
    if model_type.startswith("qwen"):
        windows = write_windows(config) | {"use_sliding_window": config.sliding_window is not None}
    elif model_type != "llama":
        windows = {"sliding_window": config.sliding_window}
    return {**write_rope(config, 2048), **windows}


def read_windows(given: Config, window: Any, default: list[str]) -> Any:
    """The window of each layer by its type, or None if no window is shorter than the longest text.

    The types are those that config.json lists, or else the default ones.
    """
    kinds = given.get("layer_types")
    if kinds is None:
        kinds = [] if window is None else default
    if window is not None:
        check_size(window, "config.json: sliding_window")
    allowed = ("full_attention", "sliding_attention") if window is not None else ("full_attention",)
    why = "which we support" if window is not None else "because sliding_window is not used"
    for kind in kinds:
        refuse_unless({"layer_types": kind}, "layer_types", allowed, why)
    longest = given.get("max_position_embeddings")
    windows = tuple(window if kind == "sliding_attention" else None for kind in kinds)
    if not any(windows) or (longest is not None and window >= longest):
        return None
    return window if None not in windows else windows


def write_windows(config: TransformerConfig) -> dict[str, Any]:
    """The keys of config.json for layers with a sliding window."""
    windows = [window for window in config.windows if window is not None]
    if len(set(windows)) > 1:
        raise ValueError(f"a published layout can have only one sliding_window; got {set(windows)}")
    kinds = ["full_attention" if each is None else "sliding_attention" for each in config.windows]
    return {"sliding_window": windows[0] if windows else None, "layer_types": kinds}


def read_rope(given: Config) -> dict[str, Any]:
    """The fields for θ and the scaling, which newer files keep together in rope_parameters."""
    refuse_contradiction(given, "rope_scaling", "rope_parameters")
    rope: dict[str, Any] = {**(given.get("rope_parameters") or given.get("rope_scaling") or {})}
    outer, inner = given.get("rope_theta"), rope.pop("rope_theta", None)
    both = {"rope_theta": outer, "rope_parameters' rope_theta": inner}
    refuse_contradiction(both, *both)
    theta = next((value for value in (inner, outer) if value is not None), 10000.0)
    kind = rope.pop("rope_type", rope.pop("type", "default"))
    kinds = ("default", *SCALINGS)
    refuse_unless({"rope_type": kind}, "rope_type", kinds, "which we support")
    refuse_unless(rope, "partial_rotary_factor", (1.0,), "because every pair is rotated")
    rope.pop("partial_rotary_factor", None)
    required, optional = SCALINGS.get(kind, ((), ()))
    longest = given.get("max_position_embeddings")
    if LENGTH in required and longest is not None:
        rope.setdefault(LENGTH, longest)
    if kind == "longrope" and rope.get("factor") is None and longest is not None:
        rope["factor"] = longest / rope[LENGTH]
    if unknown := set(rope) - {*required, *optional}:
        raise ValueError(
            f"config.json: {min(unknown)} is not a key of rope_parameters that we know"
        )
    if kind == "default":
        return {"rope_theta": theta, "rope_scaling": None}
    for name in required:
        if rope.get(name) is None:
            raise ValueError(f"config.json: the rope scaling must have {name!r}")
    fields = {"rope_theta": theta, "rope_scaling": {"rope_type": kind, **rope}}
    return fields | {"max_length": None} if kind == "dynamic" else fields  # it has no longest text


def write_rope(config: TransformerConfig, length: int) -> dict[str, Any]:
    """The keys of config.json for rotary positions; `length` is the longest text if none is set."""
    longest, scaling = config.max_length or length, {"rope_type": "default"}
    if config.rope_scaling is not None:
        scaling = check_scaling(config.rope_scaling)
    if scaling["rope_type"] == "dynamic":
        longest = int(scaling.pop(LENGTH))
    return {
        "max_position_embeddings": longest,
        "rope_parameters": {**scaling, "rope_theta": config.rope_theta},
    }


OURS, THEIRS = "layers.{i}", "model.layers.{i}"

LLAMA = Layout(
    model_type="llama",
    architecture="LlamaForCausalLM",
    fields={
        "family": "decoder", "norm": "rms", "activation": "swiglu", "positions": "rope",
        "position_layout": "half", "ff_bias": False,
    },
    sizes={
        "vocab_size": "vocab_size",
        "d_model": "hidden_size",
        "n_layers": "num_hidden_layers",
        "n_heads": "num_attention_heads",
        "d_ff": "intermediate_size",
    },
    options={
        "max_length": ("max_position_embeddings", None),
        "n_kv_heads": ("num_key_value_heads", None),
        "d_head": ("head_dim", None),
        "norm_eps": ("rms_norm_eps", 1e-6),
        "attention_bias": ("attention_bias", False),
        "tied": ("tie_word_embeddings", False),
    },
    must_be={
        "hidden_act": (("silu",), "because the gate is SwiGLU's"),
        "mlp_bias": ((False,), "because the feed-forward network has no biases"),
        "partial_rotary_factor": ((1.0,), "because every pair is rotated"),
        "use_mrope": ((False,), "because text positions have one axis"),
    },
    read_more=read_more,
    write_more=write_more,
    once={
        "embedding.tokens": StoredWeight("model.embed_tokens.weight"),
        "norm.gamma": StoredWeight("model.norm.weight"),
        "head.table": StoredWeight("lm_head.weight"),
    },
    each={
        f"{OURS}.norm_1.gamma": StoredWeight(f"{THEIRS}.input_layernorm.weight"),
        **attention(f"{OURS}.attention", f"{THEIRS}.self_attn", "q_proj k_proj v_proj o_proj"),
        f"{OURS}.attention.q_norm": StoredWeight(f"{THEIRS}.self_attn.q_norm.weight"),
        f"{OURS}.attention.k_norm": StoredWeight(f"{THEIRS}.self_attn.k_norm.weight"),
        f"{OURS}.norm_2.gamma": StoredWeight(f"{THEIRS}.post_attention_layernorm.weight"),
        **linear(f"{OURS}.feed_forward.w_gate", f"{THEIRS}.mlp.gate_proj"),
        **linear(f"{OURS}.feed_forward.w_up", f"{THEIRS}.mlp.up_proj"),
        **linear(f"{OURS}.feed_forward.w_down", f"{THEIRS}.mlp.down_proj"),
    },
    unused=("rotary_emb.inv_freq",),
)  # fmt: skip
MISTRAL = replace(LLAMA, model_type="mistral", architecture="MistralForCausalLM")
QWEN2 = replace(
    LLAMA,
    model_type="qwen2",
    architecture="Qwen2ForCausalLM",
    fields={**LLAMA.fields, "attention_bias": {"q": True, "k": True, "v": True, "o": False}},
    options={ours: key for ours, key in LLAMA.options.items() if ours != "attention_bias"},
)
QWEN3 = replace(
    LLAMA,
    model_type="qwen3",
    architecture="Qwen3ForCausalLM",
    fields={**LLAMA.fields, "qk_norm": True},
)

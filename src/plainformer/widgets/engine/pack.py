"""A model in the form in which a page carries it: configuration and weights in one run of bytes.

It begins with 32 bytes, the SHA-256 of everything after them, and goes on with a safetensors file,
whose JSON header contains the configuration. ``load.js`` reads it.

Numbers are stored as float16, which halves the download. A weight is then off by at most one part
in 2,048, or by 3e-8 near 0. Nothing changes in weights that were float16 before, such as those of
the course's translator. ``dtype="int8"`` halves the download once more, with one scale for each
row, which is how course-lm is stored anyway; ``dtype="float32"`` keeps float32 weights as they are.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import Any, Literal

import numpy as np

from plainformer.arrays import check_choice
from plainformer.inputs.scaling_checks import check_scaling

__all__ = ["MOST_BYTES", "pack_model"]

MOST_BYTES = 64_000_000
"""The most that a packed model may weigh: in a page it takes up to three times as much."""

Dtype = Literal["int8", "float16", "float32"]

COMPUTED = frozenset({
    "family", "vocab_size", "d_model", "n_layers", "n_heads", "d_ff", "max_length",
    "n_kv_heads", "d_head", "norm", "norm_place", "norm_eps", "activation", "positions",
    "position_layout", "rope_theta", "rope_scaling", "n_segments", "scale_embedding",
    "norm_embedding", "attention_bias", "ff_bias", "head", "head_bias", "tied", "dropout",
    "activation_dropout",
})  # fmt: skip
"""The fields of a configuration that the engine takes into account."""

CHOICES: dict[str, list[str | None]] = {
    "norm_place": ["pre", "post"],
    "activation": ["relu", "gelu", "gelu_tanh", "silu", "swiglu"],
    "head": ["linear"],
}
"""Where a field has more choices than the engine computes: those that it does."""


def pack_model(model: Any, dtype: Dtype = "float16") -> bytes:
    """Return what the engine needs of a model.

    Args:
        model: a `DecoderOnly` or an `EncoderDecoder`. The engine leaves out dropout, as evaluation
            mode does.
        dtype: of its numbers: "int8", "float16" or "float32".

    Returns:
        The bytes that ``load.js`` opens.

    Raises:
        TypeError: it is neither.
        ValueError: its configuration has an option that the engine does not compute, a weight
            exceeds the dtype's range, or the model is too large.

    >>> from plainformer.blocks import DecoderOnly, TransformerConfig
    >>> config = TransformerConfig(
    ...     family="decoder", vocab_size=9, d_model=8, n_layers=2, n_heads=2, d_ff=32
    ... )
    >>> model = DecoderOnly(config)
    >>> numbers = sum(each.numel() for each in model.parameters())
    >>> packed = pack_model(model)
    >>> 0 < len(packed) - 2 * numbers < 5_000  # two bytes each, and a header
    True
    """
    check_choice(dtype, "dtype", ["int8", "float16", "float32"])
    _check_model(model)
    from plainformer.training.tasks.saving import quantize_rows  # not at the top: it brings torch

    tensors: dict[str, Any] = {}
    for name, parameter in model.named_parameters():  # a tied table is there once
        weight = parameter.detach().cpu().float()
        values = _finite(name, weight.numpy())
        if dtype == "int8":
            quantized, scale = quantize_rows(weight)
            tensors[name], tensors[f"{name}.scale"] = quantized.numpy(), scale.numpy()
        else:
            tensors[name] = _as(dtype, name, values)
    size = sum(each.nbytes for each in tensors.values())
    if size > MOST_BYTES:
        raise ValueError(
            f"model must fit into {MOST_BYTES:,} bytes; its weights take {size:,} in {dtype}"
        )
    from safetensors.numpy import save  # comes with torch, as every model does

    config = json.dumps(asdict(model.config.resolved()), default=dict)
    file = save(tensors, {"config": config})
    return hashlib.sha256(file).digest() + file


def _check_model(model: Any) -> None:
    """Refuse what the engine does not compute."""
    from plainformer.blocks import DecoderOnly, EncoderDecoder  # not at the top: torch

    if not isinstance(model, DecoderOnly | EncoderDecoder):
        kind = type(model).__name__
        raise TypeError(f"model must be a DecoderOnly or an EncoderDecoder; got {kind}")
    model.config.require_known(COMPUTED, "the page's engine")
    for name, choices in CHOICES.items():
        check_choice(getattr(model.config, name), f"the model's {name}", choices)
    scaling = model.config.rope_scaling
    kind = "llama3" if scaling is None else check_scaling(scaling)["rope_type"]
    check_choice(kind, "the model's rope_scaling['rope_type']", ["llama3"])


def _finite(name: str, values: Any) -> Any:
    if not np.isfinite(values).all():
        raise ValueError(f"the model's weights must be finite; {name} has NaN or ∞")
    return values


def _as(dtype: Dtype, name: str, values: Any) -> Any:
    """The numbers in a dtype that can hold them."""
    most = np.finfo(dtype).max
    if np.abs(values).max(initial=0) > most:
        raise ValueError(
            f"{name} must be at most {most:,.0f} for {dtype}: pack the model in 'float32'"
        )
    return np.ascontiguousarray(values, dtype=dtype)

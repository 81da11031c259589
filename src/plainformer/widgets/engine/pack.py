"""A model as a page carries it: its configuration and its weights, in one run of bytes.

First come 32 bytes, the SHA-256 of all that follows, then a safetensors file: a header in JSON,
with the configuration in it, and bare numbers. ``load.js`` reads it.

Numbers are float16, which halves the way. A weight then misses its value by at most one part in
2,048, or by 3e-8 where it is near 0; nothing is lost of weights that were float16 before, as those
of the models that the course ships. ``dtype="float32"`` loses nothing of a model's own float32.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import Any, Literal

import numpy as np

from plainformer.arrays import check_choice

__all__ = ["MOST_BYTES", "pack_model"]

MOST_BYTES = 64_000_000
"""The most that a packed model may weigh: in a page it takes up to three times as much."""

Dtype = Literal["float16", "float32"]


def pack_model(model: Any, dtype: Dtype = "float16") -> bytes:
    """Return what the engine needs of a model.

    Args:
        model: a `DecoderOnly` or an `EncoderDecoder`. Dropout is left out,
            as in evaluation mode.
        dtype: of its numbers: "float16" or "float32".

    Returns:
        The bytes that ``load.js`` opens.

    Raises:
        TypeError: it is neither.
        ValueError: its head is BERT's, which the engine does not compute;
            a weight that the dtype cannot hold; or it is too large.

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
    check_choice(dtype, "dtype", ["float16", "float32"])
    _check_model(model)
    tensors = {
        name: _as(dtype, name, parameter.detach().cpu().float().numpy())
        for name, parameter in model.named_parameters()  # a tied table is there once
    }
    weight = sum(each.nbytes for each in tensors.values())
    if weight > MOST_BYTES:
        raise ValueError(
            f"model must fit into {MOST_BYTES:,} bytes; its weights take {weight:,} in {dtype}"
        )
    from safetensors.numpy import save  # comes with torch, as every model does

    config = json.dumps(asdict(model.config.resolved()), default=dict)
    file = save(tensors, {"config": config})
    return hashlib.sha256(file).digest() + file


def _check_model(model: Any) -> None:
    """Refuse what the engine cannot compute."""
    from plainformer.blocks import DecoderOnly, EncoderDecoder  # not at the top: torch

    if not isinstance(model, DecoderOnly | EncoderDecoder):
        kind = type(model).__name__
        raise TypeError(f"model must be a DecoderOnly or an EncoderDecoder; got {kind}")
    if model.config.head != "linear":
        raise ValueError(f"the model's head must be 'linear'; got {model.config.head!r}")


def _as(dtype: Dtype, name: str, values: Any) -> Any:
    """The numbers in a dtype that can hold them."""
    if not np.isfinite(values).all():
        raise ValueError(f"the model's weights must be finite; {name} has NaN or ∞")
    most = np.finfo(dtype).max
    if np.abs(values).max(initial=0) > most:
        raise ValueError(
            f"{name} must be at most {most:,.0f} for {dtype}: pack the model in 'float32'"
        )
    return np.ascontiguousarray(values, dtype=dtype)

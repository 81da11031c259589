"""Checks of the arguments of `MultiHeadAttention`, in its constructor and in its calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import torch
from torch import Tensor

from plainformer.arrays import as_array, asarray_like, check_choice
from plainformer.attention.stable_softmax import FullyMasked
from plainformer.inputs.checks import LAYOUTS, check_even, check_rope
from plainformer.shapes import as_mask, check_broadcasts

__all__ = ["check_call", "check_rope_options", "fit_to_scores", "is_autocast"]


def check_rope_options(rope: object, d_head: int) -> dict[str, Any] | None:
    """The options of `apply_rope` that a layer keeps, checked and completed with their defaults."""
    if rope is None:
        return None
    if not isinstance(rope, Mapping):
        raise TypeError(f"rope must be a dict of options, or None; got {type(rope).__name__}")
    options = {"rope_theta": 10000.0, "rope_scaling": None, "layout": "interleaved"}
    unknown = sorted(map(repr, rope.keys() - options.keys()))
    if unknown:
        raise ValueError(
            "rope must have no keys but 'rope_theta', 'rope_scaling' and 'layout'; "
            f"got {unknown[0]}"
        )
    options |= rope
    check_even(d_head, "d_head")
    check_choice(options["layout"], "layout", LAYOUTS)
    theta, scaling = check_rope(options["rope_theta"], options["rope_scaling"], d_head // 2)
    return options | {"rope_theta": theta, "rope_scaling": scaling}


def check_call(
    layer: Any, x: Any, context: Any, causal: bool, cache: Any, positions: Any, fully_masked: str
) -> None:
    """Refuse tokens that do not fit the weights, and options that contradict one another."""
    check_choice(fully_masked, "fully_masked", get_args(FullyMasked))
    weight = layer.w_q.weight
    for name, array in (("x", x), ("context", context)):
        if array is None or isinstance(array, tuple):
            continue
        if not isinstance(array, Tensor):
            raise TypeError(f"{name} must be a torch tensor; got {type(array).__name__}")
        if array.ndim < 2 or array.shape[-1] != layer.d_model:
            axes = f"(B, tokens, {layer.d_model}), like d_model"
            raise ValueError(f"{name} must be {axes}; got {tuple(array.shape)}")
        if array.dtype != weight.dtype and not is_autocast(array):
            raise TypeError(f"{name} must be {weight.dtype}, like the weights; got {array.dtype}")
    if context is not None:
        for what, value in {"causal": causal or None, "cache": cache, "rope": layer.rope}.items():
            if value is not None:
                raise ValueError(
                    f"{what} must be left out when there is a context, because its tokens come "
                    "neither before nor after those of x"
                )
        batch = context[0].shape[:-3] if isinstance(context, tuple) else context.shape[:-2]
        if batch != x.shape[:-2]:  # (1, …) would broadcast silently
            wanted, got = tuple(x.shape[:-2]), tuple(batch)
            raise ValueError(f"context must have as many texts as x, {wanted}; got {got}")
    if cache is not None and not causal:
        raise ValueError("causal must be True with a cache, which assumes causal attention")
    if layer.window is not None and not causal:
        raise ValueError("causal must be True in a layer with a window of earlier keys")
    if positions is not None and layer.rope is None:
        raise ValueError("positions must be left out of a layer without rope, which ignores them")


def fit_to_scores(name: str, array: Any, q: Tensor, k: Tensor) -> Tensor:
    """Check that a `mask` or `attn_bias` fits the scores, and move it to the queries' device."""
    array = as_mask(array, name) if name == "mask" else as_array(array, name)
    scores = (*q.shape[:-1], k.shape[-2])
    check_broadcasts(name, tuple(array.shape), scores, "(..., H, T, S)")
    fitting: Tensor = asarray_like(array, q)
    return fitting if name == "mask" else fitting.to(q.dtype)


def is_autocast(x: Tensor) -> bool:
    """Whether autocast is enabled on the device of x; some devices do not support it."""
    device = x.device.type
    return torch.amp.is_autocast_available(device) and torch.is_autocast_enabled(device)

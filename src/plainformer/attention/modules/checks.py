"""What `MultiHeadAttention` is given, when it is made and when it is called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from plainformer.arrays import check_choice, check_flag, check_length, check_number
from plainformer.attention.checks import check_head_counts
from plainformer.inputs.checks import check_even, check_layout, check_rope

__all__ = ["check_bias", "check_call", "check_dropout_and_impl", "check_rope_options",
           "check_sizes", "check_theirs"]  # fmt: skip

PROJECTIONS = ("q", "k", "v", "o")


def check_sizes(d_model: object, n_heads: object, n_kv_heads: object, d_head: object) -> list[int]:
    """D, H, G and K; without a `d_head`, H must divide D."""
    d_model = check_length(d_model, "d_model", least=1)
    n_heads = check_length(n_heads, "n_heads", least=1)
    if d_head is None:
        if d_model % n_heads:
            raise ValueError(f"n_heads must divide d_model, which is {d_model}; got {n_heads}")
        d_head = d_model // n_heads
    return [
        d_model,
        *check_head_counts(n_heads, n_kv_heads),
        check_length(d_head, "d_head", least=1),
    ]


def check_bias(bias: object) -> dict[str, bool]:
    """Whether each projection has a bias, by name."""
    if not isinstance(bias, Mapping):
        return dict.fromkeys(PROJECTIONS, check_flag(bias, "bias"))
    if set(bias) != set(PROJECTIONS):
        got = ", ".join(map(repr, bias)) or "none"
        raise ValueError(f"bias must be True, False, or a dict of q, k, v and o; got {got}")
    return {name: check_flag(bias[name], f"bias[{name!r}]") for name in PROJECTIONS}


def check_rope_options(rope: object, d_head: int) -> dict[str, Any] | None:
    """The options of `apply_rope` that a layer keeps, with its defaults."""
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
    check_layout(options["layout"])
    check_rope(options["rope_theta"], options["rope_scaling"])
    return options


def check_dropout_and_impl(dropout: Any, impl: Any) -> tuple[float, str]:
    """The share that is dropped, and the way that is taken."""
    check_choice(impl, "impl", ["formula", "sdpa"])
    number = check_number(dropout, "dropout")
    if not 0 <= number < 1:
        raise ValueError(f"dropout must be at least 0 and below 1; got {dropout}")
    return number, impl


def check_call(
    x: Any,
    context: Any,
    *,
    like: Tensor,
    causal: Any,
    cache: Any,
    return_weights: Any,
    rope: Any,
    positions: Any,
) -> None:
    """Refuse tokens that do not fit the weights `like`, and options that do not go together."""
    check_flag(causal, "causal")
    check_flag(return_weights, "return_weights")
    _check_tokens(x, "x", like)
    if context is not None:
        _check_context(x, context, like)
        if causal or cache is not None or rope is not None:
            what = "causal" if causal else "cache" if cache is not None else "rope"
            raise ValueError(
                f"{what} must be left out where there is a context, whose tokens are not "
                "earlier or later than those of x"
            )
    if cache is not None and not causal:
        raise ValueError("causal must be True with a cache: the tokens in it never saw a later one")
    if positions is not None and rope is None:
        raise ValueError("positions must be left out of a layer without rope, which knows of none")


def _check_context(x: Tensor, context: Any, like: Tensor) -> None:
    """Refuse a context of other texts than x's; its keys and values are (B, G, S, K)."""
    if isinstance(context, tuple):
        batch = tuple(context[0].shape[:-3])
    else:
        _check_tokens(context, "context", like)
        batch = tuple(context.shape[:-2])
    if batch != tuple(x.shape[:-2]):
        raise ValueError(
            f"context must be of as many sequences as x, {tuple(x.shape[:-2])}; got {batch}"
        )


def _check_tokens(x: object, name: str, like: Tensor) -> None:
    """Refuse what is no tensor (..., tokens, D) of the weights' dtype."""
    if not isinstance(x, Tensor):
        raise TypeError(f"{name} must be a torch tensor; got {type(x).__name__}")
    if x.ndim < 2 or x.shape[-1] != like.shape[1]:
        raise ValueError(
            f"{name} must be (B, tokens, {like.shape[1]}), as d_model is; got {tuple(x.shape)}"
        )
    if x.dtype != like.dtype and not is_autocast(x):
        raise TypeError(f"{name} must be {like.dtype}, as the weights are; got {x.dtype}")


def is_autocast(x: Tensor) -> bool:
    """Whether torch chooses dtypes by itself where x is; on some devices it never does."""
    device = x.device.type
    return torch.amp.is_autocast_available(device) and torch.is_autocast_enabled(device)


def check_theirs(theirs: object) -> None:
    """Refuse a layer of torch's that has what ours has not."""
    if not isinstance(theirs, nn.MultiheadAttention):
        raise TypeError(f"theirs must be an nn.MultiheadAttention; got {type(theirs).__name__}")
    D = theirs.embed_dim
    if (theirs.kdim, theirs.vdim) != (D, D):
        raise ValueError(
            f"kdim and vdim of theirs must be its embed_dim, {D}, for ours reads keys and values "
            f"from tokens as wide as the queries'; got {theirs.kdim} and {theirs.vdim}"
        )
    if theirs.bias_k is not None or theirs.add_zero_attn:
        option = "add_bias_kv" if theirs.bias_k is not None else "add_zero_attn"
        raise ValueError(f"{option} of theirs must be False: ours adds no row to keys and values")

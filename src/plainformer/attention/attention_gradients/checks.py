"""What the backward passes are given, looked at once, at their doors."""

from __future__ import annotations

import math
from typing import Any

import array_api_compat
import numpy as np

from plainformer.arrays import Array, as_array, as_floats, check_number

__all__ = [
    "check_below_infinity",
    "check_grad_output",
    "check_linear",
    "check_projections",
    "check_softmax",
    "check_tried",
]


def check_grad_output(grad: Any, output: Array) -> Array:
    """The gradient of the output, in its dtype.

    Nothing is broadcast: a gradient of another shape is the gradient of something else.
    """
    grad, _ = as_floats(grad_output=grad, output=output)
    shape = tuple(output.shape)
    if tuple(grad.shape) != shape:
        raise ValueError(
            f"grad_output must have the shape {shape} of the output; got shape {tuple(grad.shape)}"
        )
    xp = array_api_compat.array_namespace(output)
    return xp.astype(grad, output.dtype, copy=False)


def check_below_infinity(attn_bias: Array | None) -> None:
    """Refuse a bias of +∞."""
    if attn_bias is None:
        return
    xp = array_api_compat.array_namespace(attn_bias)
    if bool(xp.any(attn_bias == math.inf)):
        raise ValueError(
            "attn_bias must be below +inf, beside which no score matters and gradients end; got inf"
        )


def check_softmax(grad_weights: Any, weights: Any) -> list[Array]:
    """The arguments of `softmax_backward`."""
    grad_weights, weights = as_floats(grad_weights=grad_weights, weights=weights)
    shapes = tuple(grad_weights.shape), tuple(weights.shape)
    if weights.ndim == 0:
        raise ValueError("weights must be (..., S), with an axis of keys; got a single number")
    if shapes[0] != shapes[1]:
        raise ValueError(
            f"grad_weights must have the shape {shapes[1]} of weights; got shape {shapes[0]}"
        )
    return [grad_weights, weights]


def check_linear(**named: object) -> list[Array]:
    """The gradient, x and w, under these names, as floats of one dtype; refuse unfit shapes."""
    grad, x, w = as_floats(**named)
    grad_name, x_name, w_name = named
    shapes = " and ".join(
        f"{name} of shape {tuple(array.shape)}"
        for name, array in zip(named, (grad, x, w), strict=True)
    )
    if w.ndim != 2:
        raise ValueError(f"{w_name} must be a matrix (D, E); got {shapes}")
    if x.ndim < 1 or x.shape[-1] != w.shape[0]:
        raise ValueError(f"{x_name} must have rows as wide as {w_name} has rows; got {shapes}")
    if tuple(grad.shape) != (*x.shape[:-1], w.shape[-1]):
        raise ValueError(f"{grad_name} must have the shape of {x_name} @ {w_name}; got {shapes}")
    return [grad, x, w]


def check_projections(
    grad_q: object,
    grad_k: object,
    grad_v: object,
    x: object,
    w_q: object,
    w_k: object,
    w_v: object,
    x_kv: object,
) -> tuple[list[Array], list[Array], list[Array]]:
    """Three times the arguments of `linear_backward`, refused under the caller's names."""
    name, source = ("x", x) if x_kv is None else ("x_kv", x_kv)
    return (
        check_linear(grad_q=grad_q, x=x, w_q=w_q),
        check_linear(**{"grad_k": grad_k, name: source, "w_k": w_k}),
        check_linear(**{"grad_v": grad_v, name: source, "w_v": w_v}),
    )


def check_tried(x: object, step: object) -> tuple[Array, float]:
    """The arguments of `central_differences`: the step must move every number."""
    x = np.asarray(as_array(x, "x"))
    if np.iscomplexobj(x):
        raise TypeError(f"x must be real numbers; got {x.dtype}")
    step = check_number(step, "step")
    if step <= 0:
        raise ValueError(f"step must be above 0; got {step}")
    x = x.astype(np.float64)
    lost = (x + step == x) | (x - step == x)
    if lost.any():
        raise ValueError(f"step must be large enough to move {x[lost][0]}; got {step}")
    return x, step

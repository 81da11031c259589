"""What blocks are given, looked at once, at the public door."""

from __future__ import annotations

from typing import Any

from plainformer.arrays import Array, as_floats, check_choice, check_number

__all__ = ["check_feed_forward", "check_norm", "check_norm_backward", "check_swiglu"]


def check_feed_forward(
    x: Any,
    w_up: Any,
    b_up: Any,
    w_down: Any,
    b_down: Any,
    activation: Any,
    known: list[str],
) -> tuple[Array, Array, Array, Array, Array, str]:
    """The arguments of `feed_forward`; a bias that is missing becomes the number 0."""
    check_choice(activation, "activation", known)
    given = {"x": x, "w_up": w_up, "w_down": w_down, "b_up": b_up, "b_down": b_down}
    arrays = _as_floats(given)
    D, F = _check_matrices(arrays)
    _check_row(arrays, "b_up", F)
    _check_row(arrays, "b_down", D)
    b_up, b_down = arrays.get("b_up", 0.0), arrays.get("b_down", 0.0)
    return arrays["x"], arrays["w_up"], b_up, arrays["w_down"], b_down, activation


def check_swiglu(x: Any, w_gate: Any, w_up: Any, w_down: Any) -> tuple[Array, ...]:
    """The arguments of `swiglu`."""
    arrays = _as_floats({"x": x, "w_gate": w_gate, "w_up": w_up, "w_down": w_down})
    D, F = _check_matrices(arrays)
    _check_shape(arrays, "w_gate", (D, F))
    return tuple(arrays.values())


def check_norm(x: Any, gamma: Any, beta: Any, eps: Any) -> tuple[Array, Array, Array, float]:
    """The arguments of `layer_norm`; γ that is missing becomes the number 1, β the number 0."""
    arrays = _as_floats({"x": x, "gamma": gamma, "beta": beta})
    D = _check_tokens(arrays)
    _check_row(arrays, "gamma", D)
    _check_row(arrays, "beta", D)
    return arrays["x"], arrays.get("gamma", 1.0), arrays.get("beta", 0.0), _check_eps(eps)


def check_norm_backward(
    grad_y: Any, x: Any, gamma: Any, eps: Any
) -> tuple[Array, Array, Array, float]:
    """The arguments of `layer_norm_backward`."""
    arrays = _as_floats({"x": x, "grad_y": grad_y, "gamma": gamma})
    D = _check_tokens(arrays)
    _check_shape(arrays, "grad_y", tuple(arrays["x"].shape))
    _check_row(arrays, "gamma", D)
    return arrays["grad_y"], arrays["x"], arrays.get("gamma", 1.0), _check_eps(eps)


def _as_floats(given: dict[str, Any]) -> dict[str, Array]:
    """What was given, as floats of one library and one dtype, by name."""
    named = {name: value for name, value in given.items() if value is not None}
    return dict(zip(named, as_floats(**named), strict=True))


def _check_tokens(arrays: dict[str, Array]) -> int:
    """D, of tokens (..., D)."""
    shape = tuple(arrays["x"].shape)
    if not shape or shape[-1] == 0:
        raise ValueError(f"x must be (..., D), D 1 or more; got shape {shape}")
    return int(shape[-1])


def _check_matrices(arrays: dict[str, Array]) -> tuple[int, int]:
    """D and F, of matrices that lead from one to the other and back."""
    D, shape = _check_tokens(arrays), tuple(arrays["w_up"].shape)
    if len(shape) != 2 or shape[0] != D:
        raise ValueError(f"w_up must be ({D}, F), for rows of x {D} wide; got shape {shape}")
    _check_shape(arrays, "w_down", (shape[1], D))
    return D, int(shape[1])


def _check_row(arrays: dict[str, Array], name: str, width: int) -> None:
    if name in arrays:
        _check_shape(arrays, name, (width,))


def _check_shape(arrays: dict[str, Array], name: str, shape: tuple[int, ...]) -> None:
    got = tuple(arrays[name].shape)
    if got != shape:
        raise ValueError(f"{name} must be {shape}; got shape {got}")


def _check_eps(eps: Any) -> float:
    number = check_number(eps, "eps")
    if number < 0:
        raise ValueError(f"eps must be 0 or more; got {eps}")
    return number

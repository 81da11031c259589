"""Rotary positions (RoPE): turn queries and keys, and their dot products see only distances.

A head's vector is taken two numbers at a time; each pair is an arrow in the plane, and position p
turns pair i by the angle p · ω_i, with ω_i = rope_theta^(-2i / K). A query turned by m and a key
turned by n then meet at an angle that depends on m - n alone.

Which two numbers are a pair? Two layouts are published. Weights trained with one are of no use with
the other until they are put in order (`interleaved_to_half`):

- "interleaved": neighbours, (0, 1), (2, 3), … The paper, GPT-J, Cohere.
- "half": one from each half, (0, K/2), (1, K/2 + 1), … GPT-NeoX, Llama as `transformers` stores it.

Precision: angles are computed in float64; their cosines and sines are then rounded to the dtype of
x, and the rotation is done in that dtype. In bfloat16 or float16 it is as coarse as they are, as in
Llama; convert x to float32 first where that matters. The device must have float64, which Apple's
MPS has not: turn queries and keys on the CPU there.

But: every pair is turned. Models that turn only a part of each head (GPT-J, GPT-NeoX) cut it off
first. Of the ways to stretch frequencies for longer texts, only Llama 3's is here
(`rope_scaling.py`), not NTK and YaRN.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import array_api_compat
import numpy as np

from plainformer.arrays import Array
from plainformer.inputs.checks import (
    Layout,
    as_positions,
    check_even,
    check_layout,
    check_positions,
    check_rope,
    check_rotated,
)
from plainformer.inputs.positions.angles import angles, frequencies_formula
from plainformer.inputs.relative_positions.rope_scaling import scale_frequencies

__all__ = [
    "Layout",
    "apply_rope",
    "interleaved_to_half",
    "rope_angles",
    "rope_formula",
    "rope_frequencies",
    "split_pairs",
]


def rope_formula(
    x: Array,
    positions: Array,
    omega: Array,
    layout: Layout,
) -> Array:
    """Turn pair i of x by position · omega[i]: `apply_rope` unchecked."""
    xp = array_api_compat.array_namespace(x)
    angle = angles(positions, omega)  # (..., T, K/2)
    cos = xp.astype(xp.cos(angle), x.dtype)
    sin = xp.astype(xp.sin(angle), x.dtype)
    axis = -1 if layout == "interleaved" else -2
    right = xp.stack([cos, sin], axis=axis)  # where the arrow (1, 0) lands
    up = xp.stack([-sin, cos], axis=axis)  # where the arrow (0, 1) lands
    first, second = split_pairs(x, layout)  # (..., T, K/2) each
    a = xp.expand_dims(first, axis=axis)
    b = xp.expand_dims(second, axis=axis)
    # (a cos - b sin, a sin + b cos), both numbers of a pair at once: to
    # make one, then the other, and join them took torch 1.2 times as long
    # with "half" and 1.4 times with "interleaved".
    return xp.reshape(a * right + b * up, x.shape)


def rope_angles(
    length_or_positions: Any,
    d_head: int,
    *,
    rope_theta: float = 10000.0,
    rope_scaling: Mapping[str, Any] | None = None,
) -> Array:
    """By how much each pair of a head's numbers is turned at each position.

    Args:
        length_or_positions: how many positions T from 0 on, or the
            positions, (..., T), whole numbers or not.
        d_head: the width K of one head, even.
        rope_theta: the slowest pair turns once in
            2π · rope_theta^(1 - 2 / K) positions.
        rope_scaling: None, or how Llama 3 slows the slow pairs down for
            longer texts, as its configuration says it: {"rope_type":
            "llama3", "factor": 8.0, "low_freq_factor": 1.0,
            "high_freq_factor": 4.0,
            "original_max_position_embeddings": 8192}.

    Returns:
        (..., T, K/2), radians, float64: position times
        rope_theta^(-2i / K), without scaling.

    Raises:
        TypeError, ValueError: `d_head` is not even, `rope_theta` not above
            1, or `rope_scaling` lacks a number.

    Source: Su et al. 2021 (RoFormer), section 3.2.2, equation 15.

    >>> rope_angles(3, d_head=4).tolist()
    [[0.0, 0.0], [1.0, 0.01], [2.0, 0.02]]
    """
    positions, d_head = as_positions(length_or_positions), check_even(d_head, "d_head")
    return angles(positions, rope_frequencies(d_head, *check_rope(rope_theta, rope_scaling)))


def rope_frequencies(
    d_head: int, rope_theta: float, rope_scaling: Mapping[str, float] | None
) -> Array:
    """How far each pair turns in one step, (K/2,), of numbers that fit."""
    omega = frequencies_formula(d_head, rope_theta)
    return omega if rope_scaling is None else scale_frequencies(omega, **rope_scaling)


def apply_rope(
    x: Array,
    positions: Any = None,
    *,
    offset: int = 0,
    rope_theta: float = 10000.0,
    rope_scaling: Mapping[str, Any] | None = None,
    layout: Layout = "interleaved",
) -> Array:
    """Turn every vector of x by the angles of its position.

    Args:
        x: (..., T, K), queries or keys, K even; for heads (B, H, T, K).
        positions: where the vectors stand. They broadcast against the shape
            of x without its last axis: (T,) for all alike, (B, 1, T) for
            each sequence of a batch with heads; a number puts every vector
            there. None: offset, offset + 1, …
        offset: how many tokens came before x, as in decoding with a cache.
        rope_theta, rope_scaling: as in `rope_angles`.
        layout: which two numbers are a pair: "interleaved", neighbours, or
            "half", one from each half.

    Returns:
        An array like x: its shape, dtype and library (if x holds whole
        numbers, the library's default float).

    Raises:
        TypeError: `x` or `positions` holds no real numbers.
        ValueError: K is odd, the shapes do not fit, an unknown layout, or
            both positions and an offset.

    Source: Su et al. 2021 (RoFormer), section 3.4.2, equation 34.

    >>> q = np.asarray([1.0, 0.0, 1.0, 0.0])  # two arrows to the right
    >>> apply_rope(q, 2).round(2).tolist()  # turned by 2 and 0.02 radians
    [-0.42, 0.91, 1.0, 0.02]
    >>> k = np.asarray([3.0, 1.0, 2.0, 1.0])
    >>> here = apply_rope(q, 5) @ apply_rope(k, 2)
    >>> there = apply_rope(q, 1005) @ apply_rope(k, 1002)
    >>> bool(abs(here - there) < 1e-12)  # 3 apart, here and there
    True
    """
    x, layout = check_rotated(x), check_layout(layout)
    positions = check_positions(x, positions, offset)
    omega = rope_frequencies(x.shape[-1], *check_rope(rope_theta, rope_scaling))
    return rope_formula(x, positions, omega, layout)


def split_pairs(x: Array, layout: Layout) -> tuple[Array, Array]:
    """The first and the second number of every pair.

    Args:
        x: (..., K).
        layout: as in `apply_rope`.

    Returns:
        Two arrays (..., K/2).

    >>> first, second = split_pairs(np.arange(6), "half")
    >>> first.tolist(), second.tolist()
    ([0, 1, 2], [3, 4, 5])
    """
    if layout == "interleaved":
        return x[..., 0::2], x[..., 1::2]
    half = x.shape[-1] // 2
    return x[..., :half], x[..., half:]


def interleaved_to_half(d_head: int) -> Array:
    """Where each number of the half layout stands in the interleaved one.

    With p = interleaved_to_half(K), `x[..., p]` is x in the half layout,
    and apply_rope(x[..., p], layout="half") is
    apply_rope(x, layout="interleaved")[..., p]. The columns of the weights
    that make queries and keys (the rows of a torch Linear's) are put in
    order by the same p, head by head.

    Args:
        d_head: the width K of one head, even.

    Returns:
        (K,), whole numbers, NumPy.

    Raises:
        TypeError, ValueError: `d_head` is no even number of 2 or more.

    >>> interleaved_to_half(6).tolist()
    [0, 2, 4, 1, 3, 5]
    """
    places = np.arange(check_even(d_head, "d_head"))
    return np.concatenate(split_pairs(places, "interleaved"))

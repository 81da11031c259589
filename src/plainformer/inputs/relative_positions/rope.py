"""Rotary positions (RoPE): rotate queries and keys so that their dot products depend on distance.

The numbers of a head's vector are taken in pairs, and each pair is an arrow in the plane. Position
p rotates pair i by the angle p · ω_i, with ω_i = rope_theta^(-2i / K). The dot product of a query
at position m with a key at position n then depends on m and n only through their difference.

There are two published ways to form the pairs, and weights trained with one are useless with the
other until their rows are reordered (`half_layout_order`):

- "interleaved" pairs neighbours, (0, 1), (2, 3), …, as in the paper, GPT-J and Cohere.
- "half" pairs one number from each half, (0, K/2), (1, K/2 + 1), …, as in GPT-NeoX, and in Llama
  in `transformers`.

Angles are computed in float64, and their cosines and sines are rounded to the dtype of x. Every
pair is rotated, so to rotate only part of each head, as GPT-J does, slice off that part first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import array_api_compat
import numpy as np

from plainformer.inputs.checks import Layout, as_positions, check_even, check_positions, check_rope
from plainformer.inputs.positions.angles import angles, frequencies
from plainformer.inputs.relative_positions.scaling import (
    BY_LENGTH,
    attention_factor,
    scale_frequencies,
    scaled_frequencies,
)
from plainformer.shapes import Array, Count, Float, Int, checked

__all__ = [
    "Layout",
    "apply_rope",
    "half_layout_order",
    "rope_angles",
    "rope_frequencies",
    "rotate_pairs",
    "scale_frequencies",
]


@checked
def apply_rope(
    x: Float[Array, "... K"],
    positions: Any = None,
    *,
    offset: Count = 0,
    rope_theta: float = 10000.0,
    rope_scaling: Mapping[str, Any] | None = None,
    layout: Layout = "interleaved",
) -> Float[Array, "... K"]:
    """Rotate every vector of x (queries or keys) by the angles for its position.

    Args:
        positions: numbers that broadcast to the shape of x without its last axis: (T,) if all
            sequences share them, (B, 1, T) if each sequence of a batch with heads has its own, or a
            single number. None means offset, offset + 1, …
        offset: how many tokens came before x, for decoding with a cache.
        rope_theta, rope_scaling: as in `rope_angles`.
        layout: whether pairs are neighbours ("interleaved") or take one number from each half of
            the vector ("half").

    Source: Su et al. 2021 (RoFormer), section 3.4.2, equation 34.

    >>> q, k = np.asarray([1.0, 0.0, 1.0, 0.0]), np.asarray([3.0, 1.0, 2.0, 1.0])
    >>> apply_rope(q, 2).round(2).tolist()  # rotated by 2 and by 0.02 radians
    [-0.42, 0.91, 1.0, 0.02]
    >>> here = apply_rope(q, 5) @ apply_rope(k, 2)
    >>> there = apply_rope(q, 1005) @ apply_rope(k, 1002)
    >>> bool(abs(here - there) < 1e-12)  # 3 apart, here and there
    True
    """
    K = x.shape[-1]
    if K == 0 or K % 2:
        raise ValueError(
            f"x must have an even number of entries along its last axis; got shape {tuple(x.shape)}"
        )
    positions = check_positions(x, positions, offset)
    theta, scaling = check_rope(rope_theta, rope_scaling, pairs=K // 2)
    omega = rope_frequencies(K, theta, scaling, positions)
    rotated, factor = rotate_pairs(x, angles(positions, omega), layout), attention_factor(scaling)
    return rotated if factor == 1 else rotated * factor


def rotate_pairs(x: Array, angle: Array, layout: Layout) -> Array:
    """Rotate every pair (a, b) of numbers in x to (a cos - b sin, a sin + b cos).

    The angle is in radians and broadcasts to the pairs.

    >>> quarter, x = np.asarray([np.pi / 2]), np.asarray([1.0, 0.0])
    >>> rotate_pairs(x, quarter, "half").round(6).tolist()
    [0.0, 1.0]
    """
    xp = array_api_compat.array_namespace(x)
    cos = xp.astype(xp.cos(angle), x.dtype)
    sin = xp.astype(xp.sin(angle), x.dtype)
    half = x.shape[-1] // 2
    neighbours = layout == "interleaved"
    shape, axis = ((half, 2), -1) if neighbours else ((2, half), -2)
    pairs = xp.reshape(x, (*x.shape[:-1], *shape))
    a, b = xp.unstack(pairs, axis=axis)  # (..., T, K/2) each
    rotated = xp.stack([a * cos - b * sin, a * sin + b * cos], axis=axis)
    return xp.reshape(rotated, x.shape)


def rope_angles(
    length_or_positions: Any,
    d_head: int,
    *,
    rope_theta: float = 10000.0,
    rope_scaling: Mapping[str, Any] | None = None,
) -> Float[Array, "... P"]:
    """The angle in radians by which each pair of a head's numbers is rotated at each position.

    Args:
        length_or_positions: T for positions 0 to T - 1, or an array of positions.
        d_head: the width K of a head, an even number.
        rope_theta: θ, the base of the frequencies: the slowest pair rotates once in
            2π · rope_theta^(1 - 2 / K) positions.
        rope_scaling: None, or settings that slow pairs down for longer texts, as in a config.json:
            {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096}. The
            types are those in `scaling.py`. The attention factor of some of them is not an angle,
            and is applied by `apply_rope`. Where the angles depend on the length of the text, that
            is the last position and 1 more.

    Source: Su et al. 2021 (RoFormer), section 3.2.2, equation 15.

    >>> rope_angles(3, d_head=4).tolist()
    [[0.0, 0.0], [1.0, 0.01], [2.0, 0.02]]
    """
    positions, d_head = as_positions(length_or_positions), check_even(d_head, "d_head")
    theta, scaling = check_rope(rope_theta, rope_scaling, pairs=d_head // 2)
    omega = rope_frequencies(d_head, theta, scaling, positions)
    return angles(positions, omega)


def rope_frequencies(
    d_head: int,
    rope_theta: float,
    rope_scaling: Mapping[str, Any] | None,
    positions: Array | None = None,
) -> Array:
    """How far each pair rotates from one position to the next, (K/2,), in radians.

    Some kinds of scaling depend on the length of the text, which is the largest of the positions
    and 1 more; no positions mean a short text.
    """
    omega = frequencies.unchecked(d_head, rope_theta)
    if rope_scaling is None:
        return omega
    length = 0
    if positions is not None and rope_scaling["rope_type"] in BY_LENGTH:
        xp = array_api_compat.array_namespace(positions)
        length = int(xp.max(positions)) + 1 if math.prod(positions.shape) else 0
    return scaled_frequencies(omega, rope_scaling, length)


def half_layout_order(d_head: int) -> Int[Array, "K"]:
    """The order in which the "half" layout stores the numbers of the
    "interleaved" one.

    With p = half_layout_order(K), `x[..., p]` is x in the half layout, and
    apply_rope(x[..., p], layout="half") equals apply_rope(x,
    layout="interleaved")[..., p]. Within each head, the same p reorders the
    columns of the weights that produce queries and keys (which are rows in
    the weight of a torch Linear).

    >>> half_layout_order(6).tolist()
    [0, 2, 4, 1, 3, 5]
    """
    order = np.arange(check_even(d_head, "d_head"))
    return np.concatenate([order[0::2], order[1::2]])

"""Rotary positions (RoPE): queries and keys are rotated so that their dot products see distances.

The numbers of a head's vector are taken in pairs, and each pair is an arrow in the plane. Position
p rotates pair i by the angle p · ω_i, with ω_i = rope_theta^(-2i / K). When a query rotated by m
meets a key rotated by n, the angle between them depends on m - n alone.

There are two published ways to form the pairs, and weights trained with one are useless with the
other until their rows are reordered (`half_layout_order`):

- "interleaved": neighbours, (0, 1), (2, 3), … The paper, GPT-J, Cohere.
- "half": one from each half, (0, K/2), (1, K/2 + 1), … GPT-NeoX, and Llama in `transformers`.

Angles are computed in float64. Their cosines and sines are then rounded to the dtype of x, in which
the rotation is done, so in bfloat16 it is as coarse as it is in Llama.

Every pair is rotated. Models that rotate only a part of each head (GPT-J, GPT-NeoX) cut that part
off first. Of the ways to stretch frequencies for longer texts, Llama 3's is here
(`rope_scaling.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import array_api_compat
import numpy as np

from plainformer.inputs.checks import Layout, as_positions, check_even, check_positions, check_rope
from plainformer.inputs.positions.angles import angles, frequencies
from plainformer.inputs.relative_positions.rope_scaling import scale_frequencies
from plainformer.shapes import Array, Count, Float, checked

__all__ = [
    "Layout",
    "apply_rope",
    "half_layout_order",
    "rope_angles",
    "rope_frequencies",
    "rotate_pairs",
    "split_pairs",
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
    """Rotate every vector of x by the angles of its position.

    Args:
        x: (..., T, K), queries or keys, K even; with heads (B, H, T, K).
        positions: the positions of the vectors. They broadcast to the shape of x without its last
            axis: (T,) for all alike, or (B, 1, T) for each sequence of a batch with heads; a single
            number is the position of all of them. None means offset, offset + 1, …
        offset: how many tokens came before x, as in decoding with a cache.
        rope_theta, rope_scaling: as in `rope_angles`.
        layout: which two numbers form a pair: "interleaved", neighbours, or "half", one from each
            half.

    Returns:
        An array of x's shape, dtype and library; whole numbers become the library's default float.

    Raises:
        TypeError: `x` or `positions` are not real numbers.
        ValueError: K is odd, shapes that do not fit, an unknown layout, or both positions and an
            offset.

    Source: Su et al. 2021 (RoFormer), section 3.4.2, equation 34.

    >>> q = np.asarray([1.0, 0.0, 1.0, 0.0])  # two arrows that point right
    >>> apply_rope(q, 2).round(2).tolist()  # rotated by 2 and by 0.02 radians
    [-0.42, 0.91, 1.0, 0.02]
    >>> k = np.asarray([3.0, 1.0, 2.0, 1.0])
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
    omega = rope_frequencies(K, *check_rope(rope_theta, rope_scaling))
    return rotate_pairs(x, angles(positions, omega), layout)


def rotate_pairs(x: Array, angle: Array, layout: Layout) -> Array:
    """Rotate every pair of numbers of x by an angle: (a cos - b sin, a sin +
    b cos).

    Args:
        x: (..., T, K).
        angle: (..., T, K/2), radians, which broadcasts to the pairs of x.
        layout: as in `apply_rope`.

    Returns:
        (..., T, K).

    >>> quarter = np.asarray([np.pi / 2])
    >>> x = np.asarray([1.0, 0.0])
    >>> rotate_pairs(x, quarter, "half").round(6).tolist()
    [0.0, 1.0]
    """
    xp = array_api_compat.array_namespace(x)
    cos = xp.astype(xp.cos(angle), x.dtype)
    sin = xp.astype(xp.sin(angle), x.dtype)
    a, b = split_pairs(x, layout)  # (..., T, K/2) each
    rotated = [a * cos - b * sin, a * sin + b * cos]
    if layout == "interleaved":
        return xp.reshape(xp.stack(rotated, axis=-1), x.shape)
    return xp.concat(rotated, axis=-1)


def rope_angles(
    length_or_positions: Any,
    d_head: int,
    *,
    rope_theta: float = 10000.0,
    rope_scaling: Mapping[str, Any] | None = None,
) -> Array:
    """The angle by which each pair of a head's numbers is rotated at each position.

    Args:
        length_or_positions: T for the positions from 0 on, or an array of positions (..., T), whole
            numbers or not.
        d_head: K, the width of a head, an even number.
        rope_theta: the slowest pair completes a rotation in 2π · rope_theta^(1 - 2 / K) positions.
        rope_scaling: None, or how Llama 3 slows the slow pairs down for longer texts, as in
            its configuration: {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
            "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}.

    Returns:
        (..., T, K/2), radians, float64: position times rope_theta^(-2i / K), unless scaled.

    Raises:
        TypeError, ValueError: `d_head` is not even, `rope_theta` is not above 1, or `rope_scaling`
            lacks a number.

    Source: Su et al. 2021 (RoFormer), section 3.2.2, equation 15.

    >>> rope_angles(3, d_head=4).tolist()
    [[0.0, 0.0], [1.0, 0.01], [2.0, 0.02]]
    """
    positions, d_head = as_positions(length_or_positions), check_even(d_head, "d_head")
    return angles(positions, rope_frequencies(d_head, *check_rope(rope_theta, rope_scaling)))


def rope_frequencies(
    d_head: int, rope_theta: float, rope_scaling: Mapping[str, float] | None
) -> Array:
    """How far each pair rotates from one position to the next, (K/2,), in radians."""
    omega = frequencies.unchecked(d_head, rope_theta)
    return omega if rope_scaling is None else scale_frequencies(omega, **rope_scaling)


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


def half_layout_order(d_head: int) -> Array:
    """The order in which the "half" layout stores the numbers of the
    "interleaved" one.

    With p = half_layout_order(K), `x[..., p]` is x in the half layout, and
    apply_rope(x[..., p], layout="half") equals apply_rope(x,
    layout="interleaved")[..., p]. The same p reorders the columns of the
    weights that produce queries and keys (the rows of a torch Linear's),
    head by head.

    Args:
        d_head: K, the width of a head, an even number.

    Returns:
        (K,), whole numbers, NumPy.

    Raises:
        TypeError, ValueError: `d_head` is not an even number from 2 on.

    >>> half_layout_order(6).tolist()
    [0, 2, 4, 1, 3, 5]
    """
    order = np.arange(check_even(d_head, "d_head"))
    return np.concatenate(split_pairs(order, "interleaved"))

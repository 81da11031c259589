"""Rotary positions (RoPE): turn queries and keys, and their dot products see only distances.

A head's vector is taken two numbers at a time; each pair is an arrow in the plane, and position p
turns pair i by the angle p · ω_i, with ω_i = base^(-2i / K). A query turned by m and a key turned
by n then meet at an angle that depends on m - n alone.

Which two numbers are a pair? Two layouts are published. Weights trained with one are of no use with
the other until they are put in order (`half_from_interleaved`):

- "interleaved": neighbours, (0, 1), (2, 3), … The paper, GPT-J, Cohere.
- "half": one from each half, (0, K/2), (1, K/2 + 1), … GPT-NeoX, Llama as `transformers` stores it.

Precision: angles are computed in float64; their cosines and sines are then rounded to the dtype of
x, and the rotation is done in that dtype. In bfloat16 or float16 it is as coarse as they are, as in
Llama; convert x to float32 first where that matters. The device must have float64, which Apple's
MPS has not: turn queries and keys on the CPU there.

But: every pair is turned. Models that turn only a part of each head (GPT-J, GPT-NeoX) cut it off
first; frequencies stretched for longer texts (NTK, YaRN) are not here.
"""

from __future__ import annotations

from typing import Any, Literal

import array_api_compat
import numpy as np

from plainformer.arrays import Array, as_array, beside, broadcasts, check_size, default_float
from plainformer.inputs.positions.angles import angles, as_positions

__all__ = ["Layout", "apply_rope", "half_from_interleaved", "rope_angles"]

Layout = Literal["interleaved", "half"]


def rope_angles(
    length_or_positions: Any,
    d_head: int,
    *,
    base: float = 10000.0,
) -> Array:
    """By how much each pair of a head's numbers is turned at each position.

    Args:
        length_or_positions: how many positions T from 0 on, or the
            positions, (..., T), whole numbers or not.
        d_head: the width K of one head, even.
        base: the slowest pair turns once in 2π · base^(1 - 2 / K) positions.

    Returns:
        (..., T, K/2), radians, float64: position times base^(-2i / K).

    Raises:
        TypeError, ValueError: `d_head` is not even, or as `angles`.

    Source: Su et al. 2021 (RoFormer), section 3.2.2, equation 15.

    >>> rope_angles(3, d_head=4).tolist()
    [[0.0, 0.0], [1.0, 0.01], [2.0, 0.02]]
    """
    positions = as_positions(length_or_positions)
    return angles(positions, _check_even(d_head, "d_head"), base=base)


def apply_rope(
    x: Array,
    positions: Any = None,
    *,
    offset: int = 0,
    base: float = 10000.0,
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
        base: as in `rope_angles`.
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
    x = _check_x(x)
    xp = array_api_compat.array_namespace(x)
    positions = _positions_of(x, positions, offset)
    angle = rope_angles(positions, x.shape[-1], base=base)  # (..., T, K/2)
    cos = xp.astype(xp.cos(angle), x.dtype)
    sin = xp.astype(xp.sin(angle), x.dtype)
    axis = -1 if _check_layout(layout) == "interleaved" else -2
    right = xp.stack([cos, sin], axis=axis)  # where the arrow (1, 0) lands
    up = xp.stack([-sin, cos], axis=axis)  # where the arrow (0, 1) lands
    first, second = split_pairs(x, layout)  # (..., T, K/2) each
    a = xp.expand_dims(first, axis=axis)
    b = xp.expand_dims(second, axis=axis)
    # (a cos - b sin, a sin + b cos), both numbers of a pair at once: to
    # make one, then the other, and join them took torch 1.2 times as long
    # with "half" and 1.4 times with "interleaved".
    return xp.reshape(a * right + b * up, x.shape)


def split_pairs(x: Array, layout: Layout) -> tuple[Array, Array]:
    """The first and the second number of every pair.

    Args:
        x: (..., K).
        layout: as in `apply_rope`.

    Returns:
        Two arrays (..., K/2).

    Raises:
        ValueError: an unknown layout.

    >>> first, second = split_pairs(np.arange(6), "half")
    >>> first.tolist(), second.tolist()
    ([0, 1, 2], [3, 4, 5])
    """
    if _check_layout(layout) == "interleaved":
        return x[..., 0::2], x[..., 1::2]
    half = x.shape[-1] // 2
    return x[..., :half], x[..., half:]


def half_from_interleaved(d_head: int) -> Array:
    """Where each number of the half layout stands in the interleaved one.

    With p = half_from_interleaved(K), `x[..., p]` is x in the half layout,
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

    >>> half_from_interleaved(6).tolist()
    [0, 2, 4, 1, 3, 5]
    """
    places = np.arange(_check_even(d_head, "d_head"))
    return np.concatenate(split_pairs(places, "interleaved"))


# What is refused


def _check_even(value: Any, name: str) -> int:
    width = check_size(value, name)
    if width % 2:
        raise ValueError(f"{name} must be even: numbers are turned in pairs; got {width}")
    return width


def _check_layout(layout: Layout) -> Layout:
    if layout not in ("interleaved", "half"):
        raise ValueError(f"layout must be 'interleaved' or 'half'; got {layout!r}")
    return layout


def _check_x(x: Any) -> Array:
    """Queries or keys as an array of floats with an even last axis."""
    x = as_array(x, "x")
    xp = array_api_compat.array_namespace(x)
    if xp.isdtype(x.dtype, "complex floating"):
        raise TypeError(f"x must be real numbers; got {x.dtype}")
    if x.ndim == 0 or x.shape[-1] == 0 or x.shape[-1] % 2:
        raise ValueError(
            "x must have an even number of entries along its last axis, which are turned in pairs; "
            f"got shape {tuple(x.shape)}"
        )
    return xp.astype(x, default_float(x), copy=False)


def _positions_of(x: Array, positions: Any, offset: Any) -> Array:
    """The positions of x's vectors: an array of x's library that broadcasts to x.shape[:-1]."""
    offset = check_size(offset, "offset", least=0)
    places = tuple(x.shape[:-1])
    if positions is None:
        if not places:
            raise ValueError(
                "x must have an axis of positions before its last one, or positions must be given; "
                f"got shape {tuple(x.shape)}"
            )
        xp, device = array_api_compat.array_namespace(x), array_api_compat.device(x)
        return xp.arange(offset, offset + places[-1], device=device)
    if offset:
        raise ValueError(
            f"offset must be 0 when positions are given, which say it all; got {offset}"
        )
    positions = as_positions(as_array(positions, "positions"))
    if not broadcasts(positions.shape, to=places):
        raise ValueError(
            f"positions must broadcast to {places}, the shape of x without its last axis; "
            f"got shape {tuple(positions.shape)}"
        )
    return beside(positions, like=x)

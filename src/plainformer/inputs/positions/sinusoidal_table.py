"""Sinusoidal positions: the hands of many clocks, each slower than the one before.

A position becomes D numbers: for each frequency of the ladder (`angles.py`), the sine and the
cosine of one angle. Each such pair is a point on a circle, the tip of a clock's hand. Moving on by
k positions turns every hand by an angle that depends on k alone: `shift_matrix` writes that turn as
a matrix.

But: the table is defined for every position, far, fractional or negative. That is no promise that a
model trained on short texts can use the far ones.
"""

from __future__ import annotations

from typing import Any

import array_api_compat
import numpy as np

from plainformer.arrays import Array, check_number, default_float
from plainformer.inputs.checks import as_positions, check_even, is_length
from plainformer.inputs.positions.angles import angles, frequencies

__all__ = ["shift_matrix", "sinusoidal"]

STEP = 64
"""A longer table than this is made by turning rows on; see `_by_turning`."""


def sinusoidal_formula(
    positions: Array,
    omega: Array,
    d_model: int,
    dtype: Any,
) -> Array:
    """The sine and the cosine of position times frequency, side by side."""
    xp = array_api_compat.array_namespace(positions)
    angle = angles(positions, omega)  # (..., D/2)
    waves = [xp.astype(f(angle), dtype) for f in (xp.sin, xp.cos)]
    pairs = xp.stack(waves, axis=-1)  # (..., D/2, 2)
    table = xp.reshape(pairs, (*positions.shape, 2 * angle.shape[-1]))
    return table[..., :d_model]


def sinusoidal(
    length_or_positions: Any,
    d_model: int,
    *,
    base: float = 10000.0,
    like: Array = None,
) -> Array:
    """Sines and cosines of a position, at a ladder of wavelengths.

    Column 2i holds sin(p · base^(-2i/D)), column 2i + 1 the cosine of
    the same angle. With an odd D, the last column is a sine alone.

    Args:
        length_or_positions: T for positions 0 to T - 1, or an array
            of positions (...,): far, fractional or negative ones too.
        d_model: the width D of the encoding.
        base: the wavelengths grow from 2π towards 2π · base.
        like: an array, to give the result its library, device and
            dtype.

    Returns:
        (T, D) or (..., D), values from -1 to 1. Without `like`:
        float positions keep their dtype, whole ones get their
        library's default float, and a length gives NumPy's float64.

    Raises:
        TypeError, ValueError: an argument is not what is said above.

    Source: Vaswani et al. 2017, section 3.5.

    >>> sinusoidal(3, d_model=4).round(2)
    array([[ 0.  ,  1.  ,  0.  ,  1.  ],
           [ 0.84,  0.54,  0.01,  1.  ],
           [ 0.91, -0.42,  0.02,  1.  ]])
    """
    positions = as_positions(length_or_positions, like=like)
    dtype = default_float(positions if like is None else like)
    omega = frequencies(d_model, base)  # (D/2,)
    if is_length(length_or_positions) and len(positions) > STEP:
        # The same table, made faster.
        return _by_turning(positions, omega, d_model, dtype)
    return sinusoidal_formula(positions, omega, d_model, dtype)


def shift_matrix(k: float, d_model: int, base: float = 10000.0) -> Array:
    """The rotation that takes any position's encoding k steps on.

    PE(p + k) = R_k PE(p), whatever p is: in each pair of dimensions,
    a turn by k times the pair's frequency.

    Args:
        k: how many steps, fractional and negative ones too.
        d_model: the width D of the encoding, an even number.
        base: as in `sinusoidal`.

    Returns:
        R_k, (D, D), float64, NumPy. It multiplies a column from the
        left; for a table of rows, that is `table @ R_k.T`.

    Raises:
        TypeError, ValueError: `k` is no finite number, or `d_model`
            is odd: then the last sine has no cosine to turn with.

    Source: Vaswani et al. 2017, section 3.5, where it is said in
    words.

    >>> R = shift_matrix(5, d_model=8)
    >>> table = sinusoidal(10, d_model=8)
    >>> bool(np.allclose(R @ table[2], table[7], atol=1e-15))
    True
    """
    k, d_model = check_number(k, "k"), check_even(d_model, "d_model")
    angle = k * frequencies(d_model, base)  # (D/2,)
    R = np.zeros((d_model, d_model))
    R[0::2, 0::2] = R[1::2, 1::2] = np.diag(np.cos(angle))
    R[0::2, 1::2] = np.diag(np.sin(angle))
    R[1::2, 0::2] = -np.diag(np.sin(angle))
    return R


def _by_turning(positions: Array, omega: Array, d_model: int, dtype: Any) -> Array:
    """The table of positions 0, 1, 2, …, with fewer sines: one law of the encoding makes it fast.

    Position p is STEP · a + b. Its pairs are those of STEP · a, turned by b steps, and one product
    of complex numbers turns a pair: (sin u + i cos u)(cos v - i sin v) = sin(u + v) + i cos(u + v).
    So only T / STEP + STEP rows need sines; the rest are products. (`view`, which reads a complex
    number as two real ones, is no part of the array API standard; NumPy and torch both have it.)
    """
    xp = array_api_compat.array_namespace(positions)
    wide = dtype == xp.float64
    u = angles(positions[::STEP], omega)  # (A, D/2)
    v = angles(positions[:STEP], omega)  # (STEP, D/2)
    starts, turns = xp.sin(u) + 1j * xp.cos(u), xp.cos(v) - 1j * xp.sin(v)
    if not wide:
        starts, turns = xp.astype(starts, xp.complex64), xp.astype(turns, xp.complex64)
    rows = starts[:, None, :] * turns  # (A, STEP, D/2)
    pairs = rows.view(xp.float64 if wide else xp.float32)  # (A, STEP, D): real, imaginary, real, …
    table = xp.reshape(pairs, (-1, pairs.shape[-1]))[: len(positions), :d_model]
    return xp.astype(table, dtype, copy=False)

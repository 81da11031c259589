"""Sinusoidal positions: the hands of many clocks, each slower than the one before.

A position becomes D numbers: for each frequency of the ladder (`angles.py`), the sine and the
cosine of one angle. Each such pair is a point on a circle, the tip of a clock's hand. Moving on by
k positions turns every hand by an angle that depends on k alone: `shift_matrix` writes that turn as
a matrix.

But: the table is defined for every position, far, fractional or negative. That is no promise that a
model trained on short texts can use the far ones.
"""

from __future__ import annotations

import math
from typing import Any

import array_api_compat
import numpy as np

from plainformer.arrays import Array, check_size, default_float
from plainformer.inputs.positions.angles import angles, as_positions

__all__ = ["shift_matrix", "sinusoidal"]


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
        base: the longest wavelength is nearly 2π · base.
        like: an array, to give the result its library, device and
            dtype.

    Returns:
        (T, D) or (..., D), values from -1 to 1. Without `like`:
        float positions keep their dtype, whole ones get their
        library's default float, and a length gives NumPy's float64.

    Raises:
        TypeError, ValueError: an argument is not what is said above.

    Source: Vaswani et al. 2017, section 3.5.

    >>> sinusoidal(3, d_model=4).round(2).tolist()
    [[0.0, 1.0, 0.0, 1.0], [0.84, 0.54, 0.01, 1.0], [0.91, -0.42, 0.02, 1.0]]
    """
    positions = as_positions(length_or_positions, like=like)
    xp = array_api_compat.array_namespace(positions)
    theta = angles(positions, d_model, base=base)  # (..., D/2)
    pairs = xp.stack([xp.sin(theta), xp.cos(theta)], axis=-1)  # (..., D/2, 2)
    table = xp.reshape(pairs, (*positions.shape, 2 * theta.shape[-1]))
    return xp.astype(table[..., :d_model], default_float(positions if like is None else like))


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
    theta = angles(_check_shift(k, d_model), d_model, base=base)  # (D/2,)
    R = np.zeros((d_model, d_model))
    R[0::2, 0::2] = R[1::2, 1::2] = np.diag(np.cos(theta))
    R[0::2, 1::2] = np.diag(np.sin(theta))
    R[1::2, 0::2] = -np.diag(np.sin(theta))
    return R


def _check_shift(k: float, d_model: int) -> Array:
    if isinstance(k, bool) or not isinstance(k, int | float | np.integer):
        raise TypeError(f"k must be a number; got {type(k).__name__}")
    if not math.isfinite(k):
        raise ValueError(f"k must be finite; got {k}")
    if check_size(d_model, "d_model") % 2:
        raise ValueError(f"d_model must be even, for pairs to turn; got {d_model}")
    return np.asarray(float(k))

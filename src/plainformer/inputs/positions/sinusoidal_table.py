"""Sinusoidal positions, which are like many clocks, each slower than the one before.

A position becomes D numbers: for each frequency (`angles.py`), the sine and cosine of one angle.
Each such pair is a point on a circle, like the tip of a clock's hand. Moving on by k positions
rotates every hand by an angle that depends on k alone, and `shift_matrix` returns that rotation.
"""

from __future__ import annotations

from typing import Any

import array_api_compat
import numpy as np

from plainformer.arrays import Array, default_float
from plainformer.inputs.checks import as_positions
from plainformer.inputs.positions.angles import angles, frequencies
from plainformer.shapes import Float, Size, checked

__all__ = ["shift_matrix", "sinusoidal"]


def sinusoidal(
    length_or_positions: Any,
    d_model: int,
    *,
    base: float = 10000.0,
    like: Array = None,
) -> Float[Array, "... D"]:
    """The sinusoidal encoding: sines and cosines of a position at many
    wavelengths, which grow from 2π towards 2π · base.

    Column 2i holds sin(p · base^(-2i/D)) and column 2i + 1 the cosine of the
    same angle. With an odd D, the last column is a sine alone.

    Args:
        length_or_positions: T for the positions 0 to T - 1, or an array of
            positions, which may be far, fractional or negative.
        like: an array whose library, device and dtype the result takes.
            Without it, float positions keep their dtype, whole ones get
            their library's default float, and a length gives NumPy's
            float64.

    Source: Vaswani et al. 2017, section 3.5.

    >>> sinusoidal(3, d_model=4).round(2)
    array([[ 0.  ,  1.  ,  0.  ,  1.  ],
           [ 0.84,  0.54,  0.01,  1.  ],
           [ 0.91, -0.42,  0.02,  1.  ]])
    """
    positions = as_positions(length_or_positions, like=like)
    dtype = default_float(positions if like is None else like)
    angle = angles(positions, frequencies(d_model, base))  # (..., P)
    xp = array_api_compat.array_namespace(angle)
    # Rounded before they are stacked, which takes half the time.
    sin, cos = (xp.astype(f(angle), dtype) for f in (xp.sin, xp.cos))
    pairs = xp.stack([sin, cos], axis=-1)  # (..., P, 2)
    waves = xp.reshape(pairs, (*angle.shape[:-1], 2 * angle.shape[-1]))
    return waves[..., :d_model]


@checked
def shift_matrix(
    k: float,
    d_model: Size,
    base: float = 10000.0,
) -> Float[Array, "D D"]:
    """The rotation R_k that moves any position's encoding k steps on.

    PE(p + k) = R_k PE(p) for every p: each pair of dimensions is rotated by
    k times its frequency, and k may be fractional or negative. The matrix
    multiplies a column from the left; for a table of rows, that is
    `table @ R_k.T`. An odd D is refused, because its last sine has no cosine
    to rotate with.

    Source: Vaswani et al. 2017, section 3.5, where it is stated in words.

    >>> R = shift_matrix(5, d_model=8)
    >>> table = sinusoidal(10, d_model=8)
    >>> bool(np.allclose(R @ table[2], table[7], atol=1e-15))
    True
    """
    if d_model % 2:
        needed = "even, since numbers rotate in pairs"
        raise ValueError(f"d_model must be {needed}; got {d_model}")
    angle = k * frequencies(d_model, base)  # (D/2,)
    cos, sin = np.cos(angle), np.sin(angle)
    R = np.zeros((d_model, d_model))
    for i in range(d_model // 2):
        # A pair is (sine, cosine), hence the signs.
        pair = slice(2 * i, 2 * i + 2)
        R[pair, pair] = [[cos[i], sin[i]], [-sin[i], cos[i]]]
    return R

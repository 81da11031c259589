"""The frequencies of positional encodings, and the angle that a position reaches at each of them.

The sinusoidal encoding consists of the sine and cosine of every angle; rotary encoding (RoPE)
rotates a query or a key by it. An angle is a position times a frequency. In float32, that product
is off by as much as 0.03 radians at position 1,000,000, so angles are always computed in float64,
which Apple's MPS lacks: compute on the CPU there and move the result.
"""

from __future__ import annotations

import array_api_compat
import numpy as np

from plainformer.shapes import Array, Float, Size, checked

__all__ = ["angles", "frequencies", "wavelengths"]


@checked
def frequencies(d_model: Size, base: float = 10000.0) -> Float[Array, "P"]:
    """How far each pair of dimensions rotates from one position to the next,
    in radians.

    Pair i rotates by base^(-2i / d_model): the first by 1 radian, and every
    later pair by a constant factor less. With an odd `d_model`, the last
    pair has only a sine.

    Source: Vaswani et al. 2017, section 3.5.

    >>> frequencies(4).tolist()
    [1.0, 0.01]
    """
    if base <= 1:
        raise ValueError(f"base must be finite and above 1; got {base}")
    i = np.arange((d_model + 1) // 2, dtype=np.float64)
    return base ** (-2 * i / d_model)


def wavelengths(d_model: int, base: float = 10000.0) -> Float[Array, "P"]:
    """How many positions each pair of dimensions takes to return to where it started.

    The shortest wavelength is 2π, and each of the others is longer by the factor
    base^(2 / d_model), so that they approach 2π · base without reaching it.

    >>> wavelengths(4).round(2).tolist()
    [6.28, 628.32]
    """
    return 2 * np.pi / frequencies(d_model, base)


def angles(positions: Array, frequencies: Float[Array, "P"]) -> Float[Array, "... P"]:
    """The angle of every pair at every position, in radians: position times frequency.

    The result is float64, in the positions' library and on their device.

    >>> angles(np.asarray([0, 1, 2]), frequencies(4)).tolist()
    [[0.0, 0.0], [1.0, 0.01], [2.0, 0.02]]
    """
    xp = array_api_compat.array_namespace(positions)
    omega = xp.asarray(frequencies, device=array_api_compat.device(positions))  # (P,)
    return xp.astype(positions, xp.float64)[..., None] * omega  # (..., P)

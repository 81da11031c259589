"""The frequencies of positional encodings, and the angle that a position reaches at each of them.

Two of the course's encodings start here. The sinusoidal encoding writes down the sine and cosine of
every angle; rotary encoding (RoPE) rotates a query or a key by it.

An angle is a position times a frequency. In float32, that product is off by as much as 0.03 radians
at position 1,000,000, so angles are always computed in float64, whatever the dtype of the result.
The device must have float64, which Apple's MPS lacks: compute on the CPU there and move the result.
"""

from __future__ import annotations

import array_api_compat
import numpy as np

from plainformer.shapes import Array, Size, checked

__all__ = ["angles", "frequencies", "wavelengths"]


@checked
def frequencies(d_model: Size, base: float = 10000.0) -> Array:
    """How far each pair of dimensions rotates from one position to the next,
    in radians.

    Pair i rotates by base^(-2i / d_model): the first by 1 radian, and every
    later pair by a constant factor less.

    Args:
        d_model: D, the width of the encoding. With an odd D, the last pair
            has only a sine.
        base: the wavelengths grow from 2π towards 2π · base.

    Returns:
        (⌈D/2⌉,), float64, NumPy.

    Raises:
        TypeError, ValueError: `d_model` is not a whole number from 1 on, or
            `base` is not above 1.

    Source: Vaswani et al. 2017, section 3.5.

    >>> frequencies(4).tolist()
    [1.0, 0.01]
    """
    if base <= 1:
        raise ValueError(f"base must be finite and above 1; got {base}")
    i = np.arange((d_model + 1) // 2, dtype=np.float64)
    return base ** (-2 * i / d_model)


def wavelengths(d_model: int, base: float = 10000.0) -> Array:
    """After how many positions each pair of dimensions is back where it started.

    The shortest wavelength is 2π, and each of the others is longer by the factor
    base^(2 / d_model), so that they approach 2π · base without reaching it.

    Args:
        d_model, base: as in `frequencies`.

    Returns:
        (⌈D/2⌉,), float64, NumPy, in positions.

    Raises:
        TypeError, ValueError: as `frequencies`.

    Source: Vaswani et al. 2017, section 3.5.

    >>> wavelengths(4).round(2).tolist()
    [6.28, 628.32]
    """
    return 2 * np.pi / frequencies(d_model, base)


def angles(positions: Array, frequencies: Array) -> Array:
    """The angle of every pair at every position: position times frequency.

    Args:
        positions: (...,), real numbers, an array of any library.
        frequencies: (P,), one for each pair, NumPy.

    Returns:
        (..., P), radians, float64, in the positions' library and on their device.

    >>> angles(np.asarray([0, 1, 2]), frequencies(4)).tolist()
    [[0.0, 0.0], [1.0, 0.01], [2.0, 0.02]]
    """
    xp = array_api_compat.array_namespace(positions)
    omega = xp.asarray(frequencies, device=array_api_compat.device(positions))  # (P,)
    return xp.astype(positions, xp.float64)[..., None] * omega  # (..., P)

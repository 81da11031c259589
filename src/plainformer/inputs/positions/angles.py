"""The ladder of frequencies, and the angle that a position reaches on each rung.

Two of the course's encodings start here. Sinusoidal encoding writes down the sine and the cosine of
each angle; rotary encoding (RoPE) turns a query or a key by it.

Precision: an angle is a position times a frequency, and at position 1,000,000 a float32 knows it
only to within 0.03. So angles are computed in float64 whatever the result's dtype, and the device
must have float64 (Apple's MPS has not: compute on the CPU there and move the result).

But: fractional positions are looked at, lest one is NaN. For those, torch's "meta" and `vmap` are
out, and a GPU is waited for once.
"""

from __future__ import annotations

from typing import Any

import array_api_compat
import numpy as np

from plainformer.arrays import Array, as_array, beside, check_base, check_size, is_integer

__all__ = ["angles", "as_positions", "frequencies", "is_length", "wavelengths"]


def frequencies(d_model: int, base: float = 10000.0) -> Array:
    """How far each pair of dimensions turns from one position to the next, in radians.

    Pair i turns by base^(-2i / d_model): the first by 1 radian, each
    later pair by a constant factor less. An odd `d_model` has a last
    pair of which only the sine is used.

    Args:
        d_model: the width D of the encoding.
        base: the wavelengths grow from 2π towards 2π · base, and
            come near it where D is large.

    Returns:
        (⌈D/2⌉,), float64, NumPy.

    Raises:
        TypeError, ValueError: `d_model` is no whole number of 1 or
            more, or `base` is not above 1.

    Source: Vaswani et al. 2017, section 3.5.

    >>> frequencies(4).tolist()
    [1.0, 0.01]
    """
    d_model, base = check_size(d_model, "d_model"), check_base(base)
    return base ** -(np.arange(0, d_model, 2, dtype=np.float64) / d_model)


def wavelengths(d_model: int, base: float = 10000.0) -> Array:
    """After how many positions each pair of dimensions is back at its start.

    The shortest is 2π; each next one is longer by the factor
    base^(2 / d_model), towards 2π · base, which is never reached.

    Args:
        d_model: the width D of the encoding.
        base: as in `frequencies`.

    Returns:
        (⌈D/2⌉,), float64, NumPy, in positions.

    Raises:
        TypeError, ValueError: as `frequencies`.

    Source: Vaswani et al. 2017, section 3.5.

    >>> wavelengths(4).round(2).tolist()
    [6.28, 628.32]
    """
    return 2 * np.pi / frequencies(d_model, base)


def as_positions(length_or_positions: Any, *, like: Array = None) -> Array:
    """Return positions as an array: 0, 1, 2, … for a length, an array as it is.

    Args:
        length_or_positions: how many positions from 0 on, or the positions themselves, an array or
            a list of any shape; whole numbers or not, negative or not. A number is a length, a
            0-dimensional array is a position.
        like: an array; the result is of its library and device. Its dtype stays whole for a length:
            in bfloat16, there is no 257.

    Raises:
        TypeError: neither a whole number nor an array of real numbers.
        ValueError: a length below 0, or a position that is not finite.

    >>> as_positions(3).tolist()
    [0, 1, 2]
    >>> as_positions([0.5, -2.0]).tolist()
    [0.5, -2.0]
    """
    if is_length(length_or_positions):
        positions = np.arange(check_size(length_or_positions, "length", least=0))
    else:
        positions = as_array(length_or_positions, "positions")
    if like is not None:
        positions = beside(positions, like)
    xp = array_api_compat.array_namespace(positions)
    if xp.isdtype(positions.dtype, "complex floating"):
        raise TypeError(f"positions must be real numbers; got {positions.dtype}")
    if not is_integer(positions) and not bool(xp.all(xp.isfinite(positions))):
        raise ValueError("positions must be finite; got a NaN or an infinity")
    return positions


def is_length(length_or_positions: Any) -> bool:
    """Whether it counts positions, as a number does, rather than holding them.

    >>> is_length(3), is_length(np.int64(3)), is_length([3]), is_length(np.asarray(3))
    (True, True, False, False)
    """
    if isinstance(length_or_positions, list | tuple | range):
        return False
    is_array = array_api_compat.is_array_api_obj(length_or_positions)
    return not is_array or isinstance(length_or_positions, np.generic)


def angles(
    positions: Array,
    d_model: int,
    *,
    base: float = 10000.0,
) -> Array:
    """The angle of each pair at each position: position times frequency.

    Args:
        positions: (...,), real numbers, an array of any library.
        d_model: the width D of the encoding.
        base: as in `frequencies`.

    Returns:
        (..., ⌈D/2⌉), radians, float64, of the positions' library and
        device.

    Raises:
        TypeError, ValueError: as `frequencies`.

    >>> angles(np.asarray([0, 1, 2]), d_model=4).tolist()
    [[0.0, 0.0], [1.0, 0.01], [2.0, 0.02]]
    """
    xp = array_api_compat.array_namespace(positions)
    device = array_api_compat.device(positions)
    turns = xp.asarray(frequencies(d_model, base), device=device)  # (D/2,)
    return xp.astype(positions, xp.float64)[..., None] * turns  # (..., D/2)

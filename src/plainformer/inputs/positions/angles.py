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

import array_api_compat
import numpy as np

from plainformer.arrays import Array, check_base, check_length

__all__ = ["angles", "frequencies", "frequencies_formula", "wavelengths"]


def frequencies_formula(d_model: int, base: float) -> Array:
    """base^(-2i / d_model) for every pair i: `frequencies` unchecked."""
    return base ** -(np.arange(0, d_model, 2, dtype=np.float64) / d_model)


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
    return frequencies_formula(check_length(d_model, "d_model", least=1), check_base(base))


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


def angles(positions: Array, frequencies: Array) -> Array:
    """The angle of each pair at each position: position times frequency.

    Args:
        positions: (...,), real numbers, an array of any library.
        frequencies: (P,), of each pair, NumPy.

    Returns:
        (..., P), radians, float64, of the positions' library and
        device.

    >>> angles(np.asarray([0, 1, 2]), frequencies(4)).tolist()
    [[0.0, 0.0], [1.0, 0.01], [2.0, 0.02]]
    """
    xp = array_api_compat.array_namespace(positions)
    device = array_api_compat.device(positions)
    turns = xp.asarray(frequencies, device=device)  # (P,)
    return xp.astype(positions, xp.float64)[..., None] * turns  # (..., P)

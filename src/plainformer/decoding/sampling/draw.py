"""One draw: from logits and a number between 0 and 1 to a token."""

from __future__ import annotations

from typing import Protocol

import array_api_compat

from plainformer.arrays import Array
from plainformer.decoding.checks import check_draw, checked

__all__ = ["Uniform", "draw_numbers", "draw_token"]


class Uniform(Protocol):
    """What draws numbers in [0, 1): `numpy.random.Generator`, or `CounterRNG`."""

    def random(self, size: int, /) -> Array:
        """Return (size,) numbers."""
        ...


def draw_numbers(rng: Uniform, count: int) -> Array:
    """(count,) numbers of a caller's rng, looked at: a NaN would draw token 0, and nobody notice.

    >>> class Broken:
    ...     def random(self, size):
    ...         return np.full(size, np.nan)
    >>> import numpy as np
    >>> draw_numbers(Broken(), 2)
    Traceback (most recent call last):
    ValueError: rng must draw numbers of 0 or more and below 1; got nan
    """
    numbers = rng.random(count)
    good = (numbers >= 0) & (numbers < 1)  # NaN is neither
    if not good.all():
        raise ValueError(
            f"rng must draw numbers of 0 or more and below 1; got {float(numbers[~good][0])}"
        )
    return numbers


@checked(check_draw)
def draw_token(logits: Array, u: Array) -> Array:
    """Draw a token: the one on whose stretch of [0, 1) u falls.

    Lay the tokens side by side in the order of their ids, each as
    wide as it is probable. The smallest i with
    p₀ + … + pᵢ > u · (p₀ + … + p_V₋₁) is drawn.

    Args:
        logits: (..., V); -∞ for what is impossible, which is never
            drawn.
        u: (...,) or one number, in [0, 1): what an `rng.random`
            gives.

    Returns:
        (...,) whole numbers, in the library of `logits`.

    Raises:
        TypeError, ValueError: `u` is outside [0, 1), or of another
            shape; or see `check_logits`.

    Source: Devroye 1986, section III.2 (inversion).

    >>> import numpy as np
    >>> z = np.log([40.0, 20.0, 40.0])
    >>> [int(draw_token(z, u)) for u in (0, 0.39, 0.41, 0.99)]
    [0, 0, 1, 2]
    """
    xp = array_api_compat.array_namespace(logits)
    top = xp.max(logits, axis=-1, keepdims=True)
    widths = xp.exp(xp.astype(logits - top, xp.float64, copy=False))
    ends = xp.cumulative_sum(widths, axis=-1)  # (..., V)
    passed = ends <= u[..., None] * ends[..., -1:]
    token = xp.sum(xp.astype(passed, xp.int64), axis=-1)  # (...,)
    # The last that adds anything: u near 1 may round up to 1.
    last = xp.argmax(ends, axis=-1)
    return xp.minimum(token, last)

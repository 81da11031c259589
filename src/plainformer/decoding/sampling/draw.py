"""One draw: from logits and a number between 0 and 1 to a token."""

from __future__ import annotations

from typing import Any, Protocol

import array_api_compat

from plainformer.arrays import Array, as_floats, beside
from plainformer.decoding.logits import check_logits

__all__ = ["Uniform", "draw_token"]


class Uniform(Protocol):
    """What draws numbers in [0, 1): `numpy.random.Generator`, or `CounterRNG`."""

    def random(self, size: int, /) -> Array:
        """Return (size,) numbers."""
        ...


def draw_token(logits: Array, u: Array | float) -> Array:
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
    logits = check_logits(logits)
    return draw(logits, _check_u(u, logits))


def draw(logits: Array, u: Array) -> Array:
    """`draw_token`, of logits and numbers that have been checked."""
    xp = array_api_compat.array_namespace(logits)
    top = xp.max(logits, axis=-1, keepdims=True)
    widths = xp.exp(xp.astype(logits - top, xp.float64, copy=False))
    ends = xp.cumulative_sum(widths, axis=-1)  # (..., V)
    passed = ends <= u[..., None] * ends[..., -1:]
    token = xp.sum(xp.astype(passed, xp.int64), axis=-1)  # (...,)
    last = xp.argmax(ends, axis=-1)  # the last that adds anything: u near 1 may round up to 1
    return xp.minimum(token, last)


def check_rng(rng: Any) -> None:
    """Refuse what draws no numbers."""
    if not callable(getattr(rng, "random", None)):
        kind = type(rng).__name__
        raise TypeError(f"rng must have a method random, as numpy's generators do; got {kind}")


def _check_u(u: Array | float, logits: Array) -> Array:
    (u,) = as_floats(u=u)
    u = beside(u, like=logits)
    xp = array_api_compat.array_namespace(logits)
    u = xp.astype(u, xp.float64, copy=False)
    if not bool(xp.all((u >= 0) & (u < 1))):
        raise ValueError("u must be 0 or more and below 1")
    if u.ndim and tuple(u.shape) != tuple(logits.shape[:-1]):
        raise ValueError(
            f"u must be one number, or {tuple(logits.shape[:-1])}, one a row; "
            f"got shape {tuple(u.shape)}"
        )
    return u

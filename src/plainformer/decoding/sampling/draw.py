"""Drawing a token: from logits and a random number between 0 and 1 to an id."""

from __future__ import annotations

import random
from typing import Any, Protocol

import array_api_compat

from plainformer.arrays import Array, as_floats, asarray_like
from plainformer.decoding.logits import checked_logits
from plainformer.shapes import Float, Int

__all__ = ["RNG", "check_rng", "check_uniform", "draw_token"]


class RNG(Protocol):
    """A source of random numbers in [0, 1): `numpy.random.Generator` or `CounterRNG`."""

    def random(self, size: int, /) -> Array:
        """Return (size,) numbers."""


@checked_logits
def draw_token(logits: Float[Array, "... V"], u: Array) -> Int[Array, "..."]:
    """Draw a token by inversion: the one whose part of the interval [0, 1) contains u.

    Place the tokens side by side in the order of their ids, each as wide as its probability. The
    smallest i with p₀ + … + pᵢ > u is drawn. `u` is one number for each row, or one for all, such
    as `rng.random` returns.

    Source: Devroye 1986, section III.2.

    >>> import numpy as np
    >>> z = np.log([40.0, 20.0, 40.0])
    >>> [int(draw_token(z, u)) for u in (0, 0.39, 0.41, 0.99)]
    [0, 0, 1, 2]
    """
    xp = array_api_compat.array_namespace(logits)
    largest = xp.max(logits, axis=-1, keepdims=True)
    widths = xp.exp(xp.astype(logits - largest, xp.float64))
    ends = xp.cumulative_sum(widths, axis=-1)  # not divided by their total
    u = check_uniform(u, "u", like=ends)
    passed = ends <= u[..., None] * ends[..., -1:]
    token = xp.sum(xp.astype(passed, xp.int64), axis=-1)
    # A u just below 1 may be rounded up to the total; then the last token
    # with any width is drawn.
    return xp.minimum(token, xp.argmax(ends, axis=-1))


def check_uniform(u: Any, name: str, like: Array) -> Array:
    """Check random numbers in [0, 1): one for each row of `like`, (..., V), or a single one.

    >>> import numpy as np
    >>> check_uniform(1.0, "u", like=np.zeros(3))
    Traceback (most recent call last):
    ValueError: u must be random numbers of at least 0 and below 1; got 1.0
    """
    (u,) = as_floats(**{name: u})
    u = asarray_like(u, like=like)
    xp = array_api_compat.array_namespace(u)
    wrong = ~((u >= 0) & (u < 1))  # NaN is neither
    if bool(xp.any(wrong)):
        found = float(xp.reshape(u, (-1,))[xp.reshape(wrong, (-1,))][0])
        raise ValueError(f"{name} must be random numbers of at least 0 and below 1; got {found}")
    if u.ndim and u.shape != like.shape[:-1]:
        raise ValueError(
            f"{name} must be one number, or one for each row, {tuple(like.shape[:-1])}; "
            f"got shape {tuple(u.shape)}"
        )
    return xp.astype(u, xp.float64, copy=False)


def check_rng(rng: Any) -> None:
    """Reject an rng that cannot draw several numbers at once, such as `random.Random`."""
    if not hasattr(rng, "random") or isinstance(rng, random.Random):
        kind = f"{type(rng).__module__}.{type(rng).__name__}"
        raise TypeError(
            "rng must have a method random that takes how many numbers to draw, as "
            f"numpy.random.default_rng(seed) has; got {kind}"
        )

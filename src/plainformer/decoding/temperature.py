"""Temperature, which makes a draw bolder or more cautious, and entropy, which measures the effect.

A model's logits are energies with the sign reversed, E = -z, and softmax is what physics calls the
Boltzmann distribution: p ∝ exp(-E/τ).
"""

from __future__ import annotations

import math
from typing import Any

import array_api_compat
import numpy as np

from plainformer.arrays import Array, as_floats
from plainformer.decoding.logits import checked_logits
from plainformer.shapes import Float, checked

__all__ = ["apply_temperature", "check_probabilities", "entropy"]


@checked_logits
def apply_temperature(
    logits: Float[Array, "... V"],
    temperature: float,
) -> Float[Array, "... V"]:
    """Divide logits by a temperature of at least 0: z/τ.

    Below 1 the differences between logits grow and above 1 they shrink, but the order never
    changes. A temperature of 0 is defined as the greedy choice (see `greedy_logits`). Where z/τ
    would overflow, the row is (z - max z)/τ, whose softmax is the same.

    Source: Ackley, Hinton & Sejnowski 1985.

    >>> apply_temperature([2.0, 1.0, 0.0], 0.5).tolist()
    [4.0, 2.0, 0.0]
    >>> apply_temperature([2.0, 1.0, 2.0], 0).tolist()
    [0.0, -inf, -inf]
    """
    if temperature < 0:
        got = f"got {temperature}"
        raise ValueError(f"temperature must be at least 0; {got}")
    if temperature == 0:
        return greedy_logits(logits)
    xp, dtype = array_api_compat.array_namespace(logits), logits.dtype
    if xp.finfo(dtype).bits < 32:
        logits = xp.astype(logits, xp.float32)  # in float16, 1e-8 is 0
    smallest = float(xp.finfo(logits.dtype).smallest_normal)
    temperature = max(temperature, smallest)
    with np.errstate(over="ignore"):
        largest = xp.max(logits, axis=-1, keepdims=True)
        divided = xp.astype(largest / temperature, dtype, copy=False)
        overflows = ~xp.isfinite(divided)
        scaled = xp.where(overflows, logits - largest, logits) / temperature
        return xp.astype(scaled, dtype, copy=False)


def greedy_logits(logits: Array) -> Array:
    """0 for the most likely token of each row, the first if several tie, and -∞ for the others.

    >>> greedy_logits(np.array([2.0, 1.0, 2.0])).tolist()
    [0.0, -inf, -inf]
    """
    xp = array_api_compat.array_namespace(logits)
    device = array_api_compat.device(logits)
    tokens = xp.arange(logits.shape[-1], device=device)
    best = xp.argmax(logits, axis=-1, keepdims=True)
    zeros = xp.zeros_like(logits)
    return xp.where(tokens == best, zeros, zeros - math.inf)


@checked
def entropy(probabilities: Float[Array, "... V"]) -> Float[Array, "..."]:
    """How unpredictable a draw is: -Σ p log p, in nats.

    It is 0 if one token is certain and log V if all tokens are equally likely. A token of
    probability 0 adds nothing. Each row of probabilities must add up to 1.

    Source: Shannon 1948, section 6.

    >>> round(float(entropy([0.5, 0.5])), 4)  # log 2
    0.6931
    >>> float(entropy([1.0, 0.0]))
    0.0
    """
    p = check_probabilities(probabilities, "probabilities")
    xp = array_api_compat.array_namespace(p)
    log_p = xp.log(xp.where(p > 0, p, xp.ones_like(p)))  # 0 where p is 0
    return 0 - xp.sum(p * log_p, axis=-1)


def check_probabilities(p: Any, name: str) -> Array:
    """Return (..., V) probabilities as floats; each row must add up to 1, except for rounding.

    >>> check_probabilities([0.5, 0.6], "p")
    Traceback (most recent call last):
    ValueError: p must add up to 1 in every row; one row adds up to 1.1
    """
    (p,) = as_floats(**{name: p})
    xp = array_api_compat.array_namespace(p)
    slack = max(1e-3, float(xp.finfo(p.dtype).eps) ** 0.5)  # for rounded numbers and float16
    wrong = ~((p >= 0) & (p <= 1 + slack))  # NaN is neither
    if bool(xp.any(wrong)):
        raise ValueError(f"{name} must be from 0 to 1; got {float(p[wrong][0])}")
    totals = xp.sum(p, axis=-1)
    wrong = xp.abs(totals - 1) > slack
    if bool(xp.any(wrong)):
        total = float(totals[wrong][0])
        raise ValueError(f"{name} must add up to 1 in every row; one row adds up to {total:.6g}")
    return p

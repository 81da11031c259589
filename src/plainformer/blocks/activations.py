"""The bends between the two products of a feed-forward network: ReLU, GELU and SiLU.

Without a bend, two products in a row are one: (x A) B = x (A B). So each number goes through a
function that is no straight line. ReLU cuts off what is below 0. GELU and SiLU do the same softly:
each multiplies x by a share between 0 and 1 that grows with x.

But: GELU's Φ has no formula in +, ×, exp and tanh, so GPT-2 was trained with one that comes close.
A model needs the one that it was trained with.
"""

from __future__ import annotations

import math
from typing import Literal

import array_api_compat
import numpy as np

from plainformer.arrays import Array, as_floats, check_choice

__all__ = [
    "gelu",
    "gelu_formula",
    "relu",
    "relu_formula",
    "silu",
    "silu_formula",
]

Approximate = Literal["none", "tanh"]


def relu_formula(x: Array) -> Array:
    """max(x, 0)."""
    xp = array_api_compat.array_namespace(x)
    return xp.where(x <= 0, xp.zeros_like(x), x)  # NaN stays NaN


def silu_formula(x: Array) -> Array:
    """x · sigmoid(x)."""
    xp = array_api_compat.array_namespace(x)
    small = xp.exp(-xp.abs(x))  # at most 1: e^-x itself overflows for x far below 0
    sigmoid = xp.where(x >= 0, xp.ones_like(x), small) / (1 + small)
    return x * sigmoid


def gelu_formula(x: Array, approximate: Approximate = "none") -> Array:
    """x · Φ(x), where Φ(x) is the share of a normal distribution that lies below x."""
    xp = array_api_compat.array_namespace(x)
    if approximate == "tanh":
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
        return 0.5 * x * (1 + xp.tanh(inner))
    return 0.5 * x * (1 + _erf(x / math.sqrt(2)))


def relu(x: Array) -> Array:
    """What is above 0 stays; the rest becomes 0.

    Args:
        x: any shape.

    Returns:
        The same shape, dtype and library.

    Raises:
        TypeError: no real numbers.

    Source: Nair and Hinton 2010; in a transformer, Vaswani et al. 2017, equation 2.

    >>> relu([-2.0, 0.0, 3.0]).tolist()
    [0.0, 0.0, 3.0]
    """
    return relu_formula(*as_floats(x=x))


def silu(x: Array) -> Array:
    """x times sigmoid(x), where sigmoid(x) = 1 / (1 + e^-x).

    Args:
        x: any shape.

    Returns:
        The same shape, dtype and library.

    Raises:
        TypeError: no real numbers.

    Source: Elfwing et al. 2018, section 2. Ramachandran et al. 2017
    found it too, and called it Swish.

    >>> silu([-5.0, 0.0, 5.0]).round(2).tolist()
    [-0.03, 0.0, 4.97]
    """
    return silu_formula(*as_floats(x=x))


def gelu(x: Array, approximate: Approximate = "none") -> Array:
    """x times Φ(x): how probable a number drawn from N(0, 1) is to lie below x.

    Args:
        x: any shape.
        approximate: "none" for Φ itself (BERT), or "tanh" for the
            formula that comes close (GPT-2).

    Returns:
        The same shape, dtype and library.

    Raises:
        TypeError: no real numbers.
        ValueError: an unknown `approximate`.

    Source: Hendrycks and Gimpel 2016, section 2.

    >>> gelu([-1.0, 0.0, 1.0]).round(4).tolist()
    [-0.1587, 0.0, 0.8413]
    >>> gelu([-1.0, 0.0, 1.0], approximate="tanh").round(4).tolist()
    [-0.1588, 0.0, 0.8412]
    """
    check_choice(approximate, "approximate", ["none", "tanh"])
    (x,) = as_floats(x=x)
    return gelu_formula(x, approximate)


def _erf(x: Array) -> Array:
    """The error function: torch has it, NumPy and the array API standard have not."""
    xp = array_api_compat.array_namespace(x)
    if hasattr(xp, "erf"):
        return xp.erf(x)
    return np.vectorize(math.erf, otypes=[x.dtype])(x)

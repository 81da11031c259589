"""Activations: the nonlinear functions between the two matrices of a feed-forward network.

`ACTIVATIONS` is the only list of them. Configurations, modules and counts all read it, so adding
one takes a function and an entry, both in this file.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple

import array_api_compat
import numpy as np

from plainformer.shapes import Array, Float, checked

__all__ = ["ACTIVATIONS", "Activation", "gelu", "relu", "silu"]


@checked
def relu(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """max(x, 0): positive numbers stay as they are, and the others become 0.

    Source: Nair and Hinton 2010; in a transformer, Vaswani et al. 2017, equation 2.

    >>> relu([-2.0, 0.0, 3.0]).tolist()
    [0.0, 0.0, 3.0]
    """
    xp = array_api_compat.array_namespace(x)
    return xp.where(x <= 0, xp.zeros_like(x), x)  # unlike x > 0, this lets NaN through


@checked
def silu(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """x · sigmoid(x), where sigmoid(x) = 1 / (1 + exp(-x)).

    Source: Elfwing et al. 2018, section 2. Ramachandran et al. 2017 found it independently and
    called it Swish.

    >>> silu([-5.0, 0.0, 5.0]).round(2).tolist()
    [-0.03, 0.0, 4.97]
    """
    xp = array_api_compat.array_namespace(x)
    small = xp.exp(-xp.abs(x))  # at most 1, whereas exp(-x) overflows for x far below 0
    sigmoid = xp.where(x >= 0, xp.ones_like(x), small) / (1 + small)
    return x * sigmoid


@checked
def gelu(
    x: Float[Array, "..."], approximate: Literal["none", "tanh"] = "none"
) -> Float[Array, "..."]:
    """x · Φ(x), where Φ(x) is the probability that a standard normal variable is below x.

    Φ needs the error function, which was slow on early hardware, so GPT-2 was trained with
    `approximate="tanh"`. BERT uses Φ itself, and a model must be run with the version that it was
    trained with.

    Source: Hendrycks and Gimpel 2016, section 2.

    >>> gelu([-1.0, 0.0, 1.0]).round(4).tolist()
    [-0.1587, 0.0, 0.8413]
    >>> gelu([-1.0, 0.0, 1.0], approximate="tanh").round(4).tolist()
    [-0.1588, 0.0, 0.8412]
    """
    xp = array_api_compat.array_namespace(x)
    if approximate == "tanh":
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
        return 0.5 * x * (1 + xp.tanh(inner))
    erf = getattr(xp, "erf", _erf)
    return 0.5 * x * (1 + erf(x / math.sqrt(2)))


def _erf(x: Array) -> Array:
    """The error function, which torch has and the array API standard lacks."""
    xp = array_api_compat.array_namespace(x)
    return xp.asarray(np.vectorize(math.erf, otypes=[float])(np.asarray(x)), dtype=x.dtype)


class Activation(NamedTuple):
    """What a feed-forward network does between its matrices."""

    function: Callable[[Array], Array]
    gated: bool = False  # whether its result is a gate that multiplies a second product


ACTIVATIONS: dict[str, Activation] = {
    "relu": Activation(relu.unchecked),
    "gelu": Activation(gelu.unchecked),
    "gelu_tanh": Activation(partial(gelu.unchecked, approximate="tanh")),
    "silu": Activation(silu.unchecked),
    "swiglu": Activation(silu.unchecked, gated=True),
    "geglu_tanh": Activation(partial(gelu.unchecked, approximate="tanh"), gated=True),
}
"""Activations by their names in a configuration; Llama uses "swiglu", Gemma "geglu_tanh"."""

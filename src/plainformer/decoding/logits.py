"""Checks of logits, and the log-probabilities that they stand for.

A logit of -∞ makes its token impossible. NaN and +∞ are mistakes that would silently lead to wrong
tokens, so every function of this part that takes logits rejects them.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import array_api_compat
import numpy as np

from plainformer.arrays import Array, as_floats
from plainformer.shapes import Checked, Float, checked

__all__ = ["check_logits", "checked_logits", "log_softmax"]

P = ParamSpec("P")
R = TypeVar("R")


def check_logits(logits: Any, name: str = "logits") -> Array:
    """Return (..., V) logits as floats of their library, or say what is wrong with them.

    They must be real numbers, none of them NaN or +∞, and leave a token possible in each row; if
    not, the message names the first place where they are wrong.

    >>> check_logits([[1.0, 2.0], [float("-inf"), float("-inf")]])
    Traceback (most recent call last):
    ValueError: logits[1, :] must leave at least one token possible; all 2 are -inf
    """
    (logits,) = as_floats(**{name: logits})
    if logits.ndim == 0 or logits.shape[-1] == 0:
        shape = tuple(logits.shape)
        raise ValueError(f"{name} must be (..., V) with V of at least 1; got shape {shape}")
    xp = array_api_compat.array_namespace(logits)
    largest = xp.max(logits, axis=-1)  # NaN or +∞ if the row has one, -∞ if it has nothing else
    if bool(xp.all(xp.abs(largest) < math.inf)):  # on torch, in half the time of isfinite
        return logits
    wrong = xp.isnan(logits) | (logits == math.inf)
    if bool(xp.any(wrong)):
        place = first_true(wrong)
        where = ", ".join(map(str, place))
        raise ValueError(f"{name}[{where}] must be finite or -inf; got {float(logits[place])}")
    where = ", ".join([*map(str, first_true(largest == -math.inf)), ":"])
    raise ValueError(
        f"{name}[{where}] must leave at least one token possible; all {logits.shape[-1]} are -inf"
    )


def checked_logits(function: Callable[P, R]) -> Checked[P, R]:
    """`checked`, for a function whose first argument is logits: it also calls `check_logits`.

    >>> @checked_logits
    ... def double(logits: Float[Array, "... V"]) -> Array:
    ...     return 2 * logits
    >>> double([0.5, float("nan")])
    Traceback (most recent call last):
    ValueError: logits[1] must be finite or -inf; got nan
    """

    formula: Callable[..., R] = function

    @functools.wraps(function)
    def check_values(logits: Array, *args: Any, **kwargs: Any) -> Any:
        return formula(check_logits(logits), *args, **kwargs)

    wrapper = cast(Checked[P, R], checked(check_values))
    wrapper.unchecked = function
    return wrapper


def first_true(array: Array) -> tuple[int, ...]:
    """The index of the first True in a boolean array."""
    xp = array_api_compat.array_namespace(array)
    return tuple(int(indices[0]) for indices in xp.nonzero(array)) if array.ndim else ()


@checked_logits
def log_softmax(logits: Float[Array, "... V"]) -> Float[Array, "... V"]:
    """The logarithm of each token's probability: z - log Σ exp z.

    Unlike the logarithm of `softmax`, it is not -∞ where a probability is too small for a float.

    >>> import numpy as np
    >>> log_softmax(np.log([1.0, 3.0])).round(4).tolist()  # log of 1/4 and 3/4
    [-1.3863, -0.2877]
    >>> log_softmax(np.array([0.0, -1000.0])).tolist()
    [0.0, -1000.0]
    """
    xp, dtype = array_api_compat.array_namespace(logits), logits.dtype
    if xp.finfo(dtype).bits < 32:
        logits = xp.astype(logits, xp.float32)  # in float16, sums overflow above 65,504
    with np.errstate(over="ignore"):  # below the smallest float, -∞ is the right answer
        z = logits - xp.max(logits, axis=-1, keepdims=True)  # at most 0, so that no exp overflows
        log_probs = z - xp.log(xp.sum(xp.exp(z), axis=-1, keepdims=True))
        return xp.astype(log_probs, dtype, copy=False)

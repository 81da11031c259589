"""Three filters that cut the tail off a distribution: top-k, top-p (nucleus sampling) and min-p.

A filter leaves the logits that it keeps unchanged and sets the others to -∞, so that softmax
redistributes their probability. No filter ever removes the most likely token.

`LogitsPipeline.standard` applies the filters that are listed in `FILTERS`, in that order. To add
one, write a function here and list it there.
"""

from __future__ import annotations

import math
from typing import Any

import array_api_compat
import numpy as np

from plainformer.arrays import Array, asarray_like
from plainformer.attention import softmax
from plainformer.decoding.logits import checked_logits
from plainformer.shapes import Checked, Float, Size

__all__ = ["FILTERS", "TOLERANCE", "min_p", "top_k", "top_p"]

TOLERANCE = 1e-6
"""A probability this close to p counts as p: in float32, exp(ln 40) is only about this accurate."""


@checked_logits
def top_k(logits: Float[Array, "... V"], k: Size) -> Float[Array, "... V"]:
    """Keep the k most likely tokens, and all that tie with the k-th.

    Source: Fan, Lewis and Dauphin 2018.

    >>> z = np.log([40.0, 20.0, 12.0, 20.0])
    >>> np.exp(top_k(z, 1)).round().tolist()
    [40.0, 0.0, 0.0, 0.0]
    >>> np.exp(top_k(z, 2)).round().tolist()  # a tie
    [40.0, 20.0, 0.0, 20.0]
    """
    xp = array_api_compat.array_namespace(logits)
    k = min(k, logits.shape[-1])
    kth = largest(logits, k)[..., -1:]  # (..., 1)
    return xp.where(logits >= kth, logits, -math.inf)


@checked_logits
def top_p(logits: Float[Array, "... V"], p: float) -> Float[Array, "... V"]:
    """Keep the nucleus: the smallest set of most likely tokens with total probability at least p.

    The nucleus is small where the model is sure, and large where it is not. Of tokens that tie,
    those with lower ids come first. p must be above 0 and at most 1, and p = 1 keeps all tokens. A
    sum that falls short of p by no more than `TOLERANCE` counts as having reached it.

    Source: Holtzman et al. 2020, section 3.1.

    >>> z = np.log([10.0, 40.0, 20.0, 30.0])
    >>> np.exp(top_p(z, 0.7)).round().tolist()  # 40 + 30
    [0.0, 40.0, 0.0, 30.0]
    >>> np.exp(top_p(z, 0.8)).round().tolist()  # 70 is not enough
    [0.0, 40.0, 20.0, 30.0]
    """
    check_p(p)
    xp = array_api_compat.array_namespace(logits)
    possible = xp.sum(xp.astype(logits > -math.inf, xp.int64), axis=-1)
    # After top-k, there are only k tokens to add up.
    ranked = largest(logits, logits.shape[-1])[..., : int(xp.max(possible))]
    probabilities = softmax.unchecked(xp.astype(ranked, xp.float64))
    # The total probability of all better tokens.
    before = xp.cumulative_sum(probabilities, axis=-1) - probabilities
    enough = max(p - TOLERANCE, TOLERANCE) if p < 1 else math.inf
    short = xp.astype(before < enough, xp.int64)
    n = xp.sum(short, axis=-1, keepdims=True)  # the size of the nucleus
    last = xp.take_along_axis(ranked, n - 1, axis=-1)
    kept = logits >= last
    size = xp.sum(xp.astype(kept, xp.int64), axis=-1, keepdims=True)
    if bool(xp.any(size > n)):
        ties = xp.astype(logits == last, xp.int64)
        rank = xp.cumulative_sum(ties, axis=-1)  # among ties, by id
        better = size - xp.sum(ties, axis=-1, keepdims=True)
        kept = kept & ((logits > last) | (rank <= n - better))
    return xp.where(kept, logits, -math.inf)


@checked_logits
def min_p(logits: Float[Array, "... V"], p: float) -> Float[Array, "... V"]:
    """Keep the tokens that are at least p times as likely as the most likely one.

    p must be above 0 and at most 1, and `TOLERANCE` applies here too.

    Source: Nguyen et al. 2025.

    >>> z = np.log([40.0, 20.0, 12.0, 10.0])
    >>> np.exp(min_p(z, 0.5)).round().tolist()  # at least 20
    [40.0, 20.0, 0.0, 0.0]
    """
    check_p(p)
    xp = array_api_compat.array_namespace(logits)
    largest = xp.max(logits, axis=-1, keepdims=True)
    least = largest + (math.log(p) - TOLERANCE)
    return xp.where(logits >= least, logits, -math.inf)


FILTERS: dict[str, Checked[[Array, Any], Array]] = {"top_k": top_k, "top_p": top_p, "min_p": min_p}
"""The filters that `LogitsPipeline.standard` offers, by the name of their setting."""


def check_p(p: float) -> None:
    """Check the p of top-p or min-p."""
    if not 0 < p <= 1:
        raise ValueError(f"p must be above 0 and at most 1; got {p}")


def largest(logits: Array, n: int) -> Array:
    """The n largest numbers of each row, in decreasing order, without a gradient.

    Torch tensors on a CPU are handed to NumPy, which sorts 8 rows of 50,257 numbers in 2.4 ms where
    torch takes 39 ms, and finds the 50 largest in 0.5 ms (see `benchmarks/decoding.py`).
    """
    xp = array_api_compat.array_namespace(logits)
    is_torch = array_api_compat.is_torch_array(logits)
    values = logits.detach() if is_torch else logits
    if is_torch and values.device.type == "cpu":
        half = values.dtype.itemsize < 4
        values = (values.float() if half else values).numpy()
    if not isinstance(values, np.ndarray):
        return xp.sort(values, axis=-1, descending=True)[..., :n]
    if n < values.shape[-1]:
        values = np.partition(values, -n, axis=-1)[..., -n:]
    # A copy, because torch has no negative strides.
    ranked = np.sort(values, axis=-1)[..., ::-1].copy()
    ranked = asarray_like(ranked, like=logits)
    return xp.astype(ranked, logits.dtype, copy=False)

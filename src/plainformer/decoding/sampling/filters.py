"""Three filters that cut the tail off a distribution: top-k, top-p (the nucleus) and min-p.

Each takes logits and returns logits of the same shape. What is kept stays as it was; what is cut
becomes -∞, so that a softmax gives it 0 and shares its probability among the rest. No filter ever
cuts a most probable token, so something always stays.

They differ in what they ask of a token: to be among the k best, to be among the best that together
reach p, or to be at least p times as probable as the very best.

But: sums are taken in float64, which some accelerators (Apple's) lack.
"""

from __future__ import annotations

import math

import array_api_compat

from plainformer.arrays import Array
from plainformer.decoding.checks import check_top_k, check_top_p, checked
from plainformer.decoding.sampling.sorting import FAINT, head_sizes, largest

__all__ = ["TOLERANCE", "min_p", "top_k", "top_p"]

TOLERANCE = 1e-6
"""How near to p counts as p: a float32 knows exp(ln 40) no better than to about this."""


@checked(check_top_k)
def top_k(logits: Array, k: int) -> Array:
    """Keep the k most probable tokens.

    Tokens that tie with the k-th all stay: then more than k do.

    Args:
        logits: (..., V); -∞ for what is impossible.
        k: how many to keep, 1 or more; beyond V, all of them.

    Returns:
        (..., V), -∞ for what is cut.

    Raises:
        TypeError, ValueError: `k` is no whole number or below 1;
            or see `check_logits`.

    Source: Fan, Lewis and Dauphin 2018, who write stories so.

    >>> import numpy as np
    >>> z = np.log([40.0, 20.0, 12.0, 20.0])
    >>> np.exp(top_k(z, 1)).round().tolist()
    [40.0, 0.0, 0.0, 0.0]
    >>> np.exp(top_k(z, 2)).round().tolist()  # a tie
    [40.0, 20.0, 0.0, 20.0]
    """
    if k >= logits.shape[-1]:
        return logits
    xp = array_api_compat.array_namespace(logits)
    kth = largest(logits, k)[..., -1:]  # (..., 1)
    return xp.where(logits >= kth, logits, -math.inf)


@checked(check_top_p)
def top_p(logits: Array, p: float) -> Array:
    """Keep the nucleus: the fewest tokens that reach p together.

    The most probable first. So the nucleus is small where the
    model is sure, and large where it is not. Of tokens that tie,
    those with the lower ids come first.

    Args:
        logits: (..., V); -∞ for what is impossible.
        p: the probability to reach, above 0 and up to 1; 1 keeps
            all. A sum that is short of it by `TOLERANCE` or less
            has reached it.

    Returns:
        (..., V), -∞ for what is cut.

    Raises:
        TypeError, ValueError: `p` is no number or not in (0, 1];
            or see `check_logits`.

    Source: Holtzman et al. 2020, section 3.1.

    >>> import numpy as np
    >>> z = np.log([10.0, 40.0, 20.0, 30.0])
    >>> np.exp(top_p(z, 0.7)).round().tolist()  # 40 + 30
    [0.0, 40.0, 0.0, 30.0]
    >>> np.exp(top_p(z, 0.8)).round().tolist()  # 70 do not do
    [0.0, 40.0, 20.0, 30.0]
    """
    if p == 1:
        return logits
    xp = array_api_compat.array_namespace(logits)
    head, n = nucleus(logits, p)  # (..., m) sorted, (..., 1)
    last = xp.take_along_axis(head, n - 1, axis=-1)  # (..., 1)
    kept = logits >= last
    if bool(xp.any(xp.sum(kept, axis=-1, keepdims=True) > n)):
        tied = logits == last
        room = n - xp.sum(logits > last, axis=-1, keepdims=True)
        order = xp.cumulative_sum(xp.astype(tied, n.dtype), axis=-1)
        kept = kept & ~(tied & (order > room))
    return xp.where(kept, logits, -math.inf)


@checked(check_top_p)
def min_p(logits: Array, p: float) -> Array:
    """Keep what is at least p times as probable as the best.

    Args:
        logits: (..., V); -∞ for what is impossible.
        p: the share of the largest probability, above 0 and up
            to 1; 1 keeps the largest alone, with what ties with
            it. To miss it by one part in a million is to reach
            it, see `TOLERANCE`.

    Returns:
        (..., V), -∞ for what is cut.

    Raises:
        TypeError, ValueError: `p` is no number or not in (0, 1];
            or see `check_logits`.

    Source: Nguyen et al. 2025.

    >>> import numpy as np
    >>> z = np.log([40.0, 20.0, 12.0, 10.0])
    >>> np.exp(min_p(z, 0.5)).round().tolist()  # 20 or more
    [40.0, 20.0, 0.0, 0.0]
    """
    xp = array_api_compat.array_namespace(logits)
    top = xp.max(logits, axis=-1, keepdims=True)  # (..., 1)
    least = top + (math.log(p) - TOLERANCE)
    return xp.where(logits >= least, logits, -math.inf)


def nucleus(logits: Array, p: float) -> tuple[Array, Array]:
    """The largest logits, sorted, and how many it takes to reach p.

    To sort a whole vocabulary costs more than all else here. A
    nucleus is mostly small, so a few are sorted first; only where
    they do not reach p, more.

    Returns:
        (..., m) and (..., 1), with 1 ≤ n ≤ m ≤ V.
    """
    xp = array_api_compat.array_namespace(logits)
    narrow = xp.finfo(logits.dtype).bits < 32
    wide = xp.astype(logits, xp.float32) if narrow else logits
    top = xp.max(wide, axis=-1, keepdims=True)
    above_faint = xp.clip(wide - top, min=FAINT)
    total = xp.sum(
        xp.exp(above_faint),
        axis=-1,
        keepdims=True,
        dtype=xp.float64,
    )
    for m in head_sizes(logits.shape[-1]):
        head = largest(wide, m)
        shares = xp.exp(head - top)
        sums = xp.cumulative_sum(shares, axis=-1, dtype=xp.float64)
        short = sums < (p - TOLERANCE) * total
        if not bool(xp.any(short[..., -1])):
            break
    before = xp.astype(short[..., :-1], xp.int64)
    n = 1 + xp.sum(before, axis=-1, keepdims=True)
    return head, n

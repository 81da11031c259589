"""ALiBi: attention with linear biases, a penalty on distance added to the scores.

Nothing is added to the tokens' vectors. Before the softmax, each score of a query i and a key j is
lowered by a slope times |i - j|; the slope differs from head to head, so that some heads look near
and others far. Nothing here is learned.

With a causal mask every key that counts has j <= i, and |i - j| is i - j. Published models add
slope · j (BLOOM) or slope · (j - S + 1) (MPT) instead: within one row that is the same but for a
constant, which softmax takes out again. Without a mask theirs would favour keys that come later;
ours is the same to both sides.

But: the paper is about causal models only, so |i - j| for later keys is one choice among several.
And all of H · T · S numbers are written out: right for reading, too much for long texts.
"""

from __future__ import annotations

from typing import Any

import array_api_compat
import numpy as np

from plainformer.arrays import Array, as_array, check_size, default_float
from plainformer.inputs.checks import check_alibi

__all__ = ["alibi_bias", "alibi_slopes"]


def alibi_slopes(n_heads: int) -> Array:
    """How steeply each head's scores fall with distance.

    For a power of two the slopes are a geometric sequence that starts with
    its own ratio, 2^(-8 / H), and ends at 2^-8. For any other number of
    heads, as in the published code: all slopes of the power of two below;
    then, from the steepest on, as many as are missing of those that twice
    that power would put between. (The paper has one formula for all.)

    Args:
        n_heads: the number H of heads.

    Returns:
        (H,), float64, NumPy, each above 0 and below 1.

    Raises:
        TypeError, ValueError: `n_heads` is no whole number of 1 or more.

    Source: Press, Smith and Lewis 2022, section 3; for other numbers than
    powers of two, the code that its authors published. BLOOM and MPT have
    the same slopes in the same order (MPT's `alibi_bias_max`, where it is
    not 8, would change them).

    >>> alibi_slopes(4).tolist()
    [0.25, 0.0625, 0.015625, 0.00390625]
    >>> alibi_slopes(6).tolist()
    [0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125]
    """
    return slopes_formula(check_size(n_heads, "n_heads"))


def slopes_formula(n_heads: int) -> Array:
    """`alibi_slopes` of a number that fits."""
    power = 2 ** (n_heads.bit_length() - 1)  # the power of two that fits
    twice = 2.0 ** (-4 / power * np.arange(1, 2 * power + 1))
    slopes, between = twice[1::2], twice[0::2]
    return np.concatenate([slopes, between])[:n_heads]


def alibi_bias(
    n_heads: int,
    T: int,
    S: int | None = None,
    *,
    like: Array = None,
) -> Array:
    """What ALiBi adds to the scores: minus slope times distance.

    Args:
        n_heads: the number H of heads.
        T: the number of queries, which are the last T of the S positions.
            In decoding with a cache T is 1.
        S: the number of keys, T or more; None means T.
        like: an array; the result is of its library, dtype and device.

    Returns:
        (H, T, S): 0 where query and key are the same token, negative
        elsewhere; NumPy float64 unless `like` says otherwise. It is
        computed in float64 and rounded once.

    Raises:
        TypeError, ValueError: a number is not whole or too small, or S < T.

    Source: Press, Smith and Lewis 2022, section 3.

    >>> alibi_bias(8, 3)[0].tolist()
    [[0.0, -0.5, -1.0], [-0.5, 0.0, -0.5], [-1.0, -0.5, 0.0]]
    >>> alibi_bias(8, 1, 3)[0].tolist()  # the newest token of three
    [[-1.0, -0.5, 0.0]]
    """
    n_heads, T, S = check_alibi(n_heads, T, S)
    slopes = slopes_formula(n_heads)  # (H,)
    queries = np.arange(S - T, S)[:, None]  # (T, 1), the last T positions
    keys = np.arange(S)[None, :]  # (1, S)
    bias = slopes[:, None, None] * -np.abs(queries - keys)  # (H, T, S)
    return bias if like is None else _as_floats_of(bias, like)


def _as_floats_of(bias: Array, like: Any) -> Array:
    """NumPy's `bias` in the library, dtype and device of `like`."""
    like = as_array(like, "like")
    xp, device = array_api_compat.array_namespace(like), array_api_compat.device(like)
    return xp.asarray(bias, dtype=default_float(like), device=device)

"""ALiBi (attention with linear biases): a penalty on distance that is added to the scores.

Before softmax, the score of query i and key j is lowered by a slope times |i - j|. The slope
differs from head to head, so that some heads attend nearby and others far away, and none of it is
learned.

Published models add slope · j (BLOOM) or slope · (j - S + 1) (MPT) instead, which under a causal
mask differs only by a constant in each row, which softmax cancels. Without a mask, theirs
would favour later keys, whereas ours treats both directions alike.
"""

from __future__ import annotations

import array_api_compat
import numpy as np

from plainformer.arrays import as_array, default_float
from plainformer.shapes import Array, Count, Float, Size, checked

__all__ = ["alibi_bias", "alibi_slopes"]


@checked
def alibi_slopes(n_heads: Size) -> Float[Array, "H"]:
    """How steeply the scores of each head fall with distance, from 0 to 1.

    For a power of two, the slopes are a geometric sequence that starts at its own ratio,
    2^(-8 / H), and ends at 2^-8. For any other number of heads, the published code takes all slopes
    of the next lower power of two, P, and makes up the rest from the slopes that 2P heads would add
    in between, steepest first. (The paper has a single formula for every number of heads.)

    Source: Press, Smith and Lewis 2022, section 3, and the code that its authors published. BLOOM
    and MPT have the same slopes in the same order (unless MPT's `alibi_bias_max` is not 8).

    >>> alibi_slopes(6).tolist()
    [0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125]
    """
    power = 2 ** (n_heads.bit_length() - 1)  # the largest power of two that fits
    twice = 2.0 ** (-4 / power * np.arange(1, 2 * power + 1))
    slopes, between = twice[1::2], twice[0::2]
    return np.concatenate([slopes, between])[:n_heads]


@checked
def alibi_bias(
    n_heads: Size,
    T: Count,
    S: Count | None = None,
    *,
    like: Array = None,
) -> Float[Array, "H T S"]:
    """The bias that ALiBi adds to the scores: minus slope times distance.

    The queries are the last T of the S positions, so T is 1 when decoding
    with a cache; S defaults to T. The result is computed in float64 and
    takes the library, dtype and device of `like`.

    Source: Press, Smith and Lewis 2022, section 3.

    >>> alibi_bias(8, 3)[0].tolist()
    [[0.0, -0.5, -1.0], [-0.5, 0.0, -0.5], [-1.0, -0.5, 0.0]]
    >>> alibi_bias(8, 1, 3)[0].tolist()  # the newest token of three
    [[-1.0, -0.5, 0.0]]
    """
    S = T if S is None else S
    if S < T:
        raise ValueError(
            "S must be at least T, "
            "since the queries are the last T of S positions; "
            f"got T = {T}, S = {S}"
        )
    slopes = alibi_slopes.unchecked(n_heads)  # (H,)
    queries = np.arange(S - T, S)[:, None]  # (T, 1), the last T positions
    keys = np.arange(S)[None, :]  # (1, S)
    bias = slopes[:, None, None] * -np.abs(queries - keys)  # (H, T, S)
    if like is None:
        return bias
    like = as_array(like, "like")
    xp = array_api_compat.array_namespace(like)
    device = array_api_compat.device(like)
    return xp.asarray(bias, dtype=default_float(like), device=device)

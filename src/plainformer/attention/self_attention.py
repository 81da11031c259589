"""Attention: every query takes a weighted average of the values, with weights of its own.

Self-attention, causal attention and cross-attention are all this one function; what differs is
where q, k and v come from, and what the mask allows. All T · S scores are computed and kept, which
takes a lot of memory for long texts; `blockwise_attention` avoids that.
"""

from __future__ import annotations

import math

import array_api_compat

from plainformer.attention.stable_softmax import FullyMasked, softmax
from plainformer.shapes import Array, Bool, Float, checked

__all__ = ["attention", "attention_scores"]


@checked
def attention(
    q: Float[Array, "... T K"],
    k: Float[Array, "... S K"],
    v: Float[Array, "... S Dv"],
    *,
    mask: Bool[Array, "... #T #S"] | None = None,
    attn_bias: Float[Array, "... #T #S"] | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    fully_masked: FullyMasked = "error",
) -> tuple[Float[Array, "... T Dv"], Float[Array, "... T S"]]:
    """Scaled dot-product attention: softmax(q kᵀ / √K) v.

    Leading axes (batch, heads) broadcast, as in a matrix product. Returns the output and the
    weights, each row of which sums to 1.

    Args:
        mask: True where a query may attend to a key; with heads, one mask per
            text of a batch is (B, 1, T, S). A forbidden key has a weight of
            exactly 0, but a NaN or an infinity in its value still reaches the
            output, because 0 · NaN is NaN.
        attn_bias: added to the scaled scores, such as ALiBi's or an additive
            mask of 0 and -∞.
        scale: what the dot products are multiplied by; None means 1/√K.
        softcap: scores are squeezed into (-softcap, softcap), as in Gemma 2.
        fully_masked: what to do with a query that may attend to no key: "error"
            raises a `FullyMaskedRowError`, and "zero" gives it weights and an
            output of 0.

    Source: Vaswani et al. 2017, section 3.2.1, equation 1.

    >>> import numpy as np
    >>> q = np.array([[2.0, 0.0, 0.0, 0.0]])  # T = 1, K = 4
    >>> k = np.array([[np.log(3), 0, 0, 0], [0, 1, 0, 0]])
    >>> v = np.array([[8.0], [4.0]])  # S = 2, Dv = 1
    >>> output, weights = attention(q, k, v)  # the scores are log 3 and 0
    >>> weights.round(6).tolist(), output.round(6).tolist()
    ([[0.75, 0.25]], [[7.0]])
    >>> second = np.array([[False, True]])  # the second key alone
    >>> attention(q, k, v, mask=second)[0].tolist()
    [[4.0]]
    """
    # (..., T, S)
    scores = attention_scores.unchecked(q, k, scale=scale, softcap=softcap)
    if attn_bias is not None:
        scores = scores + attn_bias
    weights = softmax.unchecked(scores, mask=mask, fully_masked=fully_masked)
    return weights @ v, weights


@checked
def attention_scores(
    q: Float[Array, "... T K"],
    k: Float[Array, "... S K"],
    *,
    scale: float | None = None,
    softcap: float | None = None,
) -> Float[Array, "... T S"]:
    """How well every key matches every query, before softmax: q kᵀ / √K.

    The arguments are those of `attention`.

    Source: Vaswani et al. 2017, section 3.2.1; for `softcap`, Gemma Team 2024, section 2.

    >>> import numpy as np
    >>> q = np.array([[1.0, 2.0, 0.0, 1.0]])
    >>> k = np.array([[2.0, 1.0, 5.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
    >>> attention_scores(q, k, scale=1).tolist()  # plain dot products
    [[4.0, 0.0]]
    >>> attention_scores(q, k).tolist()  # divided by √4
    [[2.0, 0.0]]
    """
    K = q.shape[-1]
    scores = q @ k.mT * (1 / math.sqrt(K) if scale is None else scale)
    if softcap is not None:
        xp = array_api_compat.array_namespace(scores)
        scores = softcap * xp.tanh(scores / softcap)
    return scores

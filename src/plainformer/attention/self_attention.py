"""Attention: each query gathers the values, weighted by how well their keys answer it.

The whole of it is three lines: scores are dot products of queries and keys, divided by √K; weights
are their softmax, row by row; the output is the weights times the values. Self-attention, causal
attention and cross-attention are this one function; they differ in where q, k and v come from, and
in the mask.

What a mask forbids has the weight 0, to the last bit. So finite numbers behind the mask never
matter, however large. What is not finite: a NaN or ∞ in a forbidden *key* does not matter either,
for its score is thrown away; in a forbidden *value* it does, for the output is a sum in which it
stands times 0, and 0 · NaN is NaN. In the gradients both matter, for the same reason. So
padding must be made of finite numbers; torch's own attention asks the same.

But: all T · S scores are written out. For long texts see `blockwise_attention`. Everything is
computed in the dtype of the arrays; in float16 a score overflows at 65504.
"""

from __future__ import annotations

from plainformer.arrays import Array, as_floats
from plainformer.attention.checks import FullyMasked, check_attention, check_rows, check_scale
from plainformer.attention.stable_softmax import softmax_formula

__all__ = ["attention", "attention_formula", "attention_scores"]


def attention_formula(
    q: Array,
    k: Array,
    v: Array,
    mask: Array | None,
    attn_bias: Array | None,
    scale: float,
    fully_masked: FullyMasked = "error",
) -> tuple[Array, Array]:
    """softmax(q kᵀ · scale) v, and the weights: `attention` unchecked."""
    # Scaled first: that takes T · K products, not T · S.
    scores = (q * scale) @ k.mT  # (..., T, S)
    if attn_bias is not None:
        scores = scores + attn_bias
    weights = softmax_formula(scores, mask=mask, fully_masked=fully_masked)
    return weights @ v, weights  # (..., T, Dv), (..., T, S)


def attention(
    q: Array,
    k: Array,
    v: Array,
    *,
    mask: Array | None = None,
    attn_bias: Array | None = None,
    scale: float | None = None,
    fully_masked: FullyMasked = "error",
) -> tuple[Array, Array]:
    """Scaled dot-product attention: softmax(q kᵀ / √K) v.

    Leading axes (batch, heads) broadcast, as in a matrix product.

    Args:
        q: (..., T, K), one row for each query.
        k: (..., S, K), one row for each key.
        v: (..., S, Dv), one row for each value; Dv need not be K.
        mask: boolean, True where query i may look at key j; None
            allows all. It broadcasts to (..., T, S), which it
            cannot enlarge.
        attn_bias: numbers added to the scaled scores, as ALiBi's
            or an additive mask of 0 and -∞. It broadcasts likewise.
        scale: what the scores are multiplied by; None means 1/√K.
        fully_masked: what becomes of a query that may look at no
            key: "error", or "zero" for weights and an output of 0.

    Returns:
        output: (..., T, Dv).
        weights: (..., T, S); every row sums to 1.

    Raises:
        TypeError: no real numbers, several libraries, or a mask
            that is not boolean.
        ValueError: shapes that do not fit (both are named), or a
            query that may look at no key (it is named).

    Source: Vaswani et al. 2017, section 3.2.1, equation 1.

    >>> import numpy as np
    >>> q = np.array([[2.0, 0.0, 0.0, 0.0]])  # T = 1, K = 4
    >>> k = np.array([[np.log(3), 0, 0, 0], [0, 1, 0, 0]])
    >>> v = np.array([[8.0], [4.0]])  # S = 2, Dv = 1
    >>> output, weights = attention(q, k, v)  # scores log 3 and 0
    >>> weights.round(6).tolist(), output.round(6).tolist()
    ([[0.75, 0.25]], [[7.0]])
    >>> second = np.array([[False, True]])  # the second key alone
    >>> attention(q, k, v, mask=second)[0].tolist()
    [[4.0]]
    """
    checked = check_attention(q, k, v, mask, attn_bias, scale, fully_masked)
    return attention_formula(*checked)


def attention_scores(
    q: Array,
    k: Array,
    *,
    scale: float | None = None,
) -> Array:
    """How well every key answers every query: q kᵀ / √K.

    Args:
        q: (..., T, K), one row for each query.
        k: (..., S, K), one row for each key.
        scale: what the dot products are multiplied by; None means
            1/√K.

    Returns:
        (..., T, S).

    Raises:
        TypeError, ValueError: as `attention`.

    Source: Vaswani et al. 2017, section 3.2.1.

    >>> import numpy as np
    >>> q = np.array([[1.0, 2.0, 0.0, 1.0]])
    >>> k = np.array([[2.0, 1.0, 5.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
    >>> attention_scores(q, k, scale=1).tolist()  # dot products
    [[4.0, 0.0]]
    >>> attention_scores(q, k).tolist()  # divided by √4
    [[2.0, 0.0]]
    """
    q, k = as_floats(q=q, k=k)
    check_rows({"q": tuple(q.shape), "k": tuple(k.shape)})
    return (q * check_scale(scale, q.shape[-1])) @ k.mT

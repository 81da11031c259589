"""From the gradient of attention's output back to q, k, v and attn_bias.

What a mask forbids has the weight 0, and so the gradient 0 in ∂scores, to the last bit: it is the
weight times something. The same product explains how attention stops choosing: where one weight of
a row is nearly 1 and the others are nearly 0, nearly nothing comes back through the softmax to the
scores, queries and keys, and be the output ever so wrong. (The values learn as ever.) Large scores
do that, which is why they are divided by √K.

But: all T · S weights are written out, as in `attention`. And a NaN or ∞ behind a mask spoils what
it touches, for it is multiplied by 0: padding must be finite in keys and values alike.
"""

from __future__ import annotations

from typing import NamedTuple

import array_api_compat

from plainformer.arrays import Array
from plainformer.attention.attention_gradients.checks import (
    check_below_infinity,
    check_grad_output,
    check_softmax,
)
from plainformer.attention.checks import FullyMasked, check_attention
from plainformer.attention.self_attention import attention

__all__ = ["AttentionGradients", "attention_backward", "softmax_backward"]


def attention_backward_formula(
    grad_output: Array,
    q: Array,
    k: Array,
    v: Array,
    weights: Array,
    scale: float,
) -> tuple[Array, Array, Array, Array, Array]:
    """The gradients of q, k, v, the weights and the scores, unchecked."""
    grad_v = weights.mT @ grad_output  # (..., S, Dv)
    grad_weights = _sum_copies(grad_output @ v.mT, weights)  # (..., T, S)
    grad_scores = softmax_backward_formula(grad_weights, weights)
    grad_q = scale * (grad_scores @ k)  # (..., T, K)
    grad_k = scale * (grad_scores.mT @ q)  # (..., S, K)
    return grad_q, grad_k, grad_v, grad_weights, grad_scores


def softmax_backward_formula(grad_weights: Array, weights: Array) -> Array:
    """Each weight times how far its gradient lies above the row's mean."""
    xp = array_api_compat.array_namespace(weights)
    mean = xp.sum(weights * grad_weights, axis=-1, keepdims=True)
    return weights * (grad_weights - mean)


class AttentionGradients(NamedTuple):
    """What `attention_backward` returns; each has the shape of what it is of.

    Attributes:
        q: (..., T, K).
        k: (..., S, K).
        v: (..., S, Dv).
        attn_bias: of the bias's shape; None if there is no bias.
        weights: (..., T, S). Not 0 where the mask forbids: a weight there
            would matter, but no score can raise it.
        scores: (..., T, S), of the scores as the softmax gets them: scaled,
            with the bias. 0 where the mask forbids; each row sums to 0.
    """

    q: Array
    k: Array
    v: Array
    attn_bias: Array | None
    weights: Array
    scores: Array


def attention_backward(
    grad_output: Array,
    q: Array,
    k: Array,
    v: Array,
    *,
    mask: Array | None = None,
    attn_bias: Array | None = None,
    scale: float | None = None,
    fully_masked: FullyMasked = "error",
) -> AttentionGradients:
    """From the gradient of attention's output to those of its inputs.

    What the forward pass broadcasts (keys shared by several heads, a
    bias shared by a batch) gets the sum of its copies' gradients.

    Args:
        grad_output: (..., T, Dv), the gradient of `attention`'s
            output: of just its shape.
        q, k, v, mask, attn_bias, scale, fully_masked: what
            `attention` was given. A query that may look at no key
            (`fully_masked="zero"`) has gradients of 0, and adds
            nothing to those of k and v.

    Returns:
        The gradients, in the dtype that `attention` computes in:
        grads.q, grads.k, grads.v, grads.attn_bias, and on the way
        grads.weights and grads.scores.

    Raises:
        TypeError, ValueError: as `attention`; a `grad_output` of
            another shape (both are named) or library; or a bias of
            +∞, beside which no score matters.

    Cost: the forward pass once more, for its weights, and four
    products for its two: in all 3 · T · S · (K + Dv) multiplications
    for each head. Up to four arrays of T · S numbers at a time.
    (Autograd saves the forward pass by keeping its weights in memory
    from then to now.)

    But: no score may overflow to +∞, for the same reason as the bias.

    Source: Dao et al. 2022 (FlashAttention), appendix B.2.

    >>> import math
    >>> q, k = [[2.0]], [[math.log(3) / 2], [0.0]]  # weights 3/4, 1/4
    >>> v = [[8.0], [4.0]]  # output 7
    >>> grads = attention_backward([[1.0]], q, k, v)
    >>> grads.v.round(6).tolist(), grads.weights.tolist()
    ([[0.75], [0.25]], [[8.0, 4.0]])
    >>> grads.scores.round(6).tolist()  # 3/4 · (8 - 7), 1/4 · (4 - 7)
    [[0.75, -0.75]]
    >>> grads.k.round(6).tolist()  # those times q
    [[1.5], [-1.5]]
    """
    checked = check_attention(q, k, v, mask, attn_bias, scale, fully_masked)
    q, k, v, mask, attn_bias, scale, fully_masked = checked
    check_below_infinity(attn_bias)
    output, weights = attention.unchecked(
        q, k, v, mask=mask, attn_bias=attn_bias, scale=scale, fully_masked=fully_masked
    )
    grad_output = check_grad_output(grad_output, output)
    grads = attention_backward_formula(grad_output, q, k, v, weights, scale)
    grad_q, grad_k, grad_v, grad_weights, grad_scores = grads
    grad_bias = None
    if attn_bias is not None:
        grad_bias = _sum_copies(grad_scores, attn_bias)
    return AttentionGradients(
        q=_sum_copies(grad_q, q),
        k=_sum_copies(grad_k, k),
        v=_sum_copies(grad_v, v),
        attn_bias=grad_bias,
        weights=grad_weights,
        scores=grad_scores,
    )


def softmax_backward(grad_weights: Array, weights: Array) -> Array:
    """From the gradient of softmax's weights to that of its scores.

    Each weight depends on every score of its row: ∂aᵢ/∂sⱼ is
    aᵢ (1 - aᵢ) where i = j, and -aᵢ aⱼ elsewhere. Summed up, a score's
    gradient is its weight times how far its weight's gradient lies
    above the row's mean, which is taken with the weights.

    Args:
        grad_weights: (..., S), the gradient of the weights.
        weights: (..., S), what `softmax` returned, rows along the
            last axis. The scores are not needed.

    Returns:
        (..., S). Every row sums to 0, for adding one number to all
        scores of a row changes nothing. In a row whose grad_weights
        lie between -M and M, the score of a weight a gets at most
        2 M a (1 - a) either way: never more than M/2, and hardly
        anything where a is near 0 or near 1 (a saturated row).

    Raises:
        TypeError: no real numbers, or several libraries.
        ValueError: another shape than the weights', or no axis.

    Cost: two products and a sum for each weight. Not S² for each row:
    the matrix of the ∂aᵢ/∂sⱼ is never written.

    Source: Dao et al. 2022 (FlashAttention), appendix B.2.

    >>> weights = [[0.75, 0.25], [1.0, 0.0]]  # the second: saturated
    >>> softmax_backward([[8.0, 4.0], [4.0, 8.0]], weights).tolist()
    [[0.75, -0.75], [0.0, 0.0]]
    """
    return softmax_backward_formula(*check_softmax(grad_weights, weights))


# Copies


def _sum_copies(grad: Array, like: Array) -> Array:
    """Add up the gradients of all the copies that broadcasting made of an array.

    The result has the array's own shape: every axis along which it was stretched is summed over.
    """
    if grad.shape == like.shape:
        return grad
    xp = array_api_compat.array_namespace(grad)
    own = (1,) * (grad.ndim - like.ndim) + tuple(like.shape)
    stretched = [i for i, (m, n) in enumerate(zip(own, grad.shape, strict=True)) if m != n]
    if stretched:
        grad = xp.sum(grad, axis=tuple(stretched), keepdims=True)
    return xp.reshape(grad, tuple(like.shape))

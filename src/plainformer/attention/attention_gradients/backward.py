"""From the gradient of attention's output back to q, k, v and attn_bias.

What a mask forbids has a weight of 0, and therefore a gradient of exactly 0 in ∂scores, because
that is the weight times something. The same product explains how attention stops learning: where
one weight of a row is nearly 1 and the others are nearly 0, almost nothing comes back through the
softmax to scores, queries and keys, however wrong the output is. (The values still learn.) Large
scores cause that, which is why they are divided by √K.

All T · S weights are written out, as in `attention`. A NaN or an infinity behind a mask is
multiplied by 0 and spoils what it touches, so padding must be finite in keys and values alike.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import array_api_compat

from plainformer.attention.self_attention import attention
from plainformer.attention.stable_softmax import FullyMasked
from plainformer.shapes import Array, Bool, Float, checked

__all__ = ["AttentionGradients", "attention_backward", "softmax_backward"]


class AttentionGradients(NamedTuple):
    """What `attention_backward` returns; each gradient has the same shape as its array.

    Attributes:
        q: (..., T, K).
        k: (..., S, K).
        v: (..., S, Dv).
        attn_bias: the bias's shape; None without a bias.
        weights: (..., T, S). It need not be 0 where the mask forbids: a weight there would matter,
            but no score can raise it.
        scores: (..., T, S), of the scores as the softmax receives them, scaled and with the bias. 0
            where the mask forbids; each row sums to 0.
    """

    q: Array
    k: Array
    v: Array
    attn_bias: Array | None
    weights: Array
    scores: Array


@checked
def attention_backward(
    grad_output: Float[Array, "... T Dv"],
    q: Float[Array, "... T K"],
    k: Float[Array, "... S K"],
    v: Float[Array, "... S Dv"],
    *,
    mask: Bool[Array, "... #T #S"] | None = None,
    attn_bias: Float[Array, "... #T #S"] | None = None,
    scale: float | None = None,
    fully_masked: FullyMasked = "error",
) -> AttentionGradients:
    """From the gradient of attention's output to those of its inputs.

    What the forward pass broadcasts, such as keys that several heads share,
    receives the sum of its copies' gradients.

    Args:
        grad_output: (..., T, Dv), the gradient of `attention`'s output, of
            exactly its shape.
        q, k, v, mask, attn_bias, scale, fully_masked: what `attention` was
            given. A query that may attend to no key (`fully_masked="zero"`)
            has gradients of 0, and adds nothing to those of k and v.

    Returns:
        The gradients grads.q, grads.k, grads.v and grads.attn_bias, and on
        the way to them grads.weights and grads.scores.

    Raises:
        TypeError, ValueError: as `attention`, or a `grad_output` of another
            shape or library.

    Cost: the forward pass once more for its weights, and four products for
    its two: in all 3 · T · S · (K + Dv) multiplications for each head, and
    up to four arrays of T · S numbers at a time. (Autograd avoids the
    forward pass by keeping its weights in memory until then.)

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
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    output, weights = attention.unchecked(
        q, k, v, mask=mask, attn_bias=attn_bias, scale=scale,
        fully_masked=fully_masked,
    )  # fmt: skip
    if grad_output.shape != output.shape:
        wanted, got = tuple(output.shape), tuple(grad_output.shape)
        shapes = f"shape, {wanted}; got shape {got}"
        raise ValueError(f"grad_output must have the output's {shapes}")
    grad_v = weights.mT @ grad_output  # (..., S, Dv)
    grad_weights = sum_copies(grad_output @ v.mT, weights)  # (..., T, S)
    grad_scores = softmax_backward.unchecked(grad_weights, weights)
    grad_q = scale * (grad_scores @ k)  # (..., T, K)
    grad_k = scale * (grad_scores.mT @ q)  # (..., S, K)
    grad_bias = None
    if attn_bias is not None:
        grad_bias = sum_copies(grad_scores, attn_bias)
    return AttentionGradients(
        q=sum_copies(grad_q, q),
        k=sum_copies(grad_k, k),
        v=sum_copies(grad_v, v),
        attn_bias=grad_bias,
        weights=grad_weights,
        scores=grad_scores,
    )


@checked
def softmax_backward(
    grad_weights: Float[Array, "... S"], weights: Float[Array, "... S"]
) -> Float[Array, "... S"]:
    """From the gradient of softmax's weights to that of its scores.

    Each weight depends on every score of its row: ∂aᵢ/∂sⱼ is aᵢ (1 - aᵢ)
    where i = j, and -aᵢ aⱼ elsewhere. Summed up, a score's gradient is its
    weight times the difference between its weight's gradient and the row's
    mean, which is taken with the weights.

    Args:
        grad_weights: (..., S), the gradient of the weights.
        weights: (..., S), what `softmax` returned. The scores are not
            needed.

    Returns:
        (..., S). Every row sums to 0, because adding one number to all
        scores of a row changes nothing. In a row whose grad_weights are
        between -M and M, the gradient of the score of a weight a is at most
        2 M a (1 - a) in size: never more than M/2, and almost 0 where a is
        near 0 or 1 (a saturated row).

    Raises:
        TypeError, ValueError: arrays of several libraries, or shapes that
            differ.

    Cost: two products and a sum for each weight, and not S² for each row,
    because the matrix of the ∂aᵢ/∂sⱼ is never written out.

    Source: Dao et al. 2022 (FlashAttention), appendix B.2.

    >>> weights = [[0.75, 0.25], [1.0, 0.0]]  # the second is saturated
    >>> softmax_backward([[8.0, 4.0], [4.0, 8.0]], weights).tolist()
    [[0.75, -0.75], [0.0, 0.0]]
    """
    if grad_weights.shape != weights.shape:
        shapes = f"{tuple(grad_weights.shape)} and {tuple(weights.shape)}"
        names = "grad_weights and weights"
        raise ValueError(f"{names} must have the same shape; got {shapes}")
    xp = array_api_compat.array_namespace(weights)
    mean = xp.sum(weights * grad_weights, axis=-1, keepdims=True)
    return weights * (grad_weights - mean)


def sum_copies(grad: Array, like: Array) -> Array:
    """Add up the gradients of all the copies that broadcasting made of an array.

    The result has the array's own shape, and is summed over every axis along which it was
    stretched.

    >>> import numpy as np
    >>> sum_copies(np.ones((5, 2, 3)), like=np.zeros((2, 1))).tolist()
    [[15.0], [15.0]]
    """
    if grad.shape == like.shape:
        return grad
    xp = array_api_compat.array_namespace(grad)
    own = (1,) * (grad.ndim - like.ndim) + tuple(like.shape)
    stretched = tuple(i for i, (m, n) in enumerate(zip(own, grad.shape, strict=True)) if m != n)
    if stretched:
        grad = xp.sum(grad, axis=stretched, keepdims=True)
    return xp.reshape(grad, tuple(like.shape))

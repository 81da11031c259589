"""From the gradient of attention's output back to q, k, v and attn_bias.

Where one weight of a row is nearly 1 and the others are nearly 0, almost no gradient passes through
the softmax to scores, queries and keys, however wrong the output is. Large scores cause that, which
is why they are divided by √K.
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

    `attn_bias` is None without a bias. The gradient of `weights` need not be 0 at a masked key,
    because a weight there would affect the loss, even though no score can raise it. `scores` is the
    gradient of the scaled scores with the bias; it is 0 at masked keys, and each row sums to 0.
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

    The other arguments are what `attention` was given. An array that the forward pass broadcasts,
    such as keys that several heads share, receives the sum of the gradients of its copies. A query
    that may attend to no key (`fully_masked="zero"`) has gradients of 0, and adds nothing to those
    of k and v. A NaN or an infinity in a masked key or value still spreads to the gradients.

    The cost is another forward pass, to recompute the weights, and four matrix products where that
    has two. (Autograd keeps the weights in memory instead.)

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

    Each weight depends on every score of its row: ∂aᵢ/∂sⱼ is aᵢ (1 - aᵢ) where i = j, and -aᵢ aⱼ
    elsewhere. Summed up, the gradient of a score is its weight times the difference between that
    weight's gradient and the weighted mean of the gradients in its row. Every row sums to 0,
    because adding one number to all scores of a row changes nothing. A score whose weight is near 0
    or 1 has a gradient of almost 0 (a saturated row).

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

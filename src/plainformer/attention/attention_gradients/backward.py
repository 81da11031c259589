"""From the gradient of attention's output back to q, k, v and bias.

What a mask forbids has the weight 0, and so the gradient 0 in ∂scores, to the last bit: it is the
weight times something. The same product explains how attention stops choosing: where one weight of
a row is nearly 1 and the others are nearly 0, nearly nothing comes back through the softmax to the
scores, queries and keys, and be the output ever so wrong. (The values learn as ever.) Large scores
do that, which is why they are divided by √K.

But: all T · S weights are written out, as in `attention`. And a NaN or ∞ behind a mask spoils what
it touches, for it is multiplied by 0: padding must be finite in keys and values alike.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import array_api_compat

from plainformer.arrays import Array, as_array
from plainformer.attention.self_attention import as_floats, attention
from plainformer.attention.softmax import Empty

__all__ = ["AttentionGradients", "attention_backward", "softmax_backward"]


class AttentionGradients(NamedTuple):
    """What `attention_backward` returns; each has the shape of what it is of.

    Attributes:
        q: (..., T, K).
        k: (..., S, K).
        v: (..., S, Dv).
        bias: of the bias's shape; None if there is no bias.
        weights: (..., T, S). Not 0 where the mask forbids: a weight there
            would matter, but no score can raise it.
        scores: (..., T, S), of the scores as the softmax gets them: scaled,
            with the bias. 0 where the mask forbids; each row sums to 0.
    """

    q: Array
    k: Array
    v: Array
    bias: Array | None
    weights: Array
    scores: Array


def attention_backward(
    grad_output: Array,
    q: Array,
    k: Array,
    v: Array,
    *,
    mask: Array | None = None,
    bias: Array | None = None,
    scale: float | None = None,
    empty: Empty = "error",
) -> AttentionGradients:
    """From the gradient of attention's output to those of its inputs.

    What the forward pass broadcasts (keys shared by several heads, a
    bias shared by a batch) gets the sum of its copies' gradients.

    Args:
        grad_output: (..., T, Dv), the gradient of `attention`'s
            output: of just its shape.
        q, k, v, mask, bias, scale, empty: what `attention` was
            given. A query that may look at no key (`empty="zero"`)
            has gradients of 0, and adds nothing to those of k and v.

    Returns:
        The gradients, in the dtype that `attention` computes in:
        grads.q, grads.k, grads.v, grads.bias, and on the way
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
    q, k, v = as_floats(q=q, k=k, v=v)
    output, weights = attention(
        q, k, v, mask=mask, bias=bias, scale=scale, empty=empty
    )  # fmt: skip
    grad_output = _as_gradient(grad_output, output)
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    bias = _check_bias(bias)

    grad_v = weights.mT @ grad_output  # (..., S, Dv)
    grad_weights = _sum_copies(grad_output @ v.mT, weights)
    grad_scores = softmax_backward(grad_weights, weights)  # (..., T, S)
    grad_q = scale * (grad_scores @ k)  # (..., T, K)
    grad_k = scale * (grad_scores.mT @ q)  # (..., S, K)
    return AttentionGradients(
        q=_sum_copies(grad_q, q),
        k=_sum_copies(grad_k, k),
        v=_sum_copies(grad_v, v),
        bias=None if bias is None else _sum_copies(grad_scores, bias),
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
    grad_weights, weights = _check_softmax(grad_weights, weights)
    xp = array_api_compat.array_namespace(weights)
    mean = xp.sum(weights * grad_weights, axis=-1, keepdims=True)
    return weights * (grad_weights - mean)


# Copies, and what is refused


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


def _as_gradient(grad: Any, output: Array) -> Array:
    """The gradient of the output, in its dtype.

    Nothing is broadcast: a gradient of another shape is the gradient of something else.
    """
    grad, _ = as_floats(grad_output=grad, output=output)
    shape = tuple(output.shape)
    if tuple(grad.shape) != shape:
        raise ValueError(
            f"grad_output must have the shape {shape} of the output; got shape {tuple(grad.shape)}"
        )
    xp = array_api_compat.array_namespace(output)
    return xp.astype(grad, output.dtype, copy=False)


def _check_bias(bias: Any) -> Array | None:
    """The bias, which `attention` has found to fit, as an array; refuse +∞."""
    if bias is None:
        return None
    bias = as_array(bias, "bias")
    xp = array_api_compat.array_namespace(bias)
    if bool(xp.any(bias == math.inf)):
        raise ValueError(
            "bias must be below +inf, beside which no score matters and gradients end; got inf"
        )
    return bias


def _check_softmax(grad_weights: Any, weights: Any) -> tuple[Array, Array]:
    grad_weights, weights = as_floats(grad_weights=grad_weights, weights=weights)
    shapes = tuple(grad_weights.shape), tuple(weights.shape)
    if weights.ndim == 0:
        raise ValueError("weights must be (..., S), with an axis of keys; got a single number")
    if shapes[0] != shapes[1]:
        raise ValueError(
            f"grad_weights must have the shape {shapes[1]} of weights; got shape {shapes[0]}"
        )
    return grad_weights, weights

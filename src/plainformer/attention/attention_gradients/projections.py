"""From the gradients of q, k and v back to the projections that made them, and to x.

Multiple heads make no difference, because one wide matrix computes the queries of all of them. The
heads' gradients are merged in the same way as their outputs, and then passed to these functions.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import array_api_compat

from plainformer.shapes import Array, Float, checked

__all__ = ["ProjectionGradients", "linear_backward", "projection_backward"]


@checked
def linear_backward(
    grad_y: Float[Array, "... E"],
    x: Float[Array, "... D"],
    w: Float[Array, "D E"],
) -> tuple[Float[Array, "... D"], Float[Array, "D E"], Float[Array, "E"]]:
    """From the gradient of y = x w + b to those of x, w and b.

    All rows share one w and one b, so their gradients are summed over all tokens of all texts. If
    there is no b, ignore its gradient. (torch's Linear stores wᵀ.)

    Source: Goodfellow, Bengio and Courville 2016, section 6.5.6.

    >>> x = [[1.0, 2.0], [3.0, 4.0]]  # T = 2, D = 2
    >>> grad_x, grad_w, grad_b = linear_backward(
    ...     grad_y=[[1.0], [-1.0]], x=x, w=[[1.0], [10.0]]
    ... )
    >>> grad_x.tolist()
    [[1.0, 10.0], [-1.0, -10.0]]
    >>> grad_w.tolist(), grad_b.tolist()  # row 0 of x minus row 1; 1 - 1
    ([[-2.0], [-2.0]], [0.0])
    """
    if grad_y.shape[:-1] != x.shape[:-1]:
        got = f"got shapes {tuple(grad_y.shape)} and {tuple(x.shape)}"
        raise ValueError(f"grad_y and x must have the same rows; {got}")
    xp = array_api_compat.array_namespace(x)
    grad_x = grad_y @ w.T  # (..., T, D)
    n_tokens = math.prod(x.shape[:-1])
    rows = xp.reshape(x, (n_tokens, x.shape[-1]))
    grad_rows = xp.reshape(grad_y, (n_tokens, w.shape[-1]))
    grad_w = rows.T @ grad_rows  # (D, E)
    grad_b = xp.sum(grad_rows, axis=0)  # (E,)
    return grad_x, grad_w, grad_b


class ProjectionGradients(NamedTuple):
    """What `projection_backward` returns; each gradient has the same shape as its array.

    `x_kv` is None in self-attention, where `x` is the whole gradient. If the projections have no
    biases, ignore the gradients of the biases.
    """

    x: Array
    x_kv: Array | None
    w_q: Array
    w_k: Array
    w_v: Array
    b_q: Array
    b_k: Array
    b_v: Array


@checked
def projection_backward(
    grad_q: Float[Array, "... T K"],
    grad_k: Float[Array, "... S K"],
    grad_v: Float[Array, "... S Dv"],
    x: Float[Array, "... T D"],
    w_q: Float[Array, "D K"],
    w_k: Float[Array, "D_kv K"],
    w_v: Float[Array, "D_kv Dv"],
    *,
    x_kv: Float[Array, "... S D_kv"] | None = None,
) -> ProjectionGradients:
    """From the gradients of q = x w_q + b_q, of k and of v to those of their weights and of x.

    In self-attention all three are computed from x, S = T, and grads.x is the sum of three
    gradients. In cross-attention keys and values are computed from `x_kv`, and grads.x_kv is the
    gradient through them.

    Source: Goodfellow, Bengio and Courville 2016, section 6.5.6.

    >>> x, grad = [[3.0], [2.0]], [[1.0], [0.0]]  # loss: q[0] + k[0] + v[0]
    >>> w_q, w_k, w_v = [[1.0]], [[10.0]], [[100.0]]
    >>> grads = projection_backward(grad, grad, grad, x, w_q, w_k, w_v)
    >>> grads.x.tolist()
    [[111.0], [0.0]]
    >>> grads.w_q.tolist(), grads.b_q.tolist()
    ([[3.0]], [1.0])
    """
    source = x if x_kv is None else x_kv
    from_q, grad_w_q, grad_b_q = linear_backward(grad_q, x, w_q)
    from_k, grad_w_k, grad_b_k = linear_backward(grad_k, source, w_k)
    from_v, grad_w_v, grad_b_v = linear_backward(grad_v, source, w_v)
    return ProjectionGradients(
        x=from_q + from_k + from_v if x_kv is None else from_q,
        x_kv=None if x_kv is None else from_k + from_v,
        w_q=grad_w_q, w_k=grad_w_k, w_v=grad_w_v,
        b_q=grad_b_q, b_k=grad_b_k, b_v=grad_b_v,
    )  # fmt: skip

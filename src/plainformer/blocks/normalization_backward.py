"""The gradients of the two norms, by hand.

Write n for the normed row, s for what it was divided by, and g = ∂y ∘ γ for what comes back to n.
A norm takes away the row's mean and its length, so a change of x along either changes nothing: what
g says in these two directions is taken out again, and the rest is divided by s.

    ∂x = (g - mean(g) - n · mean(g ∘ n)) / s        LayerNorm
    ∂x = (g - n · mean(g ∘ n)) / s                  RMSNorm, which leaves the mean alone
    ∂γ = the sum over all tokens of ∂y ∘ n          ∂β = the sum over all tokens of ∂y

With an ε, n is a little shorter than said, and the same lines hold.
"""

from __future__ import annotations

import array_api_compat

from plainformer.arrays import Array
from plainformer.blocks.checks import check_norm_backward

__all__ = ["layer_norm_backward", "rms_norm_backward"]


def layer_norm_backward(
    grad_y: Array,
    x: Array,
    gamma: Array | None = None,
    *,
    eps: float = 1e-5,
) -> tuple[Array, Array, Array]:
    """From the gradient of what `layer_norm` gave to those of what it took.

    Args:
        grad_y: (..., D).
        x: (..., D), what the forward pass was given.
        gamma: (D,); None for ones.
        eps: as in the forward pass.

    Returns:
        grad_x: (..., D).
        grad_gamma: (D,).
        grad_beta: (D,).

    Raises:
        TypeError, ValueError: shapes that do not fit, or no real numbers.

    >>> import numpy as np
    >>> grad_y, x = [1.0, 0.0, 0.0], [1.0, 2.0, 6.0]
    >>> grad_x, _, grad_beta = layer_norm_backward(grad_y, x)
    >>> grad_x.round(4).tolist(), grad_beta.tolist()
    ([0.1763, -0.2204, 0.0441], [1.0, 0.0, 0.0])
    """
    grad_y, x, gamma, eps = check_norm_backward(grad_y, x, gamma, eps)
    xp = array_api_compat.array_namespace(x)
    centred = x - xp.mean(x, axis=-1, keepdims=True)
    variance = xp.mean(centred**2, axis=-1, keepdims=True)  # (..., 1)
    s = xp.sqrt(variance + eps)
    n, g = centred / s, grad_y * gamma  # (..., D)
    along_n = xp.mean(g * n, axis=-1, keepdims=True)
    grad_x = (g - xp.mean(g, axis=-1, keepdims=True) - n * along_n) / s
    return grad_x, _sum_tokens(grad_y * n), _sum_tokens(grad_y)


def rms_norm_backward(
    grad_y: Array,
    x: Array,
    gamma: Array | None = None,
    *,
    eps: float = 1e-6,
) -> tuple[Array, Array]:
    """From the gradient of what `rms_norm` gave to those of what it took.

    Args:
        grad_y, x, gamma, eps: as in `layer_norm_backward`.

    Returns:
        grad_x: (..., D).
        grad_gamma: (D,).

    Raises:
        TypeError, ValueError: shapes that do not fit, or no real numbers.

    >>> grad_x, _ = rms_norm_backward([1.0, 0.0], [3.0, 4.0])
    >>> (grad_x @ [3.0, 4.0]).round(6).tolist()  # its length does not matter
    0.0
    """
    grad_y, x, gamma, eps = check_norm_backward(grad_y, x, gamma, eps)
    xp = array_api_compat.array_namespace(x)
    s = xp.sqrt(xp.mean(x**2, axis=-1, keepdims=True) + eps)  # (..., 1)
    n, g = x / s, grad_y * gamma  # (..., D)
    along_n = xp.mean(g * n, axis=-1, keepdims=True)
    return (g - n * along_n) / s, _sum_tokens(grad_y * n)


def _sum_tokens(x: Array) -> Array:
    """(..., D) to (D,): γ and β serve every token, so they get the sum of what comes back."""
    xp = array_api_compat.array_namespace(x)
    return xp.sum(xp.reshape(x, (-1, x.shape[-1])), axis=0)

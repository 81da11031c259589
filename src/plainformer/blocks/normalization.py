"""LayerNorm and RMSNorm, which bring every token's vector to the same scale, and their gradients.

To derive the gradients, write n for the normalised row, s for the number that it was divided by,
and g = ∂y ∘ γ for the gradient that reaches n. A norm removes the mean and the length of a row, so
shifting or stretching x changes nothing. The components of g in these two directions are therefore
subtracted, and the rest is divided by s:

    ∂x = (g - mean(g) - n · mean(g ∘ n)) / s        LayerNorm
    ∂x = (g - n · mean(g ∘ n)) / s                  RMSNorm, which does not remove the mean
    ∂γ = the sum over all tokens of ∂y ∘ n          ∂β = the sum over all tokens of ∂y

The same formulas hold with an ε, which makes n a little shorter.
"""

from __future__ import annotations

import array_api_compat

from plainformer.shapes import Array, Float, checked

__all__ = ["layer_norm", "layer_norm_backward", "rms_norm", "rms_norm_backward"]


@checked
def layer_norm(
    x: Float[Array, "... D"],
    gamma: Float[Array, "D"] | None = None,
    beta: Float[Array, "D"] | None = None,
    *,
    eps: float = 1e-5,
) -> Float[Array, "... D"]:
    """Normalise every row (one token) to mean 0 and variance 1, then apply γ and β.

    The variance has the denominator D and not D - 1, and ε keeps a row of equal numbers from being
    divided by 0. Half-precision input is normalised in float32, and the result is rounded.

    Source: Ba et al. 2016, equations 3 and 4.

    >>> layer_norm([[1.0, 3.0], [10.0, 30.0]], eps=0.0).tolist()
    [[-1.0, 1.0], [-1.0, 1.0]]
    """
    xp, dtype = array_api_compat.array_namespace(x), x.dtype
    if xp.finfo(dtype).bits < 32:
        x = xp.astype(x, xp.float32)  # float16 squares overflow above 255
    centred = x - xp.mean(x, axis=-1, keepdims=True)  # (..., D)
    variance = xp.mean(centred**2, axis=-1, keepdims=True)  # (..., 1)
    y = xp.astype(centred / xp.sqrt(variance + eps), dtype, copy=False)
    y = y if gamma is None else y * gamma
    return y if beta is None else y + beta


@checked
def rms_norm(
    x: Float[Array, "... D"],
    gamma: Float[Array, "D"] | None = None,
    *,
    eps: float = 1e-6,
) -> Float[Array, "... D"]:
    """Divide every row (one token) by its root mean square, then multiply by γ.

    It leaves out LayerNorm's mean and β, and works just as well.

    Source: Zhang and Sennrich 2019, equation 4. Llama uses it.

    >>> rms_norm([[3.0, 4.0], [30.0, 40.0]], eps=0.0).round(3).tolist()
    [[0.849, 1.131], [0.849, 1.131]]
    """
    xp, dtype = array_api_compat.array_namespace(x), x.dtype
    if xp.finfo(dtype).bits < 32:
        x = xp.astype(x, xp.float32)  # float16 squares overflow above 255
    mean_square = xp.mean(x**2, axis=-1, keepdims=True)  # (..., 1)
    y = xp.astype(x / xp.sqrt(mean_square + eps), dtype, copy=False)
    return y if gamma is None else y * gamma


@checked
def layer_norm_backward(
    grad_y: Float[Array, "... D"],
    x: Float[Array, "... D"],
    gamma: Float[Array, "D"] | None = None,
    *,
    eps: float = 1e-5,
) -> tuple[Float[Array, "... D"], Float[Array, "D"], Float[Array, "D"]]:
    """The gradients of `layer_norm`'s arguments, given the gradient of its result.

    The other arguments are as in the forward pass. Returns the gradients of x, γ and β.

    >>> import numpy as np
    >>> grad_y, x = [1.0, 0.0, 0.0], [1.0, 2.0, 6.0]
    >>> grad_x, _, grad_beta = layer_norm_backward(grad_y, x)
    >>> grad_x.round(4).tolist(), grad_beta.tolist()
    ([0.1763, -0.2204, 0.0441], [1.0, 0.0, 0.0])
    """
    xp = array_api_compat.array_namespace(x)
    centred = x - xp.mean(x, axis=-1, keepdims=True)
    # (..., 1)
    s = xp.sqrt(xp.mean(centred**2, axis=-1, keepdims=True) + eps)
    n = centred / s  # (..., D)
    g = grad_y if gamma is None else grad_y * gamma  # (..., D)
    along_n = xp.mean(g * n, axis=-1, keepdims=True)
    grad_x = (g - xp.mean(g, axis=-1, keepdims=True) - n * along_n) / s
    tokens = tuple(range(x.ndim - 1))  # all tokens share γ and β
    grad_gamma = xp.sum(grad_y * n, axis=tokens)
    return grad_x, grad_gamma, xp.sum(grad_y, axis=tokens)


@checked
def rms_norm_backward(
    grad_y: Float[Array, "... D"],
    x: Float[Array, "... D"],
    gamma: Float[Array, "D"] | None = None,
    *,
    eps: float = 1e-6,
) -> tuple[Float[Array, "... D"], Float[Array, "D"]]:
    """The gradients of `rms_norm`'s arguments, given the gradient of its result.

    >>> grad_x, _ = rms_norm_backward([1.0, 0.0], [3.0, 4.0])
    >>> (grad_x @ [3.0, 4.0]).round(6).tolist()  # the length of x makes no difference
    0.0
    """
    xp = array_api_compat.array_namespace(x)
    s = xp.sqrt(xp.mean(x**2, axis=-1, keepdims=True) + eps)  # (..., 1)
    n = x / s  # (..., D)
    g = grad_y if gamma is None else grad_y * gamma  # (..., D)
    along_n = xp.mean(g * n, axis=-1, keepdims=True)
    grad_gamma = xp.sum(grad_y * n, axis=tuple(range(x.ndim - 1)))
    return (g - n * along_n) / s, grad_gamma

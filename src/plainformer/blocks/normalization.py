"""LayerNorm and RMSNorm bring the vector of every token to the same scale.

LayerNorm takes the D numbers of *one token*, subtracts their mean, divides by their standard
deviation, multiplies by a learned γ and adds a learned β. Other tokens and other texts of the batch
have no influence on it. RMSNorm leaves out the mean and β, and works just as well.

ε keeps a vector of equal numbers from being divided by 0.
"""

from __future__ import annotations

import array_api_compat

from plainformer.arrays import widen
from plainformer.shapes import Array, Float, checked

__all__ = ["layer_norm", "rms_norm"]


@checked
def layer_norm(
    x: Float[Array, "... D"],
    gamma: Float[Array, "D"] | None = None,
    beta: Float[Array, "D"] | None = None,
    *,
    eps: float = 1e-5,
) -> Float[Array, "... D"]:
    """Bring every row to mean 0 and variance 1, then multiply by γ and add
    β.

    Args:
        x: (..., D), one row for each token.
        gamma: (D,); None for ones.
        beta: (D,); None for zeros.
        eps: added to the variance.

    Returns:
        (..., D). The variance is the mean of the squares, so it is divided
        by D and not by D - 1. Half precision is computed in float32 and then
        rounded.

    Raises:
        TypeError, ValueError: arrays that are not real numbers, or shapes
            that do not fit.

    Source: Ba et al. 2016, equations 3 and 4.

    >>> layer_norm([[1.0, 3.0], [10.0, 30.0]], eps=0.0).tolist()
    [[-1.0, 1.0], [-1.0, 1.0]]
    """
    xp, dtype = array_api_compat.array_namespace(x), x.dtype
    x = widen(x)
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
    """Divide every row by its root mean square, then multiply by γ.

    Args:
        x: (..., D), one row for each token.
        gamma: (D,); None for ones.
        eps: added to the mean square.

    Returns:
        (..., D). Half precision is computed in float32 and then rounded.

    Raises:
        TypeError, ValueError: arrays that are not real numbers, or shapes
            that do not fit.

    Source: Zhang and Sennrich 2019, equation 4. Llama uses it.

    >>> rms_norm([[3.0, 4.0], [30.0, 40.0]], eps=0.0).round(3).tolist()
    [[0.849, 1.131], [0.849, 1.131]]
    """
    xp, dtype = array_api_compat.array_namespace(x), x.dtype
    x = widen(x)
    mean_square = xp.mean(x**2, axis=-1, keepdims=True)  # (..., 1)
    y = xp.astype(x / xp.sqrt(mean_square + eps), dtype, copy=False)
    return y if gamma is None else y * gamma

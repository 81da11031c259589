"""LayerNorm and RMSNorm: each token's vector is brought to one size before it is read.

LayerNorm takes four steps, over the D numbers of *one token*: subtract their mean, divide by their
standard deviation, multiply by a learned γ, add a learned β. Neither the other tokens nor the other
texts of the batch have a say. RMSNorm leaves out the mean and β, and does as well.

ε keeps a vector of equal numbers from being divided by 0.
"""

from __future__ import annotations

import array_api_compat

from plainformer.arrays import Array, widen
from plainformer.blocks.checks import check_norm

__all__ = ["layer_norm", "layer_norm_formula", "rms_norm", "rms_norm_formula"]


def layer_norm_formula(
    x: Array,
    gamma: Array | float,
    beta: Array | float,
    eps: float,
) -> Array:
    """Mean 0 and variance 1, then γ and β: `layer_norm` unchecked."""
    xp = array_api_compat.array_namespace(x)
    wide = widen(x)
    centred = wide - xp.mean(wide, axis=-1, keepdims=True)  # (..., D)
    variance = xp.mean(centred**2, axis=-1, keepdims=True)  # (..., 1)
    normed = centred / xp.sqrt(variance + eps)
    return xp.astype(normed, x.dtype, copy=False) * gamma + beta


def rms_norm_formula(x: Array, gamma: Array | float, eps: float) -> Array:
    """Root mean square 1, then γ: `rms_norm` unchecked."""
    xp = array_api_compat.array_namespace(x)
    wide = widen(x)
    mean_square = xp.mean(wide**2, axis=-1, keepdims=True)  # (..., 1)
    normed = wide / xp.sqrt(mean_square + eps)
    return xp.astype(normed, x.dtype, copy=False) * gamma


def layer_norm(
    x: Array,
    gamma: Array | None = None,
    beta: Array | None = None,
    *,
    eps: float = 1e-5,
) -> Array:
    """Each row with mean 0 and variance 1; then times γ, plus β.

    Args:
        x: (..., D), one row for each token.
        gamma: (D,); None for ones.
        beta: (D,); None for zeros.
        eps: added to the variance, 0 or more.

    Returns:
        (..., D). The variance is the mean of the squares: D below the
        line, not D - 1.

    Raises:
        TypeError, ValueError: shapes that do not fit, no real numbers, or
            an `eps` below 0.

    Source: Ba et al. 2016, equations 3 and 4.

    >>> layer_norm([[1.0, 3.0], [10.0, 30.0]], eps=0.0).tolist()
    [[-1.0, 1.0], [-1.0, 1.0]]
    """
    return layer_norm_formula(*check_norm(x, gamma, beta, eps))


def rms_norm(x: Array, gamma: Array | None = None, *, eps: float = 1e-6) -> Array:
    """Each row divided by its root mean square; then times γ.

    Args:
        x: (..., D), one row for each token.
        gamma: (D,); None for ones.
        eps: added to the mean square, 0 or more.

    Returns:
        (..., D).

    Raises:
        TypeError, ValueError: as in `layer_norm`.

    Source: Zhang and Sennrich 2019, equation 4; Llama has it.

    >>> rms_norm([[3.0, 4.0], [30.0, 40.0]], eps=0.0).round(3).tolist()
    [[0.849, 1.131], [0.849, 1.131]]
    """
    x, gamma, _, eps = check_norm(x, gamma, None, eps)
    return rms_norm_formula(x, gamma, eps)

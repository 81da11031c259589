"""What weights `AttentionMap` accepts: those of any library, once they are weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from plainformer.arrays import Array, as_floats, as_numpy

__all__ = ["MAX_MAPS", "MAX_TOKENS", "weights_of"]

MAX_TOKENS = 64
"""The most queries, and the most keys, that the widget shows."""

MAX_MAPS = 144
"""The most maps, layers times heads."""

TOLERANCE = 1e-3  # by how much a row's sum may differ from 1; tenfold in halves of a float


def weights_of(weights: Any, n_queries: int, n_keys: int) -> Array:
    """The weights as (L, H, T, S), NumPy's, or a kind error."""
    array, tolerance = _numbers(weights)
    if array.ndim == 5:  # (B, H, T, S) for each layer, as models return them
        if array.shape[1] != 1:
            raise ValueError(
                f"weights must be of one text; got those of {array.shape[1]} for each layer: "
                "take one, as in [layer[0] for layer in weights]"
            )
        array = array[:, 0]
    shape = f"({n_queries}, {n_keys})"
    if array.ndim not in (2, 3, 4) or array.shape[-2:] != (n_queries, n_keys):
        inner = shape[1:-1]
        raise ValueError(
            f"weights must have shape {shape}, (H, {inner}) or (L, H, {inner}), a row for each "
            f"token and a column for each key; got {array.shape}"
        )
    array = array.reshape((1,) * (4 - array.ndim) + array.shape)
    maps = array.shape[0] * array.shape[1]
    if not 1 <= maps <= MAX_MAPS:
        raise ValueError(
            f"weights must have 1 to {MAX_MAPS} maps, layers times heads; got "
            f"{array.shape[0]} × {array.shape[1]}: choose some"
        )

    def place(bad: Array) -> str:
        return ", ".join(str(int(each[0])) for each in np.nonzero(bad))

    if (bad := ~np.isfinite(array)).any():
        raise ValueError(f"weights must be finite; got {array[bad][0]} at [{place(bad)}]")
    if (bad := array < 0).any():
        raise ValueError(f"weights must be 0 or more; got {array[bad][0]:g} at [{place(bad)}]")
    total = array.sum(-1)
    if (bad := (np.abs(total - 1) > tolerance) & (total != 0)).any():
        columns = np.abs(array.sum(-2) - 1).max() <= tolerance
        hint = " (its columns do: was the softmax taken over the wrong axis?)" if columns else ""
        raise ValueError(
            f"every row of weights must sum to 1{hint}; row [{place(bad)}] sums to "
            f"{total[bad][0]:.4g}"
        )
    return array


def _numbers(weights: Any) -> tuple[Array, float]:
    """Weights as NumPy's floats of eight bytes, and by how much a row's sum may differ from 1."""
    if isinstance(weights, list | tuple) and any(hasattr(each, "detach") for each in weights):
        parts = [_numbers(each) for each in weights]  # a tensor for each layer
        try:
            return np.stack([part for part, _ in parts]), max(each for _, each in parts)
        except ValueError:
            shapes = ", ".join(str(part.shape) for part, _ in parts)
            raise ValueError(f"weights must be of one shape for all layers; got {shapes}") from None
    (array,) = as_floats(weights=weights.detach() if hasattr(weights, "detach") else weights)
    coarse = getattr(array.dtype, "itemsize", 8) == 2  # float16 and bfloat16
    return np.array(as_numpy(array), dtype=np.float64), 10 * TOLERANCE if coarse else TOLERANCE

"""RoPE for longer texts than a model was first trained on, as in Llama 3.1 and later.

Beyond the length L of its first training, a model meets angles that it has never seen. A pair that
completes many rotations within L has passed through all angles and is left unchanged. A pair that
completes less than about one rotation has not, so it is slowed down by a factor, and a text that
many times longer rotates it no further than L did. Pairs in between get a mixture of the two.

This is only Llama 3's rule. Its four numbers were found by experiment and the model was trained
further with them, so applying them to another model does not by itself make it read longer texts.
"""

from __future__ import annotations

import numpy as np

from plainformer.arrays import Array

__all__ = ["scale_frequencies"]


def scale_frequencies(
    omega: Array,
    factor: float,
    low_freq_factor: float,
    high_freq_factor: float,
    original_max_position_embeddings: float,
) -> Array:
    """Slow down the pairs that do not complete enough rotations.

    Args:
        omega: (K/2,), how far each pair rotates from one position to the next, in radians.
        factor: by how much the slowest pairs are slowed down.
        low_freq_factor: pairs with at most this many rotations within the original length are
            slowed down by the whole factor.
        high_freq_factor: pairs with at least this many rotations are left unchanged.
        original_max_position_embeddings: the original length L, in tokens.

    Returns:
        (K/2,), radians per position.

    Source: Meta 2024, the code of Llama 3.1 (`apply_scaling`); Grattafiori et al. 2024, section
    3.4.2, on training with longer texts.

    >>> omega = 2 * np.pi * np.array([0.4, 0.1, 0.01])  # rotations per position
    >>> slowed = scale_frequencies(omega, 8, 1, 4, 20)  # in 20: 8, 2 and 0.2
    >>> (slowed / omega).round(4).tolist()  # unchanged, mixed, an eighth
    [1.0, 0.4167, 0.125]
    """
    rotations = original_max_position_embeddings * omega / (2 * np.pi)  # within L
    keep = np.clip((rotations - low_freq_factor) / (high_freq_factor - low_freq_factor), 0, 1)
    return keep * omega + (1 - keep) * omega / factor

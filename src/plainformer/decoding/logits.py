"""From logits to log-probabilities: what every way to choose a token starts with."""

from __future__ import annotations

import array_api_compat

from plainformer.arrays import Array, widen
from plainformer.decoding.checks import check_logits, check_logits_alone, checked

__all__ = ["check_logits", "log_softmax"]


@checked(check_logits_alone)
def log_softmax(logits: Array) -> Array:
    """The logarithm of each token's probability: z - log Σ exp z.

    To take the logarithm of a softmax would lose the tokens whose
    probability is too small for a float; this does not.

    Args:
        logits: (..., V); -∞ for what is impossible.

    Returns:
        (..., V), none above 0.

    Raises:
        TypeError, ValueError: see `check_logits`.

    >>> import numpy as np
    >>> log_softmax(np.log([1.0, 3.0])).round(4).tolist()  # log of 1/4, 3/4
    [-1.3863, -0.2877]
    >>> log_softmax(np.array([0.0, -1000.0])).tolist()
    [0.0, -1000.0]
    """
    xp, dtype = array_api_compat.array_namespace(logits), logits.dtype
    logits = widen(logits)  # in float16 a sum of 65,504 tokens would be its last
    shifted = logits - xp.max(logits, axis=-1, keepdims=True)  # the largest is 0: nothing overflows
    log_probs = shifted - xp.log(xp.sum(xp.exp(shifted), axis=-1, keepdims=True))
    return xp.astype(log_probs, dtype, copy=False)

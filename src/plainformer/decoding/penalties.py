"""Penalties lower the logits of tokens that have occurred, so that a text does not go in circles.

All take a table of counts (`count_tokens`), and the caller decides which part of the text to count.
By convention, the frequency and presence penalties count the output alone, and the repetition
penalty counts the prompt as well.
"""

from __future__ import annotations

import math

import array_api_compat
import numpy as np

from plainformer.arrays import Array
from plainformer.decoding.logits import checked_logits
from plainformer.inputs.checks import as_ids
from plainformer.shapes import Float, Int, Size, checked

__all__ = ["count_tokens", "frequency_penalty", "presence_penalty", "repetition_penalty"]


@checked
def count_tokens(
    ids: Int[Array, "... T"],
    vocab_size: Size,
) -> Int[Array, "... V"]:
    """How often each token of the vocabulary occurs in a text, which may be empty.

    Padding is counted like any other token, so texts of different lengths are counted one by one.

    >>> count_tokens([4, 1, 4], 6).tolist()
    [0, 1, 0, 0, 2, 0]
    >>> count_tokens([[2, 2], [0, 1]], 3).tolist()
    [[0, 0, 2], [1, 1, 0]]
    """
    ids, V = as_ids(ids, vocab_size), vocab_size
    xp = array_api_compat.array_namespace(ids)
    device = array_api_compat.device(ids)
    *shape, T = ids.shape
    N = math.prod(shape)
    # Each text has V bins of its own.
    texts = V * xp.arange(N, dtype=xp.int64, device=device)
    bins = xp.reshape(xp.reshape(ids, (N, T)) + texts[:, None], (N * T,))
    edges = xp.arange(N * V + 1, dtype=xp.int64, device=device)
    # How many tokens are in lower bins.
    before = xp.searchsorted(xp.sort(bins), edges)
    return xp.reshape(before[1:] - before[:-1], (*shape, V))


@checked_logits
def frequency_penalty(
    logits: Float[Array, "... V"],
    counts: Int[Array, "... V"],
    penalty: float,
) -> Float[Array, "... V"]:
    """Subtract `penalty` for every time that a token occurred: z - αn.

    0 changes nothing, and a negative number rewards repetition.

    Source: OpenAI's API reference, "frequency and presence penalties".

    >>> z = [1.0, 3.0, 2.0]
    >>> frequency_penalty(z, [0, 2, 1], 0.5).tolist()
    [1.0, 2.0, 1.5]
    """
    z, n, alpha = logits, counts, penalty
    xp = array_api_compat.array_namespace(z)
    return z - alpha * xp.astype(n, z.dtype)


@checked_logits
def presence_penalty(
    logits: Float[Array, "... V"],
    counts: Int[Array, "... V"],
    penalty: float,
) -> Float[Array, "... V"]:
    """Subtract `penalty` once from every token that occurred: z - β[n > 0].

    Source: as for `frequency_penalty`.

    >>> z = [1.0, 3.0, 2.0]
    >>> presence_penalty(z, [0, 2, 1], 0.5).tolist()
    [1.0, 2.5, 1.5]
    """
    z, n, beta = logits, counts, penalty
    xp = array_api_compat.array_namespace(z)
    return z - beta * xp.astype(n > 0, z.dtype)


@checked_logits
def repetition_penalty(
    logits: Float[Array, "... V"],
    counts: Int[Array, "... V"],
    penalty: float,
) -> Float[Array, "... V"]:
    """Divide positive logits by `penalty` and multiply negative ones, if the token occurred.

    The penalty ρ is above 0; 1 changes nothing, and less than 1 rewards repetition. It depends on
    where 0 is, although softmax does not: adding a constant to all logits changes what this penalty
    does.

    Source: Keskar et al. 2019, section 4.1, where all logits are divided. That would reward a token
    with a negative logit, so later implementations multiply it instead.

    >>> z = [4.0, -4.0, 4.0]
    >>> repetition_penalty(z, [1, 3, 0], 2).tolist()
    [2.0, -8.0, 4.0]
    """
    z, n, rho = logits, counts, penalty
    if rho <= 0:
        raise ValueError(f"penalty must be above 0; got {penalty}")
    xp = array_api_compat.array_namespace(z)
    with np.errstate(over="ignore"):  # beyond the largest float, ±∞ is right
        penalised = xp.where(z > 0, z / rho, z * rho)
    return xp.where(n > 0, penalised, z)

"""Penalties: a token that has occurred gets a lower logit, so that a text does not go in circles.

Three ways to lower it, each with its number. Subtract for each time that the token occurred
(`frequency_penalty`); subtract once, if it occurred at all (`presence_penalty`); or shrink the
logit where it is positive, and stretch it where it is negative (`repetition_penalty`).

All three read a table of counts (`count_tokens`), and do not ask which part of a text was counted.
By custom the first two are given the output alone, the third the prompt as well.

But: the first two ask how far apart logits are, as a softmax does. The third asks where 0 is, and a
softmax does not know that.
"""

from __future__ import annotations

import math

import array_api_compat

from plainformer.arrays import Array
from plainformer.decoding.checks import check_penalty, check_ratio, checked
from plainformer.decoding.ids import check_text_and_size

__all__ = ["count_tokens", "frequency_penalty", "presence_penalty", "repetition_penalty"]


@checked(check_text_and_size)
def count_tokens(ids: Array, vocab_size: int) -> Array:
    """How often each token of the vocabulary occurs in a text.

    Args:
        ids: (..., T) whole numbers, T of 0 or more: nothing
            written yet is a text too.
        vocab_size: V; the ids are below it.

    Returns:
        (..., V), 64-bit whole numbers, in the library of `ids`.

    Raises:
        TypeError: `ids` or `vocab_size` are no whole numbers.
        ValueError: `ids` has no axis, or holds an id that is
            negative, or V or more; the message says where.

    But: padding is counted like any token. Texts of several
    lengths are counted one by one.

    >>> count_tokens([4, 1, 4], 6).tolist()
    [0, 1, 0, 0, 2, 0]
    >>> count_tokens([[2, 2], [0, 1]], 3).tolist()
    [[0, 0, 2], [1, 1, 0]]
    """
    V = vocab_size
    xp = array_api_compat.array_namespace(ids)
    device = array_api_compat.device(ids)
    *shape, T = ids.shape
    N = math.prod(shape)  # each text counts in V places of its own
    starts = V * xp.arange(N, dtype=xp.int64, device=device)
    shifted = starts[:, None] + xp.reshape(ids, (N, T))
    places, times = xp.unique_counts(shifted)
    counts = xp.zeros(N * V, dtype=xp.int64, device=device)
    counts[places] = times
    return xp.reshape(counts, (*shape, V))


@checked(check_penalty)
def frequency_penalty(
    logits: Array,
    counts: Array,
    penalty: float,
) -> Array:
    """Subtract `penalty` each time a token occurred: z - αn.

    Args:
        logits: z, (..., V); -∞ stays -∞.
        counts: n, (..., V) whole numbers of 0 or more, as from
            `count_tokens`; axes before V stretch to those of z.
        penalty: α; 0 changes nothing, below 0 is a reward.

    Returns:
        (..., V), of the dtype of `logits`.

    Raises:
        TypeError, ValueError: `penalty` is not a finite number;
            `counts` are no counts, or do not fit `logits`; or
            `check_logits` refuses `logits`.

    Source: OpenAI's API reference, "frequency and presence
    penalties", whose example subtracts just this.

    >>> z = [1.0, 3.0, 2.0]
    >>> frequency_penalty(z, [0, 2, 1], 0.5).tolist()
    [1.0, 2.0, 1.5]
    """
    z, n, alpha = logits, counts, penalty
    xp = array_api_compat.array_namespace(z)
    return z - alpha * xp.astype(n, z.dtype)


@checked(check_penalty)
def presence_penalty(
    logits: Array,
    counts: Array,
    penalty: float,
) -> Array:
    """Subtract `penalty` once if a token occurred: z - β[n > 0].

    Args, returns, raises and source: as `frequency_penalty`,
    with β for α.

    >>> z = [1.0, 3.0, 2.0]
    >>> presence_penalty(z, [0, 2, 1], 0.5).tolist()
    [1.0, 2.5, 1.5]
    """
    z, n, beta = logits, counts, penalty
    xp = array_api_compat.array_namespace(z)
    return z - beta * xp.astype(n > 0, z.dtype)


@checked(check_ratio)
def repetition_penalty(
    logits: Array,
    counts: Array,
    penalty: float,
) -> Array:
    """Divide a logit above 0 by `penalty`; multiply one below.

    Only those of tokens that occurred; the others stay.

    Args:
        logits: z, (..., V); 0 stays 0, and -∞ stays -∞.
        counts: n, as in `frequency_penalty`; only n > 0 matters.
        penalty: ρ, above 0; 1 changes nothing, below 1 rewards.

    Returns:
        (..., V), of the dtype of `logits`.

    Raises:
        TypeError, ValueError: as `frequency_penalty`; or ρ is
            not above 0.

    Source: Keskar et al. 2019, section 4.1, divides all logits.
    That would reward a token whose logit is negative; so later
    code, and this, multiplies there.

    But: add a constant to all logits, which changes no
    probability, and this penalty does something else.

    >>> z = [4.0, -4.0, 4.0]
    >>> repetition_penalty(z, [1, 3, 0], 2).tolist()
    [2.0, -8.0, 4.0]
    """
    z, n, rho = logits, counts, penalty
    xp = array_api_compat.array_namespace(z)
    # If ρ > 1, the lower of the two is z/ρ where z > 0, and z·ρ
    # elsewhere. To ask each z for its sign takes torch 8 times
    # as long: a processor that cannot guess the answer waits.
    one_of = xp.minimum if rho >= 1 else xp.maximum
    return xp.where(n > 0, one_of(z / rho, z * rho), z)

"""How bold a draw may be: logits divided by a temperature, and the entropy that comes of it.

A model's logits are energies with the sign turned, E = -z, and softmax is what physics calls the
Boltzmann distribution: p ∝ exp(-E/τ). A cold system sits in its lowest state, a hot one is found
anywhere. Nothing in the model changes; only how far apart its answers stand.

But: dividing can leave the range of a float. Where the largest logit would, its row is first moved
so that the largest is 0. That changes no probability (softmax does not see a constant), yet the row
is then (z - max z)/τ and no longer z/τ.
"""

from __future__ import annotations

import array_api_compat
import numpy as np

from plainformer.arrays import Array
from plainformer.decoding.checks import check_probabilities, check_temperature_of, checked

__all__ = ["apply_temperature", "entropy"]


@checked(check_temperature_of)
def apply_temperature(logits: Array, temperature: float) -> Array:
    """Divide logits by a temperature: z/τ.

    Below 1 the gaps between logits grow, above 1 they shrink;
    the order stays. At 0 nothing is divided: the largest logit
    of a row is left alone, and of several as large the first.

    Args:
        logits: (..., V); -∞ for what is impossible, and stays so.
        temperature: τ, 0 or more.

    Returns:
        (..., V) logits, of the same library and dtype: z/τ; in a
        row that would leave the dtype's range, (z - max z)/τ,
        whose softmax is the same; at τ = 0, which passes on no
        gradient, 0 for one token and -∞ for all others.

    Raises:
        TypeError, ValueError: see `check_logits`; or the
            temperature is no number, negative, not finite, or
            too small or too large for the dtype to hold.

    Source: Ackley, Hinton & Sejnowski 1985.

    >>> apply_temperature([2.0, 1.0, 0.0], 0.5).tolist()
    [4.0, 2.0, 0.0]
    >>> apply_temperature([2.0, 1.0, 2.0], 0).tolist()
    [0.0, -inf, -inf]
    """
    if temperature == 0:
        return first_of_the_largest(logits)
    xp = array_api_compat.array_namespace(logits)
    with np.errstate(over="ignore"):  # what is looked for here
        largest = xp.max(logits, axis=-1, keepdims=True)
        beyond = ~xp.isfinite(largest / temperature)
        if bool(xp.any(beyond)):
            logits = xp.where(beyond, logits - largest, logits)
        return logits / temperature


@checked(check_probabilities)
def entropy(probabilities: Array) -> Array:
    """How open a draw is: -Σ p log p, in nats.

    0 where one token is certain, log V where all are alike.
    A token of probability 0 adds nothing: p log p is then 0.

    Args:
        probabilities: (..., V), each row's sum 1.

    Returns:
        (...,), of the same library and dtype.

    Raises:
        TypeError: no real numbers.
        ValueError: no axis, no token, a number outside 0 to
            1, or a row that does not add up to 1.

    Source: Shannon 1948, section 6.

    >>> round(float(entropy([0.5, 0.5])), 4)  # log 2
    0.6931
    >>> float(entropy([1.0, 0.0]))
    0.0
    """
    p, xp = probabilities, array_api_compat.array_namespace(probabilities)
    logs = xp.log(xp.where(p > 0, p, 1))  # 0 where p is 0
    return 0 - xp.sum(p * logs, axis=-1)


def first_of_the_largest(logits: Array) -> Array:
    """0 for one token of each row, -∞ for the others."""
    xp = array_api_compat.array_namespace(logits)
    device = array_api_compat.device(logits)
    tokens = xp.arange(logits.shape[-1], device=device)
    best = xp.argmax(logits, axis=-1, keepdims=True)
    out = xp.full_like(logits, -xp.inf)
    return xp.where(tokens == best, xp.zeros_like(out), out)

"""Exercise 4: the slopes of ALiBi for any number of heads, such as 12."""

import math
from math import sqrt

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def slopes(n_heads: int) -> np.ndarray:
    """Return the slope of every head of ALiBi, for any number of heads.

    For a power of two, n heads have the slopes 2^(-8h/n), h = 1 to n.
    For any other number take the largest power of two below it, n:
    first the n slopes of n heads, then, as many as are missing, every
    other slope of 2n heads, from their first one on.
    Returns (n_heads,), float64.

    >>> slopes(2).tolist()
    [0.0625, 0.00390625]
    >>> slopes(3).tolist()
    [0.0625, 0.00390625, 0.25]
    """
    n = 1
    while 2 * n <= n_heads:
        n = 2 * n
    first = 2.0 ** (-8 * np.arange(1, n + 1) / n)
    finer = 2.0 ** (-8 * np.arange(1, 2 * n + 1) / (2 * n))
    return np.concatenate([first, finer[0::2][: n_heads - n]])


_EIGHT = [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256]

EXERCISE = Exercise(
    id="attention.relative_positions.4",
    title="Slopes for any number of heads",
    reference=slopes,
    points=2,
    compare=Arrays(),
    cases=(
        Case((2,), np.array([1 / 16, 1 / 256])),
        Case((4,), np.array([1 / 4, 1 / 16, 1 / 64, 1 / 256])),
        Case((8,), np.array(_EIGHT)),
        Case((3,), np.array([1 / 16, 1 / 256, 1 / 4])),
        Case((6,), np.array([1 / 4, 1 / 16, 1 / 64, 1 / 256, 1 / 2, 1 / 8])),
        Case(
            (12,),
            # Those of 8 heads, then 2^-0.5, 2^-1.5, 2^-2.5 and 2^-3.5.
            np.array([*_EIGHT, sqrt(1 / 2), sqrt(1 / 8), sqrt(1 / 32), sqrt(1 / 128)]),
        ),
        Case((1,), np.array([1 / 256])),
    ),
    generate=lambda rng: (int(rng.integers(1, 100)),),
    hints=(
        "Do 6 heads on paper. The largest power of two below 6 is 4: write down the slopes of 4 "
        "heads, then those of 8 heads. Two are missing: which two of the eight do you take?",
        "To find the power of two, start from 1 and double it while twice as much is not more "
        "than n_heads.",
        "Every other slope of 2n heads, from the first one on, is a slice with a step of 2. A "
        "second slice keeps as many as are missing: for a power of two, none.",
    ),
    mutants={
        "Your formula is right for powers of two, and the paper gives no other. For other "
        "numbers the published code has its own rule: the slopes of the power of two below, "
        "then some "
        "from a finer series.": lambda n_heads: 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads),
        "Your h starts at 0, so your first slope is 1. It starts at 1, and the last slope is "
        "2^-8.": "np.arange(1, n + 1) -> np.arange(n); np.arange(1, 2 * n + 1) -> np.arange(2 * n)",
        "Your additional slopes are ones that other heads already have. They should be between "
        "those: every other slope of 2n heads, and the first one of them, not the second, is "
        "the first to take.": "finer[0::2] -> finer[1::2]",
        "You take the first slopes of 2n heads one after the other. Take every other one, "
        "because half of them are there already.": "finer[0::2] -> finer",
        "You take the additional slopes from the far end. Begin with the "
        "first, the steepest.": "finer[0::2][: n_heads - n] -> finer[0::2][n - (n_heads - n) :]",
        "You start from the power of two above n_heads. Start from the one below.": (
            "np.concatenate([first, finer[0::2][: n_heads - n]]) -> first if n == n_heads else "
            "finer[:n_heads]"
        ),
        "2^-h is right for 8 heads, the paper's example. For n heads it is 2^(-8h/n), so that "
        "the last slope is always 2^-8.": lambda n_heads: 2.0 ** -np.arange(1, n_heads + 1),
        "The slopes are right, but you have sorted them. Which head has which slope matters "
        "to whoever loads a trained model: the further "
        "ones come last.": lambda n_heads: np.sort(slopes(n_heads))[::-1],
        "Some heads have no slope: there should be n_heads of them. For a power of two yours "
        "is right.": "np.concatenate([first, finer[0::2][: n_heads - n]]) -> first",
        "Your slopes are the inverse of the right ones: the exponent "
        "has a minus.": lambda n_heads: 1 / slopes(n_heads),
        "A slope is positive. The minus belongs to the penalty: minus slope "
        "times distance.": lambda n_heads: -slopes(n_heads),
        "Those are the exponents. The slope is 2 to that power.": lambda n_heads: np.log2(
            slopes(n_heads)
        ),
    },
)


@EXERCISE.alternate
def _by_recursion(n_heads: int) -> Array:
    n = 1 << (n_heads.bit_length() - 1)
    own = np.array([0.5 ** (8 * h / n) for h in range(1, n + 1)])
    if n == n_heads:
        return own
    return np.concatenate([own, _by_recursion(2 * n)[0::2][: n_heads - n]])


@EXERCISE.alternate
def _head_by_head(n_heads: int) -> Array:
    n = 2 ** int(math.log2(n_heads))
    exponents = [8 * h / n for h in range(1, n + 1)]
    exponents += [8 * h / (2 * n) for h in range(1, 2 * (n_heads - n), 2)]
    return np.array([2.0**-exponent for exponent in exponents])

"""Exercise 4: the slopes of ALiBi, for 12 heads too."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math
from math import sqrt

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Case, Exercise, Mutant


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


def _by_recursion(n_heads: int) -> np.ndarray:
    n = 1 << (n_heads.bit_length() - 1)
    own = np.array([0.5 ** (8 * h / n) for h in range(1, n + 1)])
    if n == n_heads:
        return own
    return np.concatenate([own, _by_recursion(2 * n)[0::2][: n_heads - n]])


def _head_by_head(n_heads: int) -> np.ndarray:
    n = 2 ** int(math.log2(n_heads))
    exponents = [8 * h / n for h in range(1, n + 1)]
    exponents += [8 * h / (2 * n) for h in range(1, 2 * (n_heads - n), 2)]
    return np.array([2.0**-exponent for exponent in exponents])


def _below(n_heads: int) -> int:
    return 1 << (n_heads.bit_length() - 1)


def _ladder(n: int, first: int = 1) -> np.ndarray:
    return 2.0 ** (-8 * np.arange(first, n + first) / n)


def _one_formula_for_all(n_heads: int) -> np.ndarray:
    return _ladder(n_heads)


def _from_zero(n_heads: int) -> np.ndarray:
    n = _below(n_heads)
    return np.concatenate([_ladder(n, 0), _ladder(2 * n, 0)[0::2][: n_heads - n]])


def _every_other_from_the_second(n_heads: int) -> np.ndarray:
    n = _below(n_heads)
    return np.concatenate([_ladder(n), _ladder(2 * n)[1::2][: n_heads - n]])


def _the_first_of_the_finer(n_heads: int) -> np.ndarray:
    n = _below(n_heads)
    return np.concatenate([_ladder(n), _ladder(2 * n)[: n_heads - n]])


def _the_last_of_the_finer(n_heads: int) -> np.ndarray:
    n = _below(n_heads)
    return np.concatenate([_ladder(n), _ladder(2 * n)[0::2][n - (n_heads - n) :]])


def _rounded_up(n_heads: int) -> np.ndarray:
    n = _below(n_heads)
    return _ladder(n if n == n_heads else 2 * n)[:n_heads]


def _for_eight_heads(n_heads: int) -> np.ndarray:
    return 2.0 ** -np.arange(1, n_heads + 1)


def _sorted(n_heads: int) -> np.ndarray:
    return np.sort(slopes(n_heads))[::-1]


def _powers_only(n_heads: int) -> np.ndarray:
    return _ladder(_below(n_heads))


def _growing(n_heads: int) -> np.ndarray:
    return 1 / slopes(n_heads)


def _negative(n_heads: int) -> np.ndarray:
    return -slopes(n_heads)


def _exponents(n_heads: int) -> np.ndarray:
    return np.log2(slopes(n_heads))


def _draw(rng: np.random.Generator) -> tuple[int]:
    return (int(rng.integers(1, 100)),)


_EIGHT = [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256]

EXERCISE = Exercise(
    id="inputs.relative_positions.4",
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
    generate=_draw,
    hints=(
        "Do 6 heads on paper. The largest power of two below 6 is 4: write down the slopes of 4 "
        "heads, then those of 8 heads. Two are missing: which two of the eight do you take?",
        "To find the power of two, start from 1 and double it while twice as much is not more "
        "than n_heads.",
        "Every other slope of 2n heads, from the first one on, is a slice with a step of 2. A "
        "second slice keeps as many as are missing: for a power of two, none.",
    ),
    mutants=(
        Mutant(
            _one_formula_for_all,
            "Your formula is right for powers of two; the paper has no other. For other numbers "
            "the published code has its own rule: the slopes of the power of two below, then some "
            "of a finer ladder.",
        ),
        Mutant(
            _from_zero,
            "Your h starts at 0, so your first slope is 1. It starts at 1, and the last slope is "
            "2^-8.",
        ),
        Mutant(
            _every_other_from_the_second,
            "Your further slopes are slopes that other heads have already. They should lie between "
            "those: every other slope of 2n heads, and the first one of them, not the second, is "
            "the first to take.",
        ),
        Mutant(
            _the_first_of_the_finer,
            "You take the first slopes of 2n heads one after the other. Take every other one, or "
            "half of them are there already.",
        ),
        Mutant(
            _the_last_of_the_finer,
            "You take the further slopes from the far end. Begin with the first, the steepest.",
        ),
        Mutant(
            _rounded_up,
            "You start from the power of two above n_heads. Start from the one below.",
        ),
        Mutant(
            _for_eight_heads,
            "2^-h is right for 8 heads, the paper's example. For n heads it is 2^(-8h/n), so that "
            "the last slope is always 2^-8.",
        ),
        Mutant(
            _sorted,
            "The slopes are right, but you have sorted them. Which head has which slope matters "
            "to whoever loads a trained model: the further ones come last.",
        ),
        Mutant(
            _powers_only,
            "Some heads have no slope: there should be n_heads of them. For a power of two yours "
            "is right.",
        ),
        Mutant(
            _growing,
            "Your slopes are the inverse of the right ones: the exponent has a minus.",
        ),
        Mutant(
            _negative,
            "A slope is positive. The minus belongs to the penalty: minus slope times distance.",
        ),
        Mutant(_exponents, "Those are the exponents. The slope is 2 to that power."),
    ),
    alternates=(_by_recursion, _head_by_head),
)

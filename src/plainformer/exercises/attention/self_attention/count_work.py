"""Exercise 4: how many multiplications, and how many numbers to keep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from plainformer.exercises.spec import Case, Exercise, Mutant


def count_work(
    length: int,
    d_model: int,
    width: int,
) -> tuple[int, int, int]:
    """Count what one head of self-attention costs, with no mask.

    length: T, d_model: D, width: K (the values are as wide).
    X has the shape (T, D). A product of (a, b) by (b, c) takes
    a · b · c multiplications. Count those of the matrix products
    only, up to the output: no scale, no softmax, nothing after.
    Returns (before, attending, weights), whole numbers:
    before, the multiplications that turn X into q, k and v;
    attending, those of the scores and of the output;
    weights, how many weights there are: numbers, not bytes.

    >>> count_work(3, 4, 2)
    (72, 36, 9)
    """
    before = 3 * length * d_model * width  # X times three matrices
    scores = length * width * length  # (T, K) times (K, T)
    output = length * length * width  # (T, T) times (T, K)
    return before, scores + output, length * length


Counts = tuple[Any, Any, Any]


def _by_shapes(length: int, d_model: int, width: int) -> Counts:
    def product(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, tuple[int, int]]:
        return a[0] * a[1] * b[1], (a[0], b[1])

    before, q = product((length, d_model), (d_model, width))
    one, scores = product(q, q[::-1])
    two, _ = product(scores, q)
    return 3 * before, one + two, scores[0] * scores[1]


def _token_by_token(length: int, d_model: int, width: int) -> Counts:
    before = attending = weights = 0
    for _ in range(length):
        before += 3 * d_model * width
        attending += 2 * length * width
        weights += length
    return before, attending, weights


def _counter(
    count: Callable[[int, int, int], Counts],
) -> Callable[[int, int, int], Counts]:
    """An answer with the arguments' names, whatever the letters are called inside."""

    def answer(length: int, d_model: int, width: int) -> Counts:
        return count(length, d_model, width)

    return answer


_one_projection = _counter(lambda t, d, k: (t * d * k, 2 * t * t * k, t * t))
_scores_only = _counter(lambda t, d, k: (3 * t * d * k, t * t * k, t * t))
_d_for_k = _counter(lambda t, d, k: (3 * t * d * k, 2 * t * t * d, t * t))
_square_projections = _counter(lambda t, d, k: (3 * t * d * d, 2 * t * t * k, t * t))
_parameters = _counter(lambda t, d, k: (3 * d * k, 2 * t * t * k, t * t))
_k_squared = _counter(lambda t, d, k: (3 * t * d * k, 2 * t * k * k, t * t))
_shape_of_output = _counter(lambda t, d, k: (3 * t * d * k, 2 * t * t * k, t * k))
_no_width = _counter(lambda t, d, k: (3 * t * d * k, 2 * t * t, t * t))
_half = _counter(lambda t, d, k: (3 * t * d * k, t * (t + 1) * k, t * (t + 1) // 2))
_with_additions = _counter(lambda t, d, k: (6 * t * d * k, 4 * t * t * k, t * t))
_as_floats = _counter(lambda t, d, k: (3.0 * t * d * k, 2.0 * t * t * k, float(t * t)))


def _draw(rng: np.random.Generator) -> tuple[int, int, int]:
    length, d_model, width = (int(n) for n in rng.integers(2, 40, size=3))
    return length, d_model, width


EXERCISE = Exercise(
    id="attention.self_attention.4",
    title="Count the work",
    reference=count_work,
    points=2,
    cases=(
        # q, k and v: (3, 4) by (4, 2) is 24, three times. (3, 2) by (2, 3) is 18, and back is 18.
        Case((3, 4, 2), (72, 36, 9)),
        Case((6, 4, 2), (144, 144, 36)),  # the chapter's example
        Case((1, 5, 3), (45, 6, 1)),
        Case((10, 1, 1), (30, 200, 100)),
        # Twice the length: twice the first, four times the others.
        Case((20, 1, 1), (60, 800, 400)),
    ),
    generate=_draw,
    hints=(
        "Write the two shapes of every matrix product side by side. There are five products: "
        "three before, the scores, and the output.",
        "q, k and v are each (T, D) times (D, K). The scores are (T, K) times (K, T).",
        "The output is (T, T) times (T, K): as many multiplications as the scores. And the "
        "weights are the matrix (T, T).",
    ),
    mutants=(
        Mutant(_one_projection, "X is multiplied by three matrices: for q, for k and for v."),
        Mutant(
            _scores_only,
            "The scores are half of it. Weights times values is a matrix product too.",
        ),
        Mutant(
            _d_for_k,
            "Queries and keys are K numbers wide, not D: that is the length of each dot product.",
        ),
        Mutant(
            _square_projections,
            "The matrices W have the shape (D, K), not (D, D): one head's width, not the model's.",
        ),
        Mutant(
            _parameters,
            "These are the parameters, 3 · D · K. Each of the T tokens is multiplied by them.",
        ),
        Mutant(
            _k_squared,
            "You count K² where T² belongs: every token meets every token, K numbers at a time.",
        ),
        Mutant(
            _shape_of_output,
            "That is the size of the output. There is one weight for each pair of tokens.",
        ),
        Mutant(
            _no_width,
            "T² is the number of scores. Each takes K multiplications: it is a dot product.",
        ),
        Mutant(
            _half,
            "You count each pair once. But i looks at j and j looks at i: two weights, and "
            "without a mask both are computed.",
        ),
        Mutant(_with_additions, "You count the additions too. Asked are the multiplications."),
        Mutant(_as_floats, "Counts are whole numbers: leave out the division, or use //."),
    ),
    alternates=(_by_shapes, _token_by_token),
)

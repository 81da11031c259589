"""Exercise 4: how many multiplications there are, and how many numbers to keep."""

from typing import Any

import numpy as np

from plainformer.exercises.spec import Case, Exercise


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
    weights, how many weights there are (numbers, not bytes).

    >>> count_work(3, 4, 2)
    (72, 36, 9)
    """
    before = 3 * length * d_model * width  # X times three matrices
    scores = length * width * length  # (T, K) times (K, T)
    output = length * length * width  # (T, T) times (T, K)
    return before, scores + output, length * length


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
    mutants={
        "X is multiplied by three matrices: for q, for "
        "k and for v.": "3 * length * d_model * width -> length * d_model * width",
        "The scores are half of it. Weights times values is "
        "a matrix product as well.": "scores + output -> scores",
        "Queries and keys are K numbers wide, not D: that is the length of each dot product.": (
            "length * width * length -> length * d_model * length; "
            "length * length * width -> length * length * d_model"
        ),
        "The matrices W have the shape (D, K), not (D, D): one head's width, not "
        "the model's.": "d_model * width -> d_model * d_model",
        "These are the parameters, 3 · D · K. Each of the T tokens is "
        "multiplied by them.": "3 * length * d_model -> 3 * d_model",
        "You count K² where T² belongs: every token is compared with every token, K numbers at "
        "a time.": (
            "length * width * length -> length * width * width; "
            "length * length * width -> length * width * width"
        ),
        "That is the size of the output. There is one weight for each "
        "pair of tokens.": "output, length * length -> output, length * width",
        "T² is the number of scores. Each takes K multiplications: it is a "
        "dot product.": "scores + output -> 2 * length * length",
        "You count each pair once. But i looks at j and j looks at i: two weights, and without "
        "a mask both are computed.": (
            "scores + output, length * length -> length * (length + 1) * width, length * (length "
            "+ 1) // 2"
        ),
        "You also count the additions. The task asks for the multiplications only.": (
            "return before, scores + output -> return 2 * before, 2 * (scores + output)"
        ),
        "Counts are whole numbers: leave out the division, or use //.": (
            "before, scores + output, length * length -> float(before), float(scores + output), "
            "float(length * length)"
        ),
    },
)


@EXERCISE.alternate
def _by_shapes(length: int, d_model: int, width: int) -> tuple[Any, Any, Any]:
    def product(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, tuple[int, int]]:
        return a[0] * a[1] * b[1], (a[0], b[1])

    before, q = product((length, d_model), (d_model, width))
    one, scores = product(q, q[::-1])
    two, _ = product(scores, q)
    return 3 * before, one + two, scores[0] * scores[1]


@EXERCISE.alternate
def _token_by_token(length: int, d_model: int, width: int) -> tuple[Any, Any, Any]:
    before = attending = weights = 0
    for _ in range(length):
        before += 3 * d_model * width
        attending += 2 * length * width
        weights += length
    return before, attending, weights

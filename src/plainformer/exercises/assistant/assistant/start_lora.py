"""Exercise 3: the two matrices of LoRA before the first step."""

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Array, Case, Exercise


def start_lora(
    weight: np.ndarray,
    draws: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Make the matrices A and B with which LoRA starts.

    Before the first step, W + BA must compute what W does, and yet the
    first step must be able to change B. So A is random and B is 0. A
    number of A is a draw divided by the square root of D_in, so that
    A x is about as large as the numbers of x.
    weight: W, (D_out, D_in). draws: (R, D_in), from a standard normal
    distribution.
    Returns A, (R, D_in), and B, (D_out, R).

    >>> a, b = start_lora(np.ones((3, 4)), np.array([[2.0, 0, -2, 4]]))
    >>> a.tolist(), b.tolist()
    ([[1.0, 0.0, -1.0, 2.0]], [[0.0], [0.0], [0.0]])
    """
    d_out, d_in = weight.shape
    rank = draws.shape[0]
    a = draws / np.sqrt(d_in)
    b = np.zeros((d_out, rank))
    return a, b


def _draw(rng: np.random.Generator) -> tuple[Array, Array]:
    d_out, d_in = (int(n) for n in rng.integers(3, 6, size=2))
    rank = int(rng.integers(1, 3))
    weight = rng.integers(-5, 6, size=(d_out, d_in)).astype(float)
    return weight, rng.integers(-8, 9, size=(rank, d_in)) / 4


EXERCISE = Exercise(
    id="assistant.assistant.3",
    title="Where LoRA starts",
    reference=start_lora,
    compare=Arrays(),
    cases=(
        Case(
            (np.ones((3, 4)), np.array([[2.0, 0, -2, 4]])),
            (np.array([[1.0, 0, -1, 2]]), np.zeros((3, 1))),
        ),
        Case(
            (np.ones((2, 1)), np.array([[3.0]])),
            (np.array([[3.0]]), np.zeros((2, 1))),
        ),
        Case(
            (np.ones((3, 9)), np.full((2, 9), 6.0)),
            (np.full((2, 9), 2.0), np.zeros((3, 2))),
        ),
    ),
    generate=_draw,
    hints=(
        "One of the two matrices is 0. Look at the docstring again to see which.",
        "The rank is the number of rows of the draws, and B has that many columns.",
    ),
    mutants={
        "Your LoRA starts away from zero: B A is not 0, so the model is damaged before the first "
        "step.": "np.zeros((d_out, rank)) -> np.ones((d_out, rank))",
        "Both matrices are 0. Then both gradients are 0 too, and nothing is ever learned.": (
            "draws / np.sqrt(d_in) -> draws * 0"
        ),
        "B has a row for each output and a column for each rank. Yours is transposed.": (
            "np.zeros((d_out, rank)) -> np.zeros((rank, d_out))"
        ),
        "You divide by D_in. It is its square root that keeps A x as large as x.": (
            "np.sqrt(d_in) -> d_in"
        ),
        "You divide by the root of the rank. A sums over the D_in numbers of x.": (
            "np.sqrt(d_in) -> np.sqrt(rank)"
        ),
        "Return A first, and then B.": "return a, b -> return b, a",
        "You return the draws as they are. Divide them by the square root of D_in.": (
            "draws / np.sqrt(d_in) -> draws * 1.0"
        ),
    },
    alternates=[
        "np.zeros((d_out, rank)) -> weight[:, :1] * np.zeros(rank)",
        lambda weight, draws: (
            draws * weight.shape[1] ** -0.5,
            np.zeros((len(weight), len(draws))),
        ),
    ],
)

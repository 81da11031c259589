"""Exercise 1: positions squeezed together."""

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Array, Case, Exercise


def squeezed_angles(
    length: int,
    omega: np.ndarray,
    trained: int,
) -> np.ndarray:
    """Compute the angles of RoPE, with positions squeezed if need be.

    The positions of a text are 0, 1, 2 and so on. If the text is longer
    than the trained length, divide them all by length / trained, so
    that none is above the trained length. Otherwise leave them alone.
    length: the number of tokens. omega: (P,), the angle of each pair at
    position 1. trained: the longest text of training.
    Returns the angles, (length, P).

    >>> squeezed_angles(4, np.array([1.0, 0.25]), 2).tolist()
    [[0.0, 0.0], [0.5, 0.125], [1.0, 0.25], [1.5, 0.375]]
    """
    factor = max(length / trained, 1)
    positions = np.arange(length) / factor
    return positions[:, None] * omega


def _draw(rng: np.random.Generator) -> tuple[int, Array, int]:
    length = int(rng.integers(2, 9))
    return length, rng.uniform(0.1, 1, size=3), int(rng.integers(2, 9))


EXERCISE = Exercise(
    id="assistant.long_context.1",
    title="Squeezed positions",
    reference=squeezed_angles,
    points=1,
    compare=Arrays(),
    cases=(
        Case((2, np.array([2.0]), 1), np.array([[0.0], [1.0]])),
        Case((3, np.array([1.0, 0.5]), 2), np.array([[0, 0], [2, 1], [4, 2]]) / 3),
        # A short text is left alone.
        Case((2, np.array([2.0]), 8), np.array([[0.0], [2.0]])),
    ),
    generate=_draw,
    hints=(
        "The factor is length / trained, or 1 if that is less.",
        "np.arange(length) has the positions; divide it by the factor.",
        "positions[:, None] * omega multiplies every position by every frequency.",
    ),
    mutants={
        "A text that is shorter than the trained length should keep its positions.": (
            "max(length / trained, 1) -> length / trained"
        ),
        "You stretch the positions. They should come closer together.": (
            "np.arange(length) / factor -> np.arange(length) * factor"
        ),
        "You do not squeeze anything: divide the positions by the factor.": (
            "np.arange(length) / factor -> np.arange(length) / 1"
        ),
        "The factor is upside down: it is length / trained.": (
            "max(length / trained, 1) -> max(trained / length, 1)"
        ),
        "Positions begin at 0.": "np.arange(length) / -> (np.arange(length) + 1) /",
    },
    alternates=[
        lambda length, omega, trained: np.outer(
            np.arange(length), omega * min(trained / length, 1)
        ),
    ],
)


@EXERCISE.alternate
def _by_the_frequencies(length: int, omega: Array, trained: int) -> Array:
    if length > trained:
        omega = omega * trained / length
    return np.stack([position * omega for position in range(length)])

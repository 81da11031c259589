"""Exercise 3: divide a lead among the parts that wrote it."""

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Array, Case, Exercise


def attribute_lead(
    parts: np.ndarray,
    gamma: np.ndarray,
    right: np.ndarray,
    wrong: np.ndarray,
) -> np.ndarray:
    """Compute what each part adds to the lead of one token.

    The stream is the sum of the parts. A norm divides the stream by its
    root mean square and multiplies it by gamma; the logit of a token is
    the dot product of the result with the token's row of the
    unembedding. The divisor is that of the whole stream, for all parts.
    parts: (P, D), what each part wrote. gamma: (D,). right, wrong:
    (D,), the rows of the two tokens.
    Returns a number for each part, (P,); their sum is the lead.

    >>> parts = np.array([[1.0, 1], [1, -3]])  # the stream is (2, -2)
    >>> one, x, y = np.ones(2), np.array([1.0, 0]), np.array([0.0, 1])
    >>> attribute_lead(parts, one, x, y).tolist()
    [0.0, 2.0]
    """
    stream = parts.sum(axis=0)
    rms = np.sqrt(np.mean(stream**2))
    direction = gamma * (right - wrong) / rms
    return parts @ direction


_Four = tuple[Array, Array, Array, Array]


def _draw(rng: np.random.Generator) -> _Four:
    parts = rng.integers(-4, 5, size=(4, 3)) / 2 + np.array([1.0, 2.0, -1.0])
    gamma = np.array([0.5, 2.0, 1.5]) * rng.choice([1.0, 2.0])
    right, wrong = rng.integers(-3, 4, size=(2, 3)) / 2 + np.array([[1.0], [-0.5]])
    return parts, gamma, right, wrong


def _given(*arrays: object) -> _Four:
    a, b, c, d = (np.array(each, dtype=float) for each in arrays)
    return a, b, c, d


EXERCISE = Exercise(
    id="assistant.circuits.3",
    title="Who wrote it",
    reference=attribute_lead,
    points=2,
    compare=Arrays(),
    cases=(
        # The stream is (2, -2), its root mean square 2.
        Case(_given([[1, 1], [1, -3]], [1, 1], [1, 0], [0, 1]), np.array([0.0, 2.0])),
        # The stream is (6, 8), its root mean square 50 ** 0.5.
        Case(_given([[6, 0], [0, 8]], [2, 1], [1, 1], [0, 3]), np.array([12.0, -16.0]) / 50**0.5),
        Case(_given([[3, 3], [0, 0]], [1, 4], [1, 1], [0, 0]), np.array([5.0, 0.0])),
    ),
    generate=_draw,
    hints=(
        "First add up the parts. The divisor is the root of the mean of the stream's squares.",
        "gamma * (right - wrong) / rms is one direction, (D,), for all parts.",
        "parts @ direction is one dot product for each part.",
    ),
    mutants={
        "You divide each part by its own root mean square. The norm divides the whole stream by "
        "one number.": (
            "rms = np.sqrt(np.mean(stream**2)) -> "
            "rms = 1; parts @ direction -> "
            "parts @ direction / np.sqrt(np.maximum((parts**2).mean(axis=1), 1e-9))"
        ),
        "You have left out gamma.": "gamma * (right - wrong) -> (right - wrong)",
        "You have left out the division by the root mean square.": ") / rms -> )",
        "That is the length of the stream. A root mean square divides by the number of entries.": (
            "np.mean(stream**2) -> np.sum(stream**2)"
        ),
        "You attribute one logit. A lead is a difference of two.": "(right - wrong) -> right",
        "Your sign is reversed: what helps the wrong token comes out positive.": (
            "(right - wrong) -> (wrong - right)"
        ),
        "You take the root mean square of all parts together. Add them up first.": (
            "np.mean(stream**2) -> np.mean(parts**2)"
        ),
        "You have forgotten the root.": "np.sqrt(np.mean(stream**2)) -> np.mean(stream**2)",
        "That is the whole lead. Return the share of each part.": (
            "return parts @ direction -> return stream @ direction"
        ),
    },
    alternates=[
        lambda parts, gamma, right, wrong: (
            np.array([np.sum(part * gamma * (right - wrong)) for part in parts])
            / np.linalg.norm(parts.sum(0))
            * len(gamma) ** 0.5
        ),
    ],
)


@EXERCISE.alternate
def _by_two_logits(parts: Array, gamma: Array, right: Array, wrong: Array) -> Array:
    normed = parts * gamma / np.sqrt((parts.sum(0) ** 2).mean())
    return normed @ right - normed @ wrong

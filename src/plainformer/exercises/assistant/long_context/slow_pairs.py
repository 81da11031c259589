"""Exercise 2: only the slow pairs are slowed down."""

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Array, Case, Exercise


def slow_pairs(
    omega: np.ndarray,
    trained: int,
    factor: float,
    few: float,
    many: float,
) -> np.ndarray:
    """Slow down the pairs that rotate rarely, and keep the fast ones.

    Count the full rotations of each pair within the trained length. A
    pair with at least `many` keeps its frequency, one with at most
    `few` gets its frequency divided by the factor. In between, the
    share that is kept grows evenly with the rotations, from 0 to 1; the
    new frequency is the mean of both with this share.
    omega: (P,), radians per position. trained: a number of positions.
    Returns the new frequencies, (P,).

    >>> omega = 2 * np.pi * np.array([0.5, 0.25, 0.01])
    >>> slower = slow_pairs(omega, 10, 4.0, 1.0, 4.0)  # 5, 2.5 and 0.1
    >>> (slower / omega).round(3).tolist()
    [1.0, 0.625, 0.25]
    """
    rotations = trained * omega / (2 * np.pi)
    keep = np.clip((rotations - few) / (many - few), 0, 1)
    return keep * omega + (1 - keep) * omega / factor


def _draw(rng: np.random.Generator) -> tuple[Array, int, float, float, float]:
    omega = 2 * np.pi * np.array([0.9, 0.3, 0.12, 0.05, 0.001]) * rng.uniform(0.9, 1.1, size=5)
    return omega, int(rng.integers(15, 25)), float(rng.uniform(2, 8)), 1.0, 4.0


EXERCISE = Exercise(
    id="assistant.long_context.2",
    title="Slow pairs",
    reference=slow_pairs,
    points=2,
    compare=Arrays(),
    cases=(
        Case((np.array([2 * np.pi]), 8, 2.0, 1.0, 4.0), np.array([2 * np.pi])),
        Case((np.array([np.pi / 8]), 8, 2.0, 1.0, 4.0), np.array([np.pi / 16])),
        Case((np.array([np.pi]), 5, 2.0, 1.0, 4.0), np.array([0.75 * np.pi])),
    ),
    generate=_draw,
    hints=(
        "A pair rotates by omega radians in each step, and a full rotation has 2π.",
        "The share that is kept is (rotations - few) / (many - few), limited to 0 to 1 with "
        "np.clip.",
        "The result is share * omega + (1 - share) * omega / factor.",
    ),
    mutants={
        "Your count of rotations is in radians. A full rotation has 2π of them.": (
            "trained * omega / (2 * np.pi) -> trained * omega"
        ),
        "You slow down the fast pairs and keep the slow ones.": (
            "keep * omega + (1 - keep) * omega / factor -> "
            "(1 - keep) * omega + keep * omega / factor"
        ),
        "You slow down every pair. The fast ones keep their frequency.": (
            "keep * omega + (1 - keep) * omega / factor -> omega / factor"
        ),
        "The share that is kept should be from 0 to 1.": (
            "np.clip((rotations - few) / (many - few), 0, 1) -> (rotations - few) / (many - few)"
        ),
        "Pairs in between should get a mixture, not one or the other.": (
            "np.clip((rotations - few) / (many - few), 0, 1) -> (rotations >= many) * 1.0"
        ),
        "You make the slow pairs faster: divide by the factor.": (
            "(1 - keep) * omega / factor -> (1 - keep) * omega * factor"
        ),
    },
    alternates=[
        lambda omega, trained, factor, few, many: (
            omega * np.interp(trained * omega / (2 * np.pi), [few, many], [1 / factor, 1])
        ),
    ],
)


@EXERCISE.alternate
def _pair_by_pair(omega: Array, trained: int, factor: float, few: float, many: float) -> Array:
    slower = []
    for each in omega:
        share = (trained * each / (2 * np.pi) - few) / (many - few)
        share = min(max(share, 0), 1)
        slower.append(share * each + (1 - share) * each / factor)
    return np.array(slower)

"""Exercise 2: the advantages of groups of answers."""

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Array, Case, Exercise


def advantages(rewards: np.ndarray) -> np.ndarray:
    """Compute how much better each answer is than its group.

    A row of the rewards is a group: the answers to one prompt. Subtract
    the mean of the group, and divide by its standard deviation plus
    0.0001, so that equal rewards give 0. For the standard deviation,
    divide by the number of answers minus 1, as torch does.
    rewards: (N, G), with G of at least 2.
    Returns the advantages, (N, G).

    >>> advantages(np.array([[3.0, 0, 0], [1, 1, 1]])).round(2).tolist()
    [[1.15, -0.58, -0.58], [0.0, 0.0, 0.0]]
    """
    mean = rewards.mean(axis=1, keepdims=True)
    std = rewards.std(axis=1, ddof=1, keepdims=True)
    return (rewards - mean) / (std + 0.0001)


def _draw(rng: np.random.Generator) -> tuple[Array]:
    n, g = (int(each) for each in rng.integers([2, 3], [4, 6]))
    rewards = rng.integers(0, 4, size=(n, g)).astype(float)
    rewards[0, :2] = 0, 2  # so that the groups differ, and one has a spread
    rewards[-1] += 5
    return (rewards,)


EXERCISE = Exercise(
    id="assistant.rewards.2",
    title="Advantages",
    reference=advantages,
    compare=Arrays(),
    cases=(
        Case(
            (np.array([[3.0, 0, 0], [1, 1, 1]]),),
            (np.array([[2.0, -1, -1], [0, 0, 0]]) / (np.array([[3**0.5], [1]]) + 0.0001)),
        ),
        Case(
            (np.array([[1.0, 0, 0, 0]]),),
            np.array([[0.75, -0.25, -0.25, -0.25]]) / (0.5 + 0.0001),
        ),
        Case(
            (np.array([[0.0, 2], [10, 12]]),),
            np.array([[-1.0, 1], [-1, 1]]) / (2**0.5 + 0.0001),
        ),
    ),
    generate=_draw,
    hints=(
        "A group is a row, so the mean and the deviation are along axis 1.",
        "With keepdims=True, a mean has the shape (N, 1), which fits (N, G).",
        "NumPy's std divides by G unless you pass ddof=1.",
    ),
    mutants={
        "You compare with the mean of all groups together. An easy prompt would then be praised "
        "for being easy.": "rewards.mean(axis=1, keepdims=True) -> rewards.mean()",
        "You take means over the prompts. The answers of a group are in a row.": (
            "mean(axis=1 -> mean(axis=0; std(axis=1 -> std(axis=0"
        ),
        "You do not subtract the mean, so even the worst answer is encouraged.": (
            "(rewards - mean) -> rewards"
        ),
        "You have left out the division by the standard deviation.": (
            "(rewards - mean) / (std + 0.0001) -> rewards - mean"
        ),
        "Your standard deviation divides by G. Here it divides by G - 1: pass ddof=1.": (
            "ddof=1 -> ddof=0"
        ),
        "You divide by the variance. The standard deviation is its square root.": (
            "std + 0.0001 -> std**2 + 0.0001"
        ),
        "Where all rewards are equal, you divide 0 by 0. Add the 0.0001.": (
            "std + 0.0001 -> np.where(std == 0, np.nan, std + 0.0001)"
        ),
        "Your signs are reversed: the best answer has the lowest advantage.": (
            "(rewards - mean) -> (mean - rewards)"
        ),
    },
    alternates=[
        lambda rewards: np.array(
            [(row - row.mean()) / (row.std(ddof=1) + 1e-4) for row in rewards]
        ),
    ],
)


@EXERCISE.alternate
def _by_sums(rewards: Array) -> Array:
    G = rewards.shape[1]
    centred = rewards - rewards.sum(1)[:, None] / G
    variance = (centred**2).sum(1, keepdims=True) / (G - 1)
    return centred / (np.sqrt(variance) + 1e-4)

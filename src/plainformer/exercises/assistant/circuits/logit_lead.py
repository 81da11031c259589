"""Exercise 1: how far one token is ahead of another."""

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Array, Case, Exercise


def logit_lead(
    logits: np.ndarray,
    right: np.ndarray,
    wrong: np.ndarray,
) -> np.ndarray:
    """Compute how far the right token is ahead of the wrong one.

    In each row of the logits, subtract the logit of the wrong token
    from that of the right one.
    logits: (B, V). right, wrong: (B,), ids from 0 to V - 1.
    Returns the leads, (B,).

    >>> logits = np.array([[3.0, 1.0, 0.0], [0.0, 2.0, 4.0]])
    >>> logit_lead(logits, np.array([0, 1]), np.array([1, 2])).tolist()
    [2.0, -2.0]
    """
    rows = np.arange(len(logits))
    return logits[rows, right] - logits[rows, wrong]


def _draw(rng: np.random.Generator) -> tuple[Array, Array, Array]:
    B, V = int(rng.integers(2, 5)), 6
    logits = rng.permuted(np.tile(np.arange(V) / 2, (B, 1)), axis=1) + rng.integers(-3, 4)
    pairs = np.array([rng.permutation(V)[:2] for _ in range(B)])
    return logits, pairs[:, 0], pairs[:, 1]


EXERCISE = Exercise(
    id="assistant.circuits.1",
    title="A lead",
    reference=logit_lead,
    compare=Arrays(),
    cases=(
        Case(
            (np.array([[3.0, 1, 0], [0, 2, 4]]), np.array([0, 1]), np.array([1, 2])),
            np.array([2.0, -2.0]),
        ),
        Case((np.array([[1.0, 5, 2, 2.5]]), np.array([2]), np.array([3])), np.array([-0.5])),
        # The right token need not be the likeliest one, nor the wrong one the second.
        Case(
            (np.array([[9.0, 1, 0], [9, 1, 0]]), np.array([1, 0]), np.array([2, 2])),
            np.array([1.0, 9.0]),
        ),
    ),
    generate=_draw,
    hints=(
        "logits[rows, right] takes one entry from each row, if rows is np.arange(B).",
        "Subtract the wrong token's logit; the result may be negative.",
    ),
    mutants={
        "Your lead has the wrong sign: it is positive where the right token is ahead.": (
            "logits[rows, right] - logits[rows, wrong] -> logits[rows, wrong] - logits[rows, right]"
        ),
        "You compare with the likeliest token. Compare with the one that is given as wrong.": (
            "logits[rows, wrong] -> logits.max(axis=1)"
        ),
        "You have left out the wrong token. One logit alone means little.": (
            " - logits[rows, wrong] -> "
        ),
        "You subtract the mean of all logits. Subtract that of the wrong token.": (
            "logits[rows, wrong] -> logits.mean(axis=1)"
        ),
        "logits[:, right] takes each of the tokens from every row. Take one from each.": (
            "logits[rows, right] - logits[rows, wrong] -> logits[:, right] - logits[:, wrong]"
        ),
        "You take the mean over the texts. Return one lead for each.": (
            "logits[rows, right] - logits[rows, wrong] -> "
            "(logits[rows, right] - logits[rows, wrong]).mean()"
        ),
    },
    alternates=[
        lambda logits, right, wrong: np.array(
            [row[a] - row[b] for row, a, b in zip(logits, right, wrong, strict=True)]
        ),
    ],
)


@EXERCISE.alternate
def _by_probabilities(logits: Array, right: Array, wrong: Array) -> Array:
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    both = np.take_along_axis(p, np.stack([right, wrong], axis=1), axis=1)
    return np.log(both[:, 0] / both[:, 1])

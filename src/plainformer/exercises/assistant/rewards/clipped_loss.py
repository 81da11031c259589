"""Exercise 3: the loss of GRPO, without its KL term."""

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Array, Case, Exercise


def clipped_loss(
    log_p: np.ndarray,
    old_log_p: np.ndarray,
    advantage: np.ndarray,
    mask: np.ndarray,
) -> float:
    """Compute the loss of GRPO, without a KL term.

    The ratio of a token is p / old p. A token gains the smaller one of
    ratio times advantage and clipped ratio times advantage, where the
    clipped ratio lies between 0.8 and 1.2. Take the mean over the
    tokens of each answer, then over the answers; the loss is minus
    the result.
    log_p, old_log_p: (B, T), log-probabilities now, and when the answer
    was sampled. advantage: (B,). mask: (B, T), boolean, True for the
    tokens of the answer, of which there are one or more in each row.
    Returns a number.

    >>> log_p = np.log([[0.5, 0.3]])
    >>> old, mask = np.log([[0.25, 0.3]]), np.array([[True, True]])
    >>> round(float(clipped_loss(log_p, old, np.array([1.0]), mask)), 4)
    -1.1
    """
    ratio = np.exp(log_p - old_log_p)
    clipped = np.clip(ratio, 0.8, 1.2)
    a = advantage[:, None]
    gain = np.minimum(ratio * a, clipped * a)
    tokens = mask.sum(axis=1)
    per_answer = (gain * mask).sum(axis=1) / tokens
    return -per_answer.mean()


_Four = tuple[Array, Array, Array, Array]


def _draw(rng: np.random.Generator) -> _Four:
    B, T = 2, 3
    old = -rng.integers(4, 12, size=(B, T)) / 4
    log_p = old + rng.choice([-0.5, -0.25, 0.0, 0.25, 0.5], size=(B, T))
    advantage = np.array([1.0, -1.5]) * rng.choice([1.0, 2.0])
    mask = np.array([[True, True, True], [True, bool(rng.random() < 0.3), False]])
    return log_p, old, advantage, mask


def _given(p: object, old: object, advantage: object, mask: object) -> _Four:
    return (
        np.log(np.array(p)),
        np.log(np.array(old)),
        np.array(advantage, dtype=float),
        np.array(mask, dtype=bool),
    )


EXERCISE = Exercise(
    id="assistant.rewards.3",
    title="The loss of GRPO",
    reference=clipped_loss,
    points=2,
    compare=Arrays(),
    cases=(
        # Ratios 2 and 1: a good token gains no more than 1.2.
        Case(_given([[0.5, 0.3]], [[0.25, 0.3]], [1], [[1, 1]]), -1.1),
        # Ratios 2 and 1/2 with advantage -1: the smaller ones are -2 and -0.8.
        Case(_given([[0.5, 0.25]], [[0.25, 0.5]], [-1], [[1, 1]]), 1.4),
        # Answers of two tokens and of one: (1 + 1) / 2 and -2 / 1, and then the mean.
        Case(
            _given([[0.5, 0.5], [0.5, 0.4]], [[0.5, 0.5], [0.5, 0.1]], [1, -2], [[1, 1], [1, 0]]),
            0.5,
        ),
    ),
    generate=_draw,
    hints=(
        "exp(log_p - old_log_p) is the ratio. advantage[:, None] has the shape (B, 1).",
        "np.minimum takes the smaller one of two arrays, entry by entry. With a negative "
        "advantage, the order of the two products is the other way round, which is intended.",
        "Multiply by the mask before you add, and divide by the number of True entries in the row.",
    ),
    mutants={
        "You take the larger one of the two products, so clipping no longer holds anything back.": (
            "np.minimum -> np.maximum"
        ),
        "You always use the clipped ratio. A bad token whose ratio has grown must still be pushed "
        "down with all its weight.": "np.minimum(ratio * a, clipped * a) -> clipped * a",
        "You never clip.": "np.minimum(ratio * a, clipped * a) -> ratio * a",
        "Your ratio is upside down: the old probability is in the denominator.": (
            "log_p - old_log_p -> old_log_p - log_p"
        ),
        "That is the difference of log-probabilities and not a ratio. Take exp of it.": (
            "np.exp(log_p - old_log_p) -> log_p - old_log_p"
        ),
        "You ignore the mask, so padding is trained as well.": (
            "(gain * mask).sum(axis=1) / tokens -> gain.mean(axis=1)"
        ),
        "You divide each answer by T. Divide by the number of its own tokens.": (
            "/ tokens -> / mask.shape[1]"
        ),
        "You take one mean over all tokens, in which a long answer counts for more than a short "
        "one. Take the mean of each answer first.": (
            "return -per_answer.mean() -> return -(gain * mask).sum() / mask.sum()"
        ),
        "A loss is minimised, so it must be minus the gain.": "-per_answer -> per_answer",
    },
    alternates=[
        lambda log_p, old_log_p, advantage, mask: (
            -np.mean(
                [
                    np.mean(
                        [
                            min(r * a, min(max(r, 0.8), 1.2) * a)
                            for r, seen in zip(np.exp(row - old), m, strict=True)
                            if seen
                        ]
                    )
                    for row, old, a, m in zip(log_p, old_log_p, advantage, mask, strict=True)
                ]
            )
        ),
    ],
)


@EXERCISE.alternate
def _by_sign(log_p: Array, old_log_p: Array, advantage: Array, mask: Array) -> float:
    ratio = np.exp(log_p) / np.exp(old_log_p)
    good = (advantage > 0)[:, None]
    held = np.where(good, np.minimum(ratio, 1.2), np.maximum(ratio, 0.8))
    gain = np.where(mask, held * advantage[:, None], 0)
    return float(-(gain.sum(1) / mask.sum(1)).mean())

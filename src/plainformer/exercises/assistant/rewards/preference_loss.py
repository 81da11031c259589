"""Exercise 4: the loss of DPO."""

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Array, Case, Exercise


def preference_loss(
    chosen: np.ndarray,
    rejected: np.ndarray,
    ref_chosen: np.ndarray,
    ref_rejected: np.ndarray,
    beta: float,
) -> float:
    """Compute the loss of DPO.

    A pair has a chosen and a rejected answer. The margin is beta times
    how much more the log-probability of the chosen answer has grown,
    since the reference, than that of the rejected one. The loss of a
    pair is -ln sigmoid(margin), where sigmoid(m) is 1 / (1 + exp(-m));
    return the mean.
    Each array: (B, T), the log-probabilities of the tokens of the
    answers. That of an answer is the sum over its tokens.
    Returns a number.

    >>> c, r = np.log([[0.5, 0.5]]), np.log([[0.5, 0.25]])
    >>> round(preference_loss(c, r, c, r, 0.1), 4)  # nothing has moved
    0.6931
    """
    up = (chosen - ref_chosen).sum(axis=1)
    down = (rejected - ref_rejected).sum(axis=1)
    margin = beta * (up - down)
    return float(np.log(1 + np.exp(-margin)).mean())


_Five = tuple[Array, Array, Array, Array, float]


def _draw(rng: np.random.Generator) -> _Five:
    B, T = 2, int(rng.integers(2, 4))
    four = [-rng.integers(1, 16, size=(B, T)) / 4 for _ in range(4)]
    return four[0], four[1], four[2], four[3], float(rng.choice([0.25, 0.5, 2.0]))


def _given(c: object, r: object, ref_c: object, ref_r: object, beta: float) -> _Five:
    a, b, d, e = (np.log(np.array(each)) for each in (c, r, ref_c, ref_r))
    return a, b, d, e, beta


EXERCISE = Exercise(
    id="assistant.rewards.4",
    title="The loss of DPO",
    reference=preference_loss,
    points=2,
    compare=Arrays(),
    cases=(
        Case(
            _given([[0.5, 0.5]], [[0.5, 0.25]], [[0.5, 0.5]], [[0.5, 0.25]], 0.1), float(np.log(2))
        ),
        # The chosen answer is three times as likely as before, the other as likely: σ(ln 3) = 3/4.
        Case(
            _given([[0.75, 0.5]], [[0.5, 0.5]], [[0.25, 0.5]], [[0.5, 0.5]], 1.0),
            float(np.log(4 / 3)),
        ),
        # A rejected answer that became three times as likely: σ(-ln 3) = 1/4; beta 2: 1/10.
        Case(_given([[0.5]], [[0.75]], [[0.5]], [[0.25]], 2.0), float(np.log(10))),
        # Both became 3 times as likely, in one of two pairs: nothing has changed between them.
        Case(
            _given([[0.75], [0.75]], [[0.75], [0.5]], [[0.25], [0.25]], [[0.25], [0.5]], 1.0),
            float((np.log(2) + np.log(4 / 3)) / 2),
        ),
    ),
    generate=_draw,
    hints=(
        "First compute, for each answer, by how much its log-probability has grown: (B,).",
        "-ln sigmoid(m) is ln(1 + exp(-m)).",
    ),
    mutants={
        "You have lost the reference: the loss then wants even what the model preferred from the "
        "start.": ("up = (chosen - ref_chosen).sum(axis=1) -> up = chosen.sum(axis=1)"),
        "Your margin lacks the rejected answer.": "(up - down) -> up",
        "You add what the two answers have gained. The loss compares them.": (
            "(up - down) -> (up + down)"
        ),
        "Chosen and rejected are exchanged, so the model learns to prefer the wrong answer.": (
            "(up - down) -> (down - up)"
        ),
        "You have forgotten beta.": "beta * (up - down) -> up - down",
        "You take the mean over the tokens. The log-probability of an answer is the sum.": (
            "ref_chosen).sum -> ref_chosen).mean; ref_rejected).sum -> ref_rejected).mean"
        ),
        "That is sigmoid(margin) and not minus its logarithm.": (
            "np.log(1 + np.exp(-margin)) -> 1 / (1 + np.exp(-margin))"
        ),
        "You return ln sigmoid(margin), which training would make smaller. A loss has a minus.": (
            "np.log(1 + np.exp(-margin)) -> -np.log(1 + np.exp(-margin))"
        ),
        "You add the losses of the pairs. Return their mean.": (
            "np.log(1 + np.exp(-margin)).mean() -> np.log(1 + np.exp(-margin)).sum()"
        ),
    },
    alternates=[
        lambda chosen, rejected, ref_chosen, ref_rejected, beta: float(
            np.mean(np.logaddexp(0, -beta * (chosen - rejected - ref_chosen + ref_rejected).sum(1)))
        ),
    ],
)


@EXERCISE.alternate
def _by_probabilities(
    chosen: Array, rejected: Array, ref_chosen: Array, ref_rejected: Array, beta: float
) -> float:
    odds = np.exp(chosen.sum(1) - rejected.sum(1)) / np.exp(ref_chosen.sum(1) - ref_rejected.sum(1))
    return float(-np.log(odds**beta / (1 + odds**beta)).mean())

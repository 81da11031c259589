"""Exercise 2: the loss of a conversation, which sees the answers only."""

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Array, Case, Exercise


def response_loss(
    log_p: np.ndarray,
    ids: np.ndarray,
    mask: np.ndarray,
) -> float:
    """Compute the mean loss over the tokens of the answers.

    A token is predicted one position earlier: row t of log_p says how
    likely each token of the vocabulary is as token t + 1. The loss of
    a token is minus the log-probability that it was given.
    log_p: (T, V). ids: (T,), the tokens. mask: (T,), boolean, True for
    the tokens that the assistant has to write; there are one or more,
    and the first token of all is never one of them.
    Returns a number.

    >>> log_p = np.log([[0.5, 0.5], [0.25, 0.75], [0.5, 0.5]])
    >>> mask = np.array([False, False, True])
    >>> round(float(response_loss(log_p, np.array([0, 1, 0]), mask)), 4)
    1.3863
    """
    targets = ids[1:]  # (T - 1,)
    counts = mask[1:]
    picked = log_p[np.arange(len(targets)), targets]
    return -picked[counts].mean()


_Three = tuple[Array, Array, Array]


def _draw(rng: np.random.Generator) -> _Three:
    T, V = (int(n) for n in rng.integers([4, 2], [7, 4]))
    log_p = -rng.integers(1, 40, size=(T, V)) / 8  # exact, and short to show
    start = int(rng.integers(1, T - 1))
    mask = np.arange(T) >= start
    mask[int(rng.integers(start + 1, T + 1)) :] = False
    return log_p, rng.integers(V, size=T), mask


def _given(p: object, ids: object, mask: object) -> _Three:
    return np.log(np.array(p)), np.array(ids), np.array(mask, dtype=bool)


_P = [[0.5, 0.5], [0.25, 0.75], [0.125, 0.875], [0.5, 0.5]]
_LN2 = float(np.log(2))

EXERCISE = Exercise(
    id="assistant.assistant.2",
    title="A loss that sees the answers",
    reference=response_loss,
    points=2,
    compare=Arrays(),
    cases=(
        # The last token, 0, has the probability 1/4 in row 1.
        Case(_given(_P[:3], [0, 1, 0], [0, 0, 1]), 2 * _LN2),
        # Tokens 2 and 3, 0 and 0: probabilities of 1/4 and 1/8 in rows 1 and 2.
        Case(_given(_P, [0, 1, 0, 0], [0, 0, 1, 1]), 2.5 * _LN2),
        # Token 1 only, with 1/2 in row 0, although two more follow.
        Case(_given(_P, [1, 0, 0, 0], [0, 1, 0, 0]), _LN2),
    ),
    generate=_draw,
    hints=(
        "Which row of log_p predicts the token ids[1]? And which row predicts none of them?",
        "The tokens from the second on are predicted by the rows 0 to T - 2. Whether one of them "
        "counts is said by its own entry of the mask.",
        "Select with a boolean array, such as values[chosen], and take the mean of what is left.",
    ),
    mutants={
        "You have lost the response mask: the question counts as well, so the model also learns "
        "to ask.": "picked[counts] -> picked",
        "Your mask is shifted by one. It must belong to the token that is predicted, and not to "
        "the one that is read.": "mask[1:] -> mask[:-1]",
        "You divide by all positions. The mean is over the tokens that count.": (
            "-picked[counts].mean() -> -picked[counts].sum() / len(picked)"
        ),
        "That is the sum over the tokens that count. The task asks for their mean.": (
            ".mean() -> .sum()"
        ),
        "Your mask is upside down: you count the question and leave the answer out.": (
            "counts = mask[1:] -> counts = ~mask[1:] | (mask[1:].all() & mask[1:])"
        ),
        "Each token is predicted by its own row. It must be the row before, because row t "
        "predicts token t + 1.": (
            "np.arange(len(targets)), targets -> np.arange(1, len(ids)), targets"
        ),
        "A loss is minus the log-probability.": "-picked -> picked",
        "You leave out the last token of the answer, which ends it, so the model never learns to "
        "stop.": lambda log_p, ids, mask: _without_the_end(log_p, ids, mask),
    },
    alternates=[
        lambda log_p, ids, mask: (
            -sum(log_p[t - 1, ids[t]] for t in range(1, len(ids)) if mask[t]) / mask.sum()
        ),
        lambda log_p, ids, mask: np.average(
            -np.take_along_axis(log_p[:-1], ids[1:, None], axis=1)[:, 0], weights=mask[1:]
        ),
    ],
)


def _without_the_end(log_p: Array, ids: Array, mask: Array) -> float:
    shorter = mask.copy()
    shorter[np.flatnonzero(mask)[-1]] = False
    return response_loss(log_p, ids, shorter if shorter.any() else np.ones_like(mask))

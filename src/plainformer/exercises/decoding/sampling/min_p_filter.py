"""Exercise 3: min-p on a batch of logits."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def min_p_filter(logits: np.ndarray, p: float) -> np.ndarray:
    """Keep the tokens not much less probable than the best.

    logits: (B, V), each row a separate distribution; -inf for a token
    that is impossible.
    p: above 0 and below 1. A token stays if its probability is
    at least p times the largest of its row.
    Returns (B, V): the logits that stay as they were, and -inf
    for the others.

    >>> z = np.log([[50.0, 30.0, 20.0], [90.0, 6.0, 4.0]])
    >>> np.exp(min_p_filter(z, 0.5)).round().tolist()
    [[50.0, 30.0, 0.0], [90.0, 0.0, 0.0]]
    """
    top = logits.max(axis=-1, keepdims=True)  # (B, 1)
    return np.where(logits >= top + np.log(p), logits, -np.inf)


INF = np.inf


def _softmax(logits: Array) -> Array:
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _draw(rng: np.random.Generator) -> tuple[Array, float]:
    B, V = int(rng.integers(1, 4)), int(rng.integers(2, 8))
    z = 2 * rng.normal(size=(B, V)) + rng.choice([-5.0, 0.0, 5.0], size=(B, 1))
    z[:, 1:][rng.random((B, V - 1)) < 0.15] = -INF
    return z, float(rng.choice([0.02, 0.1, 0.3, 0.6]))


def _logs(*rows: list[float]) -> Array:
    with np.errstate(divide="ignore"):
        return np.log(np.array(rows))


def _probabilities(logits: Array, p: float) -> Array:
    return _softmax(min_p_filter(logits, p))


EXERCISE = Exercise(
    id="decoding.sampling.3",
    title="Min-p",
    reference=min_p_filter,
    points=2,
    compare=Arrays(),
    cases=(
        Case((_logs([50, 30, 20]), 0.55), _logs([50, 30, 0])),
        Case((_logs([90, 6, 4]), 0.5), _logs([90, 0, 0])),
        Case((_logs([50, 30, 20], [90, 6, 4]), 0.3), _logs([50, 30, 20], [90, 0, 0])),
        Case((_logs([1, 1, 1, 1]), 0.9), _logs([1, 1, 1, 1])),
        Case((np.array([[-3.0, -1.0, -1.5]]), 0.5), np.array([[-INF, -1.0, -1.5]])),
        Case((_logs([40, 0, 20, 3]), 0.1), _logs([40, 0, 20, 0])),
        Case((_logs([2, 1, 1]), 0.5), _logs([2, 1, 1])),  # halves are exact: no rounding decides
    ),
    generate=_draw,
    hints=(
        "Each row has its own best token and so its own threshold. Which shape must the "
        "thresholds have to broadcast against (B, V)?",
        "Either take a softmax and compare with p times the largest of the row, or stay with the "
        "logits: a factor between probabilities is a difference between logits.",
        "max(axis=-1, keepdims=True) finds each row's best, as (B, 1). Add the logarithm of p "
        "to it: that is the threshold. np.where chooses between a logit and -inf.",
    ),
    mutants={
        "You return probabilities. The task asks for logits.": _probabilities,
        "You compare with p times the largest *logit*. Logits are logarithms: p times a "
        "probability is log p added to a logit. (See what yours does where logits are below "
        "0.)": "top + np.log(p) -> p * top",
        "You take one largest logit for the whole batch. Each row "
        "has its own.": "logits.max(axis=-1, keepdims=True) -> logits.max()",
        "You compare each probability with p itself. Compare with p times the largest of the "
        "row, or a flat row loses all its tokens.": lambda logits, p: np.where(
            _softmax(logits) >= p, logits, -INF
        ),
        "Removed tokens have the logit 0 in your answer. 0 is a logit like any other; "
        "impossible is -inf.": "-np.inf -> 0.0",
        "You have changed the logits that stay. Leave them as they are: the softmax that comes "
        "later redistributes the probability.": lambda logits, p: np.log(_probabilities(logits, p)),
        "Yours is upside down: it keeps the improbable tokens.": "logits >= top -> logits <= top",
        "You remove a token with exactly p times the best probability. It stays: *at least* p "
        "times.": "logits >= top -> logits > top",
        "You cut at 1 - p. A larger p keeps fewer tokens.": lambda logits, p: min_p_filter(
            logits, 1 - p
        ),
    },
)


@EXERCISE.mutant("That is top-p: you add up probabilities. Min-p looks at each one separately.")
def _nucleus(logits: Array, p: float) -> Array:
    probabilities = _softmax(logits)
    order = np.argsort(-probabilities, axis=-1, kind="stable")
    before = np.cumsum(np.take_along_axis(probabilities, order, -1), axis=-1)
    before -= np.take_along_axis(probabilities, order, -1)
    kept = np.empty_like(probabilities, dtype=bool)
    np.put_along_axis(kept, order, before < p, -1)
    return np.where(kept, logits, -INF)


@EXERCISE.alternate
def _by_probabilities(logits: Array, p: float) -> Array:
    probabilities = _softmax(logits)
    kept = probabilities >= p * probabilities.max(axis=-1, keepdims=True)
    return np.where(kept, logits, -INF)


@EXERCISE.alternate
def _with_loops(logits: Array, p: float) -> Array:
    kept = logits.astype(float)
    for row in kept:
        best = max(row)
        for i, z in enumerate(row):
            if np.exp(z - best) < p:
                row[i] = -INF
    return kept

"""Exercise 2: softmax, row by row, for scores of any size."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from math import inf, log

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Case, Exercise, Mutant


def row_weights(scores: np.ndarray) -> np.ndarray:
    """Turn each row of scores into weights: softmax.

    scores: (T, S), of any size: 1000 must not overflow. A score of
    -inf is allowed and gets the weight 0; every row has a finite one.
    Returns (T, S): no weight below 0, and each row sums to 1.

    >>> row_weights(np.log([[1.0, 3.0], [2.0, 2.0]])).round(6).tolist()
    [[0.25, 0.75], [0.5, 0.5]]
    >>> row_weights(np.array([[1000.0, 1000.0, -np.inf]])).tolist()
    [[0.5, 0.5, 0.0]]
    """
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def _row_by_row(scores: np.ndarray) -> np.ndarray:
    out = np.empty_like(scores)
    for i, row in enumerate(scores):
        e = np.exp(row - max(row))
        out[i] = e / sum(e)
    return out


def _by_differences(scores: np.ndarray) -> np.ndarray:
    out = np.zeros_like(scores)
    for i, row in enumerate(scores):
        for j in np.flatnonzero(np.isfinite(row)):
            with np.errstate(over="ignore"):
                out[i, j] = 1 / np.exp(row - row[j]).sum()
    return out


def _through_logarithms(scores: np.ndarray) -> np.ndarray:
    return np.exp(scores - np.logaddexp.reduce(scores, axis=1)[:, None])


def _naive(scores: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore", invalid="ignore"):
        e = np.exp(scores)
        return e / e.sum(axis=1, keepdims=True)


def _one_max_for_all(scores: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        e = np.exp(scores - scores.max())
        return e / e.sum(axis=1, keepdims=True)


def _all_sum_to_1(scores: np.ndarray) -> np.ndarray:
    e = np.exp(scores - scores.max())
    return e / e.sum()


def _one_sum_for_all(scores: np.ndarray) -> np.ndarray:
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum()


def _columns(scores: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        e = np.exp(scores - scores.max(axis=0))
        return e / e.sum(axis=0)


def _divided_by_the_max(scores: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        e = np.exp(scores / scores.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)


def _without_exp(scores: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return scores / scores.sum(axis=1, keepdims=True)


def _clipped(scores: np.ndarray) -> np.ndarray:
    e = np.exp(np.clip(scores, -700, 700))
    return e / e.sum(axis=1, keepdims=True)


def _not_divided(scores: np.ndarray) -> np.ndarray:
    return np.exp(scores - scores.max(axis=1, keepdims=True))


def _base_2(scores: np.ndarray) -> np.ndarray:
    e = 2 ** (scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def _hardest(scores: np.ndarray) -> np.ndarray:
    return np.eye(scores.shape[1])[scores.argmax(axis=1)]


def _draw(rng: np.random.Generator) -> tuple[np.ndarray]:
    T, S = int(rng.integers(1, 5)), int(rng.integers(1, 6))
    scores = rng.choice([1.0, 3.0]) * rng.normal(size=(T, S))
    scores += rng.choice([0.0, 0.0, 800.0, -900.0], size=(T, 1))
    hidden = rng.random((T, S)) < 0.2
    hidden[np.arange(T), rng.integers(S, size=T)] = False
    return (np.where(hidden, -inf, scores),)


EXERCISE = Exercise(
    id="attention.lookup.2",
    title="Weights that do not overflow",
    reference=row_weights,
    points=2,
    compare=Arrays(),
    cases=(
        Case((np.array([[0.0, log(3.0)]]),), np.array([[0.25, 0.75]])),
        Case(
            (np.array([[log(2.0), 0.0, 0.0], [0.0, log(6.0), 0.0]]),),
            np.array([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125]]),
        ),
        Case((np.array([[0.0, -inf], [1.0, 1.0]]),), np.array([[1.0, 0.0], [0.5, 0.5]])),
        Case((np.array([[1000.0, 1000.0]]),), np.array([[0.5, 0.5]])),
        Case((np.array([[-2000.0, -2000.0], [0.0, 0.0]]),), np.array([[0.5, 0.5], [0.5, 0.5]])),
        Case((np.array([[-5.0], [5.0]]),), np.array([[1.0], [1.0]])),
    ),
    generate=_draw,
    hints=(
        "exp of every score, then each row divided by its sum. Try that first, then look at what "
        "exp(1000) is.",
        "Adding the same number to all scores of a row does not change its weights. Which number "
        "makes the largest score 0, so that no exp is above 1?",
        "Each row has its own largest score and its own sum: axis=1. With keepdims=True the "
        "result keeps the shape (T, 1), and fits beside (T, S).",
    ),
    mutants=(
        Mutant(
            _naive,
            "Right for small scores. exp(1000) is infinite, and exp(-2000) is 0: then you divide ∞ "
            "by ∞, or 0 by 0. Take the largest score of each row off first.",
        ),
        Mutant(
            _one_max_for_all,
            "You take one maximum off the whole matrix. A row that lies far below it becomes all "
            "zeros, and 0 / 0 is NaN. Each row needs its own maximum.",
        ),
        Mutant(
            _all_sum_to_1,
            "All your weights together sum to 1. Each *row* should: it is a query by itself.",
        ),
        Mutant(
            _one_sum_for_all,
            "Each row's own maximum, well done; but then you divide by the sum of the whole "
            "matrix. Each row needs its own sum, too.",
        ),
        Mutant(
            _columns,
            "Your columns sum to 1, not your rows: the axis of the keys is axis 1.",
        ),
        Mutant(
            _divided_by_the_max,
            "You divide by the largest score. Take it off: a difference of scores is what decides "
            "the ratio of two weights, and division changes it.",
        ),
        Mutant(
            _without_exp,
            "You divide the scores by their sum, without exp. Scores may be negative; weights may "
            "not.",
        ),
        Mutant(
            _clipped,
            "You cut the scores off. Two scores beyond the cut become equal, and a score of -inf "
            "no longer means never.",
        ),
        Mutant(
            _not_divided,
            "Your largest weight is always 1. The last step is missing: divide each row by its "
            "sum.",
        ),
        Mutant(_base_2, "You take powers of 2. Softmax takes powers of e: np.exp."),
        Mutant(
            _hardest,
            "That is the hard choice: all weight to the best. Softmax gives some to every key "
            "whose score is finite.",
        ),
    ),
    alternates=(_row_by_row, _by_differences, _through_logarithms),
)

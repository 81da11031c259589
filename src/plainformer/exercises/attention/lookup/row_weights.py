"""Exercise 2: softmax, row by row, for scores of any size."""

from math import inf, log

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


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


def _draw(rng: np.random.Generator) -> tuple[Array]:
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
        "Take exp of every score, then divide each row by its sum. Try that first, then look "
        "at what exp(1000) is.",
        "Adding the same number to all scores of a row does not change its weights. Which number "
        "makes the largest score 0, so that no exp is above 1?",
        "Each row has its own largest score and its own sum: axis=1. With keepdims=True the "
        "result keeps the shape (T, 1), and broadcasts against (T, S).",
    ),
    mutants={
        "Right for small scores. exp(1000) is infinite, and exp(-2000) is 0: then you divide ∞ "
        "by ∞, or 0 by 0. Subtract the largest "
        "score of each row first.": "scores - scores.max(axis=1, keepdims=True) -> scores",
        "You subtract one maximum from the whole matrix. A row far below it becomes all zeros, "
        "and 0 / 0 is NaN. Each "
        "row needs its own maximum.": "scores.max(axis=1, keepdims=True) -> scores.max()",
        "All your weights together sum to 1. Each *row* should, because it belongs to one query.": (
            "scores.max(axis=1, keepdims=True) -> scores.max(); "
            "e.sum(axis=1, keepdims=True) -> e.sum()"
        ),
        "You use each row's own maximum, which is right, but then you divide by the sum of the "
        "whole matrix. Each row also needs its own sum.": "e.sum(axis=1, keepdims=True) -> e.sum()",
        "Your columns sum to 1, not your rows: the axis of the keys is axis 1.": (
            "scores.max(axis=1, keepdims=True) -> scores.max(axis=0); "
            "e.sum(axis=1, keepdims=True) -> e.sum(axis=0)"
        ),
        "You divide by the largest score. Subtract it instead: the ratio of two weights "
        "depends on the difference of their scores, which division changes.": (
            "scores - scores.max -> scores / scores.max"
        ),
        "You divide the scores by their sum, without exp. Scores may be negative; weights may "
        "not.": lambda scores: scores / scores.sum(axis=1, keepdims=True),
        "You clip the scores. Two scores beyond the limit become equal, and a score of -inf no "
        "longer gives a weight of 0.": (
            "scores - scores.max(axis=1, keepdims=True) -> np.clip(scores, -700, 700)"
        ),
        "Your largest weight is always 1. The last step is missing: divide each row by its "
        "sum.": lambda scores: np.exp(scores - scores.max(axis=1, keepdims=True)),
        "You take powers of 2. Softmax takes powers of e: np.exp.": (
            "np.exp(scores - scores.max(axis=1, keepdims=True)) -> 2 ** (scores - "
            "scores.max(axis=1, keepdims=True))"
        ),
        "That is the hard choice, which gives all the weight to the best key. Softmax gives "
        "some to every key whose score is finite.": lambda scores: np.eye(scores.shape[1])[
            scores.argmax(axis=1)
        ],
    },
    alternates=[
        lambda scores: np.exp(scores - np.logaddexp.reduce(scores, axis=1)[:, None]),
    ],
)


@EXERCISE.alternate
def _row_by_row(scores: Array) -> Array:
    out = np.empty_like(scores)
    for i, row in enumerate(scores):
        e = np.exp(row - max(row))
        out[i] = e / sum(e)
    return out


@EXERCISE.alternate
def _by_differences(scores: Array) -> Array:
    out = np.zeros_like(scores)
    for i, row in enumerate(scores):
        for j in np.flatnonzero(np.isfinite(row)):
            with np.errstate(over="ignore"):
                out[i, j] = 1 / np.exp(row - row[j]).sum()
    return out

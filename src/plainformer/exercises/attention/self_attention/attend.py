"""Exercise 2: attention, in NumPy, from scratch."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math
from collections.abc import Callable
from math import log
from typing import Any

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Case, Exercise, Mutant


def attend(
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
) -> np.ndarray:
    """Compute scaled dot-product attention: softmax(q kᵀ / √K) v.

    q: (T, K), k: (S, K), v: (S, Dv). S may differ from T, and Dv
    from K. Scores may be as large as 10,000: take care with exp.
    Returns the output, (T, Dv).

    >>> q = np.array([[2 * np.log(3)]])
    >>> k = np.array([[0.5], [0.0]])
    >>> attend(q, k, np.array([[8.0], [4.0]])).round(6).tolist()
    [[7.0]]
    """
    scores = q @ k.T / np.sqrt(q.shape[1])  # (T, S)
    top = scores.max(axis=1, keepdims=True)
    weights = np.exp(scores - top)  # none above 1
    weights /= weights.sum(axis=1, keepdims=True)
    return weights @ v


def _row_by_row(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    output = np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        scores = [float(np.dot(q[i], key)) / math.sqrt(len(key)) for key in k]
        e = [math.exp(score - max(scores)) for score in scores]
        for part, value in zip(e, v, strict=True):
            output[i] += part / sum(e) * value
    return output


def _with_einsum(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    scores = np.einsum("tk,sk->ts", q, k) * q.shape[-1] ** -0.5
    logs = scores - np.logaddexp.reduce(scores, axis=-1)[:, None]
    return np.einsum("ts,sd->td", np.exp(logs), v)


def _scaled_beforehand(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    scores = (k @ (q / np.sqrt(k.shape[-1])).T).T
    e = np.exp(scores - scores.max(axis=1)[:, None])
    return (e @ v) / e.sum(axis=1)[:, None]


def _soft(scores: np.ndarray, axis: Any = 1) -> np.ndarray:
    e = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def _attender(
    scale: Callable[[np.ndarray, np.ndarray, np.ndarray], float] = lambda q, k, v: (
        q.shape[1] ** -0.5
    ),
    weigh: Callable[[np.ndarray], np.ndarray] = _soft,
) -> Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]:
    """Attention with another scale, or with other weights."""

    def answer(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):  # some of them overflow
            return weigh(q @ k.T * scale(q, k, v)) @ v

    return answer


_no_scale = _attender(lambda q, k, v: 1.0)
_by_k_itself = _attender(lambda q, k, v: 1 / q.shape[1])
_times_the_root = _attender(lambda q, k, v: q.shape[1] ** 0.5)
_by_the_tokens = _attender(lambda q, k, v: k.shape[0] ** -0.5)
_by_the_queries = _attender(lambda q, k, v: q.shape[0] ** -0.5)
_by_the_values = _attender(lambda q, k, v: v.shape[1] ** -0.5)
_down_the_columns = _attender(weigh=lambda s: _soft(s, axis=0))
_all_together = _attender(weigh=lambda s: _soft(s, axis=None))
_no_softmax = _attender(weigh=lambda s: s)
_hard = _attender(weigh=lambda s: np.eye(s.shape[1])[s.argmax(axis=1)])


def _shared_without_exp(s: np.ndarray) -> np.ndarray:
    return s / s.sum(axis=1, keepdims=True)


def _exp_as_written(s: np.ndarray) -> np.ndarray:
    e = np.exp(s)
    return e / e.sum(axis=1, keepdims=True)


def _exp_unshared(s: np.ndarray) -> np.ndarray:
    return np.exp(s - s.max(axis=1, keepdims=True))


def _one_top_for_all(s: np.ndarray) -> np.ndarray:
    e = np.exp(s - s.max())
    return e / e.sum(axis=1, keepdims=True)


def _sums_lie_down(s: np.ndarray) -> np.ndarray:
    e = np.exp(s - s.max(axis=1, keepdims=True))
    return e / e.sum(axis=1)  # (T, S) / (T,)


def _both_lie_down(s: np.ndarray) -> np.ndarray:
    e = np.exp(s - s.max(axis=1))
    return e / e.sum(axis=1)


_divided_by_the_sum = _attender(weigh=_shared_without_exp)
_overflows = _attender(weigh=_exp_as_written)
_not_normalised = _attender(weigh=_exp_unshared)
_one_top = _attender(weigh=_one_top_for_all)
_flat_sums = _attender(weigh=_sums_lie_down)
_flat_tops_and_sums = _attender(weigh=_both_lie_down)


def _scale_after_softmax(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    return _soft(q @ k.T) / np.sqrt(q.shape[1]) @ v


def _weights_alone(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    return _soft(q @ k.T / np.sqrt(q.shape[1]))


def _of_the_keys(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    return _soft(q @ k.T / np.sqrt(q.shape[1])) @ k


def _keys_ask(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    return _soft(k @ q.T / np.sqrt(q.shape[1])) @ v


def _not_transposed(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    return _soft(q @ k / np.sqrt(q.shape[1])) @ v


def _draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    n_queries, n_keys = rng.integers(1, 4), rng.integers(2, 5)
    width, deep = rng.integers(2, 4), rng.integers(1, 3)
    size = rng.choice([1.0, 2.0, 2.0, 60.0])
    q, k = (size * rng.normal(size=(n, width)).round(1) for n in (n_queries, n_keys))
    return q, k, rng.integers(-9, 10, size=(n_keys, deep)) * 1.0


EXERCISE = Exercise(
    id="attention.self_attention.2",
    title="Attention from scratch",
    reference=attend,
    points=3,
    compare=Arrays(),
    cases=(
        # Scores log 3 and 0: the weights are as 3 to 1.
        Case(
            (np.array([[2 * log(3)]]), np.array([[0.5], [0.0]]), np.array([[8.0], [4.0]])),
            np.array([[7.0]]),
        ),
        # K = 4: the dot product 2 log 3 is halved. Two values wide, two queries.
        Case(
            (
                np.array([[2 * log(3), 0, 0, 0], [0.0, 0, 0, 0]]),
                np.array([[1.0, 0, 0, 0], [0, 1, 0, 0]]),
                np.array([[4.0, 0.0], [0.0, 8.0]]),
            ),
            np.array([[3.0, 2.0], [2.0, 4.0]]),
        ),
        # A query of zeros asks nothing: the mean of all values.
        Case(
            (np.zeros((1, 2)), np.array([[1.0, 2], [3, 4], [5, 6]]), np.array([[3.0], [6], [9]])),
            np.array([[6.0]]),
        ),
        # Far beyond what exp can take: the best key wins outright; equals share. The last query
        # asks nothing, and its scores of 0 lie far below the largest of the others.
        Case(
            (
                np.array([[100.0], [-100.0], [0.0]]),
                np.array([[100.0], [-100.0], [100.0]]),
                np.array([[1.0], [2.0], [6.0]]),
            ),
            np.array([[3.5], [2.0], [3.0]]),
        ),
        Case(
            (np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]), np.array([[5.0, 6.0, 7.0]])),
            np.array([[5.0, 6.0, 7.0]]),
        ),
    ),
    generate=_draw,
    hints=(
        "Four steps: a matrix product for the scores, (T, S); a division; a softmax along each "
        "row; a matrix product with v.",
        "The K in √K is the width of a key, a number that q.shape and k.shape both hold. Sums "
        "and largest values of the rows are taken along the last axis, with keepdims=True.",
        "exp(1000) is infinite. Take the largest score of each row off that row before exp: the "
        "weights stay the same, because numerator and denominator lose the same factor.",
    ),
    mutants=(
        Mutant(_no_scale, "The scale is missing: divide the scores by √K."),
        Mutant(_by_k_itself, "You divide by K. It is the root of K."),
        Mutant(_times_the_root, "You multiply by √K where you should divide by it."),
        Mutant(
            _by_the_tokens,
            "You divide by the root of S, the number of keys. K is how wide one key is: how many "
            "products are added up in one score.",
        ),
        Mutant(
            _by_the_queries,
            "You divide by the root of T, the number of queries. K is how wide one key is: how "
            "many products are added up in one score.",
        ),
        Mutant(
            _by_the_values,
            "You divide by the root of Dv, the width of a value. K is how wide one key is: how "
            "many products are added up in one score.",
        ),
        Mutant(
            _down_the_columns,
            "Your softmax goes down the columns. Each query shares out its own attention: each "
            "row must sum to 1.",
        ),
        Mutant(
            _all_together,
            "Your softmax takes the matrix as a whole, and its weights sum to 1 in all. They sum "
            "to 1 in each row.",
        ),
        Mutant(_no_softmax, "The softmax is missing: you mix the values by the bare scores."),
        Mutant(
            _hard,
            "You take the value of the best key alone. Attention mixes all values, each by its "
            "weight.",
        ),
        Mutant(
            _divided_by_the_sum,
            "You divide the scores by their sum. They may be negative, and may sum to 0: exp "
            "comes first.",
        ),
        Mutant(
            _overflows,
            "exp overflows for large scores, and ∞ / ∞ is no number. Take each row's largest "
            "score off that row first.",
        ),
        Mutant(
            _one_top,
            "You take one largest score, that of the whole matrix, off all rows. In a row far "
            "below it every exp is 0, and 0 / 0 is no number: take each row's own.",
        ),
        Mutant(
            _flat_sums,
            "Your sums have the shape (T,), so NumPy lays them along the columns. With "
            "keepdims=True they stay a column, (T, 1), and each row is divided by its own.",
        ),
        Mutant(
            _flat_tops_and_sums,
            "Your largest scores and your sums have the shape (T,), so NumPy lays them along the "
            "columns. With keepdims=True, both times, they stay a column, (T, 1).",
        ),
        Mutant(_not_normalised, "Each row of weights must be divided by its sum."),
        Mutant(
            _scale_after_softmax,
            "You scale the weights. The scores are scaled, before the softmax; weights sum to 1.",
        ),
        Mutant(_weights_alone, "These are the weights. The output is their product with v."),
        Mutant(_of_the_keys, "You mix the keys. Keys are for finding; what is mixed are values."),
        Mutant(
            _keys_ask,
            "Your scores are transposed: keys ask and queries answer. Row i belongs to query i.",
        ),
        Mutant(
            _not_transposed,
            "You multiply q by k, not by its transpose. Every row of q meets every row of k: "
            "(T, K) times (K, S).",
        ),
    ),
    alternates=(_row_by_row, _with_einsum, _scaled_beforehand),
)

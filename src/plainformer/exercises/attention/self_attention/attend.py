"""Exercise 2: attention, in NumPy, from scratch."""

import math
from math import log

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


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


def _draw(rng: np.random.Generator) -> tuple[Array, Array, Array]:
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
        # A query of zeros gives the mean of all values.
        Case(
            (np.zeros((1, 2)), np.array([[1.0, 2], [3, 4], [5, 6]]), np.array([[3.0], [6], [9]])),
            np.array([[6.0]]),
        ),
        # Far beyond what exp can represent: the best key gets everything, and equal ones share.
        # The last query is zero, and its scores of 0 are far below the largest of the others.
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
        "exp(1000) is infinite. Subtract the largest score of each row from that row before "
        "exp: the weights stay the same, because numerator and denominator are divided by the "
        "same factor.",
    ),
    mutants={
        "The scale is missing: divide the scores by √K.": "/ np.sqrt(q.shape[1]) -> ",
        "You divide by K. Divide by the root of K.": "np.sqrt(q.shape[1]) -> q.shape[1]",
        "You multiply by √K where you should "
        "divide by it.": "/ np.sqrt(q.shape[1]) -> * np.sqrt(q.shape[1])",
        "You divide by the root of S, the number of keys. K is the width of one key, the "
        "number of products that "
        "are added up in one score.": "np.sqrt(q.shape[1]) -> np.sqrt(len(k))",
        "You divide by the root of T, the number of queries. K is the width of one key, the "
        "number of products that "
        "are added up in one score.": "np.sqrt(q.shape[1]) -> np.sqrt(len(q))",
        "You divide by the root of Dv, the width of a value. K is the width of one key, the "
        "number of products that "
        "are added up in one score.": "np.sqrt(q.shape[1]) -> np.sqrt(v.shape[1])",
        "Your softmax goes down the columns. Each query distributes its own attention, so each "
        "row must sum to 1.": (
            "scores.max(axis=1, keepdims=True) -> scores.max(axis=0); "
            "weights.sum(axis=1, keepdims=True) -> weights.sum(axis=0)"
        ),
        "Your softmax takes the matrix as a whole, and its weights sum to 1 in all. They sum "
        "to 1 in each row.": (
            "scores.max(axis=1, keepdims=True) -> scores.max(); "
            "weights.sum(axis=1, keepdims=True) -> weights.sum()"
        ),
        "The softmax is missing: you weight the "
        "values by the raw scores.": "return weights -> return scores",
        "You take only the value of the best key. Attention averages all values, each with its "
        "weight.": "return weights -> return np.eye(len(k))[scores.argmax(axis=1)]",
        "You divide the scores by their sum. They may be negative, and may sum to 0: exp comes "
        "first.": "np.exp(scores - top) -> scores",
        "exp overflows for large scores, and ∞ / ∞ is NaN. Subtract each row's largest score "
        "from that row first.": "scores - top -> scores",
        "You subtract the largest score of the whole matrix from all rows. In a row far below "
        "it every exp is 0, and 0 / 0 is NaN: "
        "use each row's own maximum.": "scores.max(axis=1, keepdims=True) -> scores.max()",
        "Your sums have the shape (T,), so NumPy applies them along the columns. With "
        "keepdims=True they stay a column, (T, 1), and each row is divided by its own.": (
            "weights /= weights.sum(axis=1, keepdims=True) -> weights = weights / "
            "weights.sum(axis=1)"
        ),
        "Your largest scores and your sums have the shape (T,), so NumPy applies them along "
        "the columns. With keepdims=True, both times, they stay a column, (T, 1).": (
            "scores.max(axis=1, keepdims=True) -> scores.max(axis=1); "
            "weights /= weights.sum(axis=1, keepdims=True) -> weights = weights / "
            "weights.sum(axis=1)"
        ),
        "Each row of weights must be divided by its sum.": (
            "weights.sum(axis=1, keepdims=True) -> 1"
        ),
        "You scale the weights. The scores are scaled, before the softmax; weights sum to 1.": (
            "q @ k.T / np.sqrt(q.shape[1]) -> q @ k.T; "
            "weights @ v -> weights / np.sqrt(q.shape[1]) @ v"
        ),
        "These are the weights. The output is their product with v.": "weights @ v -> weights",
        "You average the keys. The keys are what queries are compared with; what is averaged "
        "are the values.": "weights @ v -> weights @ k",
        "Your scores are transposed: keys ask and queries answer. Row i "
        "belongs to query i.": "q @ k.T -> k @ q.T",
        "You multiply q by k and not by its transpose. Every row of q is multiplied with every "
        "row of k: (T, K) times (K, S).": "q @ k.T -> q @ k",
    },
)


@EXERCISE.alternate
def _row_by_row(q: Array, k: Array, v: Array) -> Array:
    output = np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        scores = [float(np.dot(q[i], key)) / math.sqrt(len(key)) for key in k]
        e = [math.exp(score - max(scores)) for score in scores]
        for part, value in zip(e, v, strict=True):
            output[i] += part / sum(e) * value
    return output


@EXERCISE.alternate
def _with_einsum(q: Array, k: Array, v: Array) -> Array:
    scores = np.einsum("tk,sk->ts", q, k) * q.shape[-1] ** -0.5
    logs = scores - np.logaddexp.reduce(scores, axis=-1)[:, None]
    return np.einsum("ts,sd->td", np.exp(logs), v)


@EXERCISE.alternate
def _scaled_beforehand(q: Array, k: Array, v: Array) -> Array:
    scores = (k @ (q / np.sqrt(k.shape[-1])).T).T
    e = np.exp(scores - scores.max(axis=1)[:, None])
    return (e @ v) / e.sum(axis=1)[:, None]

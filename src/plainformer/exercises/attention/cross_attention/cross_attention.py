"""Exercise 2: the tokens of one text attend to those of another."""

from math import log, sqrt

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def cross_attention(
    x_target: np.ndarray,
    x_source: np.ndarray,
    w_q: np.ndarray,
    w_k: np.ndarray,
    w_v: np.ndarray,
) -> np.ndarray:
    """Cross-attention: what every target token finds in the source.

    x_target: (T, D), x_source: (S, D): two texts, with one row for each
    token.
    w_q, w_k, w_v: (D, K).
    Returns (T, K).

    >>> x_target = np.array([[1.0, 0.0]])
    >>> x_source = np.array([[np.log(3), 8.0], [0.0, 4.0]])
    >>> w_q = w_k = np.array([[1.0], [0.0]])  # K = 1: the first
    >>> w_v = np.array([[0.0], [1.0]])  # the second
    >>> cross_attention(x_target, x_source, w_q, w_k, w_v).round(6)
    array([[7.]])
    """
    q = x_target @ w_q  # (T, K)
    k, v = x_source @ w_k, x_source @ w_v  # (S, K) each
    scores = q @ k.T / np.sqrt(k.shape[1])  # (T, S)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return weights @ v


def _softmax(scores: Array, axis: int | None = -1) -> Array:
    e = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def _draw(rng: np.random.Generator) -> tuple[Array, ...]:
    T, S = rng.integers(1, 4), rng.integers(2, 4)
    D, K = ((2, 1), (2, 2), (1, 2), (2, 3))[rng.integers(4)]
    x_target, x_source = (rng.integers(-3, 4, size=(rows, D)).astype(float) for rows in (T, S))
    w_q, w_k, w_v = (rng.integers(-1, 3, size=(D, K)).astype(float) for _ in range(3))
    return x_target, x_source, w_q, w_k, w_v


_FIRST, _SECOND = np.array([[1.0], [0.0]]), np.array([[0.0], [1.0]])

_SOURCE = np.array([[log(3), 8.0], [0.0, 4.0]])
_TWICE = np.array([[1.0, 1.0]])  # D = 1, K = 2

EXERCISE = Exercise(
    id="attention.cross_attention.2",
    title="Ask the other text",
    reference=cross_attention,
    points=3,
    compare=Arrays(),
    cases=(
        # Scores log 3 and 0: weights 3 to 1.
        Case((np.array([[1.0, 0.0]]), _SOURCE, _FIRST, _FIRST, _SECOND), np.array([[7.0]])),
        # Three target tokens and two source tokens; the second target token's query is zero.
        Case(
            (np.array([[1.0, 9.0], [0.0, 9.0], [-1.0, 9.0]]), _SOURCE, _FIRST, _FIRST, _SECOND),
            np.array([[7.0], [6.0], [5.0]]),
        ),
        # One source token: every target token gets its value, 2 · 3.
        Case(
            (
                np.array([[1.0], [5.0]]),
                np.array([[2.0]]),
                np.array([[1.0]]),
                np.array([[1.0]]),
                np.array([[3.0]]),
            ),
            np.array([[6.0], [6.0]]),
        ),
        # K = 2: the scores are 2 · log(3)/√2 · 1/√2 = log 3, and 0.
        Case(
            (
                np.array([[log(3) / sqrt(2)]]),
                np.array([[1.0], [0.0]]),
                _TWICE,
                _TWICE,
                np.array([[8.0, 4.0]]),
            ),
            np.array([[6.0, 3.0]]),
        ),
    ),
    generate=_draw,
    hints=(
        "Who wants to know something, and who knows it? The result has one row for each token of "
        "the text that asks.",
        "Queries are made from x_target. Keys and values are made from x_source, because a key "
        "and the value that it leads to belong to the same token.",
        "The scores are (T, S). Each row belongs to one target token, and its softmax runs over "
        "the S source tokens. The width under the root is that of a query, K.",
    ),
    mutants={
        "You let the source ask the target. Your result has a row for each source token; the "
        "target is what is being written, and needs a row for each of its own.": (
            "x_target @ w_q -> x_source @ w_q; "
            "x_source @ w_k, x_source @ w_v -> x_target @ w_k, x_target @ w_v"
        ),
        "Your values come from the target, so nothing from the source is passed on. The values "
        "have to come from the source.": "x_source @ w_v -> x_target @ w_v",
        "Your keys come from the target. A key is what its value is found by, so both belong "
        "to the source.": "x_source @ w_k -> x_target @ w_k",
        "That is self-attention of the target: the "
        "source is never used.": "x_source @ w_k, x_source @ w_v -> x_target @ w_k, x_target @ w_v",
        "That is self-attention of the source: the target "
        "does not ask.": "x_target @ w_q -> x_source @ w_q",
        "Your weights sum to 1 over the target tokens. Each target token distributes a total "
        "weight of 1, so sum over the source.": (
            "scores.max(axis=1, keepdims=True) -> scores.max(axis=0); "
            "weights.sum(axis=1, keepdims=True) -> weights.sum(axis=0)"
        ),
        "Your sums have the shape (T,), and a (T, S) array cannot be divided by them row by "
        "row. keepdims=True makes them (T, 1).": (
            "scores - scores.max(axis=1, keepdims=True) -> scores; "
            "weights /= weights.sum(axis=1, keepdims=True) -> weights = weights / "
            "weights.sum(axis=1)"
        ),
        "All your weights together sum to 1. Each row has to sum to 1 by itself, because it is "
        "one target token's attention.": (
            "scores.max(axis=1, keepdims=True) -> scores.max(); "
            "weights.sum(axis=1, keepdims=True) -> weights.sum()"
        ),
        "Your scores are (S, T), with a row for each source token. The target asks, so there "
        "should be a row for each of its tokens.": "q @ k.T -> k @ q.T",
        "You weigh with the scores themselves: where is the softmax?": "weights @ v -> scores @ v",
        "The scores are not scaled: divide them by √K.": "/ np.sqrt(k.shape[1]) -> ",
        "You divide by K. Divide by its square root, √K.": "np.sqrt(k.shape[1]) -> k.shape[1]",
        "You divide by √D. A score is a sum of K "
        "products, so divide by √K.": "np.sqrt(k.shape[1]) -> np.sqrt(len(w_q))",
        "You divide by the root of the number of source tokens. What counts is the width of a "
        "query and of a key: √K.": "np.sqrt(k.shape[1]) -> np.sqrt(len(k))",
        "Your weights are right, but they weigh the source's tokens themselves. What is handed "
        "over is made with w_v.": "weights @ v -> weights @ x_source",
        "w_k and w_v have changed places.": (
            "x_source @ w_k, x_source @ w_v -> x_source @ w_v, x_source @ w_k"
        ),
        "The shape is right, but you multiply the source by w_q and the target by w_k. The "
        "target asks, so w_q belongs to it. (Or did you let the source ask and transpose the "
        "scores afterwards?)": "x_target @ w_q -> x_target @ w_k; x_source @ w_k -> x_source @ w_q",
    },
)


@EXERCISE.alternate
def _token_by_token(x_target: Array, x_source: Array, w_q: Array, w_k: Array, w_v: Array) -> Array:
    rows = []
    for token in x_target:
        scores = np.array([(token @ w_q) @ (other @ w_k) for other in x_source])
        weights = _softmax(scores / sqrt(w_k.shape[1]))
        rows.append(sum(w * (other @ w_v) for w, other in zip(weights, x_source, strict=True)))
    return np.stack(rows)


@EXERCISE.alternate
def _with_one_matrix(x_target: Array, x_source: Array, w_q: Array, w_k: Array, w_v: Array) -> Array:
    scores = x_target @ (w_q @ w_k.T) @ x_source.T
    return _softmax(scores / sqrt(w_q.shape[1])) @ x_source @ w_v

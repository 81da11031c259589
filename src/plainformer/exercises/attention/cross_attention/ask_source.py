"""Exercise 2: one text asks another."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from collections.abc import Callable
from math import log, sqrt

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Case, Exercise, Mutant


def ask_source(
    x_target: np.ndarray,
    x_source: np.ndarray,
    w_q: np.ndarray,
    w_k: np.ndarray,
    w_v: np.ndarray,
) -> np.ndarray:
    """Cross-attention: what every target token finds in the source.

    x_target: (T, D), x_source: (S, D): two texts, one row a token.
    w_q, w_k, w_v: (D, K).
    Returns (T, K).

    >>> x_target = np.array([[1.0, 0.0]])
    >>> x_source = np.array([[np.log(3), 8.0], [0.0, 4.0]])
    >>> w_q = w_k = np.array([[1.0], [0.0]])  # K = 1: the first
    >>> w_v = np.array([[0.0], [1.0]])  # the second
    >>> ask_source(x_target, x_source, w_q, w_k, w_v).round(6)
    array([[7.]])
    """
    q = x_target @ w_q  # (T, K)
    k, v = x_source @ w_k, x_source @ w_v  # (S, K) each
    scores = q @ k.T / np.sqrt(k.shape[1])  # (T, S)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return weights @ v


Five = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def _softmax(scores: np.ndarray, axis: int | None = -1) -> np.ndarray:
    e = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def _token_by_token(
    x_target: np.ndarray, x_source: np.ndarray, w_q: np.ndarray, w_k: np.ndarray, w_v: np.ndarray
) -> np.ndarray:
    rows = []
    for token in x_target:
        scores = np.array([(token @ w_q) @ (other @ w_k) for other in x_source])
        weights = _softmax(scores / sqrt(w_k.shape[1]))
        rows.append(sum(w * (other @ w_v) for w, other in zip(weights, x_source, strict=True)))
    return np.stack(rows)


def _with_one_matrix(
    x_target: np.ndarray, x_source: np.ndarray, w_q: np.ndarray, w_k: np.ndarray, w_v: np.ndarray
) -> np.ndarray:
    scores = x_target @ (w_q @ w_k.T) @ x_source.T
    return _softmax(scores / sqrt(w_q.shape[1])) @ x_source @ w_v


def _asker(
    query: int = 0,
    key: int = 1,
    value: int = 1,
    scale: Callable[[int, int, int], float] = lambda D, K, S: 1 / sqrt(K),
    axis: int | None = 1,
    order: tuple[int, int, int] = (0, 1, 2),
) -> Callable[..., np.ndarray]:
    """The same with other sources (0: the target, 1: the source), another scale or softmax."""

    def ask(
        x_target: np.ndarray,
        x_source: np.ndarray,
        w_q: np.ndarray,
        w_k: np.ndarray,
        w_v: np.ndarray,
    ) -> np.ndarray:
        texts, matrices = (x_target, x_source), (w_q, w_k, w_v)
        q, k, v = (
            texts[text] @ matrices[which]
            for text, which in zip((query, key, value), order, strict=True)
        )
        scores = q @ k.T * scale(len(w_q), q.shape[1], len(k))
        return _softmax(scores, axis) @ v

    return ask


_other_way_round = _asker(1, 0, 0)
_values_of_the_target = _asker(value=0)
_keys_of_the_target = _asker(key=0)
_target_alone = _asker(0, 0, 0)
_source_alone = _asker(1, 1, 1)
_over_the_targets = _asker(axis=0)
_over_all = _asker(axis=None)
_not_scaled = _asker(scale=lambda D, K, S: 1.0)
_without_the_root = _asker(scale=lambda D, K, S: 1 / K)
_by_the_width_of_a_token = _asker(scale=lambda D, K, S: 1 / sqrt(D))
_by_the_length_of_the_source = _asker(scale=lambda D, K, S: 1 / sqrt(S))
_matrices_swapped = _asker(order=(0, 2, 1))
_keys_and_queries_swapped = _asker(order=(1, 0, 2))


def _axis_lost(
    x_target: np.ndarray, x_source: np.ndarray, w_q: np.ndarray, w_k: np.ndarray, w_v: np.ndarray
) -> np.ndarray:
    e = np.exp((x_target @ w_q) @ (x_source @ w_k).T / sqrt(w_k.shape[1]))
    return e / e.sum(axis=1) @ (x_source @ w_v)


def _scores_on_their_side(
    x_target: np.ndarray, x_source: np.ndarray, w_q: np.ndarray, w_k: np.ndarray, w_v: np.ndarray
) -> np.ndarray:
    scores = (x_source @ w_k) @ (x_target @ w_q).T / sqrt(w_k.shape[1])
    return _softmax(scores) @ (x_source @ w_v)


def _no_softmax(
    x_target: np.ndarray, x_source: np.ndarray, w_q: np.ndarray, w_k: np.ndarray, w_v: np.ndarray
) -> np.ndarray:
    return (x_target @ w_q) @ (x_source @ w_k).T / sqrt(w_k.shape[1]) @ (x_source @ w_v)


def _tokens_themselves(
    x_target: np.ndarray, x_source: np.ndarray, w_q: np.ndarray, w_k: np.ndarray, w_v: np.ndarray
) -> np.ndarray:
    return _softmax((x_target @ w_q) @ (x_source @ w_k).T / sqrt(w_k.shape[1])) @ x_source


def _draw(rng: np.random.Generator) -> Five:
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
    reference=ask_source,
    points=3,
    compare=Arrays(),
    cases=(
        # Scores log 3 and 0: weights 3 to 1.
        Case((np.array([[1.0, 0.0]]), _SOURCE, _FIRST, _FIRST, _SECOND), np.array([[7.0]])),
        # Three target tokens, two of the source; the second asks nothing.
        Case(
            (
                np.array([[1.0, 9.0], [0.0, 9.0], [-1.0, 9.0]]),
                _SOURCE,
                _FIRST,
                _FIRST,
                _SECOND,
            ),
            np.array([[7.0], [6.0], [5.0]]),
        ),
        # One source token: everybody gets its value, 2 · 3.
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
        "Queries are made from x_target. Keys and values are made from x_source: what is weighed "
        "and what is handed over belong to the same tokens.",
        "The scores are (T, S). Each row belongs to one target token, and its softmax runs over "
        "the S source tokens. The width under the root is that of a query, K.",
    ),
    mutants=(
        Mutant(
            _other_way_round,
            "You let the source ask the target. Your result has a row for each source token; the "
            "target is what is being written, and needs a row for each of its own.",
        ),
        Mutant(
            _values_of_the_target,
            "Your values come from the target. Then nothing of the source is handed over: the "
            "source is where the values are.",
        ),
        Mutant(
            _keys_of_the_target,
            "Your keys come from the target. A key is the sign on the door of a value, so both "
            "belong to the source.",
        ),
        Mutant(_target_alone, "That is self-attention of the target: nobody asks the source."),
        Mutant(_source_alone, "That is self-attention of the source: the target does not ask."),
        Mutant(
            _over_the_targets,
            "Your weights sum to 1 over the target tokens. Each target token has one whole "
            "attention to give: sum over the source.",
        ),
        Mutant(
            _axis_lost,
            "Your sums have the shape (T,), and a (T, S) array cannot be divided by them row by "
            "row. keepdims=True makes them (T, 1).",
        ),
        Mutant(
            _over_all,
            "All your weights together sum to 1. Each row must: it is one target token's own "
            "attention.",
        ),
        Mutant(
            _scores_on_their_side,
            "Your scores are (S, T), with a row for each source token. It is the target that "
            "asks: a row for each of its tokens.",
        ),
        Mutant(_no_softmax, "You weigh with the scores themselves: where is the softmax?"),
        Mutant(_not_scaled, "The scores are not scaled: divide them by √K."),
        Mutant(_without_the_root, "You divide by K. It is its square root, √K."),
        Mutant(
            _by_the_width_of_a_token,
            "You divide by √D. A score is a sum of K products, so it is √K.",
        ),
        Mutant(
            _by_the_length_of_the_source,
            "You divide by the root of the number of source tokens. It is the width of a query "
            "and of a key that counts: √K.",
        ),
        Mutant(
            _tokens_themselves,
            "Your weights are right, but they weigh the source's tokens themselves. What is handed "
            "over is made with w_v.",
        ),
        Mutant(_matrices_swapped, "w_k and w_v have changed places."),
        Mutant(
            _keys_and_queries_swapped,
            "The shape is right, but w_q has met the source and w_k the target. It is the target "
            "that asks, so w_q belongs to it. (Or did you let the source ask, and turn the scores "
            "round afterwards?)",
        ),
    ),
    alternates=(_token_by_token, _with_one_matrix),
)

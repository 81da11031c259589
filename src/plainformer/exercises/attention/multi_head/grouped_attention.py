"""Exercise 4: grouped-query attention, where heads share keys and values."""

from math import log, sqrt

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def grouped_attention(
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
) -> np.ndarray:
    """Attend in H heads of queries that share G heads of keys.

    q: (H, T, K); k and v: (G, S, K). G divides H. The first H / G
    heads of queries use the first head of keys and values, the next
    H / G the second, and so on.
    Returns (H, T, K), the output of every head of queries.

    >>> q = np.array([[[1.0]], [[0.0]], [[0.0]], [[1.0]]])  # H = 4
    >>> k = np.array([[[np.log(3)], [0.0]], [[0.0], [np.log(3)]]])
    >>> v = np.array([[[8.0], [4.0]], [[100.0], [200.0]]])
    >>> grouped_attention(q, k, v).round(6).tolist()
    [[[7.0]], [[6.0]], [[150.0]], [[175.0]]]
    """
    share = len(q) // len(k)  # how many heads share one
    k = np.repeat(k, share, axis=0)  # (H, S, K)
    v = np.repeat(v, share, axis=0)  # (H, S, K)
    scores = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1])  # (H, T, S)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights @ v


def _softmax(scores: Array, axis: int | tuple[int, ...] = -1) -> Array:
    e = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def _draw(rng: np.random.Generator) -> tuple[Array, Array, Array]:
    heads, groups = ((4, 2), (6, 2), (6, 3), (2, 1), (2, 2), (4, 2))[rng.integers(6)]
    K = int(rng.integers(1, 3)) if heads < 6 else 1
    T, S = (int(rng.integers(1, 3)) if K == 1 else 1), 2
    q = rng.integers(-2, 3, size=(heads, T, K)).astype(float)
    k = rng.integers(-2, 3, size=(groups, S, K)).astype(float)
    return q, k, rng.integers(-9, 10, size=(groups, S, K)).astype(float)


_Q = np.array([[[1.0]], [[0.0]], [[0.0]], [[1.0]]])
_K = np.array([[[log(3)], [0.0]], [[0.0], [log(3)]]])
_V = np.array([[[8.0], [4.0]], [[100.0], [200.0]]])

EXERCISE = Exercise(
    id="attention.multi_head.4",
    title="Shared keys",
    reference=grouped_attention,
    points=3,
    compare=Arrays(),
    cases=(
        # One head of keys for two heads of queries (multi-query): 3 to 1, and the plain mean.
        Case((_Q[:2], _K[:1], _V[:1]), np.array([[[7.0]], [[6.0]]])),
        # Four heads, two of keys: heads 0 and 1 share, heads 2 and 3 share.
        Case((_Q, _K, _V), np.array([[[7.0]], [[6.0]], [[150.0]], [[175.0]]])),
        # As many heads of keys as of queries: every head has its own.
        Case((_Q[::3], _K, _V), np.array([[[7.0]], [[175.0]]])),
        # Two queries, K = 2: √2 · log 3 / √2 is log 3.
        Case(
            (
                np.array([[[sqrt(2), 0.0], [0.0, 0.0]], [[0.0, sqrt(2)], [0.0, 0.0]]]),
                np.array([[[log(3), 0.0], [0.0, log(4)]]]),
                np.array([[[8.0, 0.0], [4.0, 10.0]]]),
            ),
            np.array([[[7.0, 2.5], [6.0, 5.0]], [[4.8, 8.0], [6.0, 5.0]]]),
        ),
    ),
    generate=_draw,
    hints=(
        "Which head of keys serves head h? With H = 4 and G = 2, write the answers for h = 0, 1, 2 "
        "and 3 in a row, then find the formula.",
        "Adjacent heads share: 0, 0, 1, 1. So it is an integer division by the number of heads "
        "that share.",
        "Or repeat the keys and values until there are as many as queries: np.repeat gives 0, "
        "0, 1, 1, whereas np.tile gives 0, 1, 0, 1. Each head then computes ordinary attention.",
    ),
    mutants={
        "You assign the keys in turn: 0, 1, 0, 1. Adjacent heads share: 0, 0, 1, 1. (np.tile "
        "and h % G give the first, np.repeat and integer division the second.)": (
            "np.repeat(k, share, axis=0) -> np.tile(k, (share, 1, 1)); "
            "np.repeat(v, share, axis=0) -> np.tile(v, (share, 1, 1))"
        ),
        "Your values are the right ones, but your keys are assigned in turn. Both come from "
        "the same head.": "np.repeat(k, share, axis=0) -> np.tile(k, (share, 1, 1))",
        "Your keys are the right ones, but your values are assigned in turn. Both come from "
        "the same head.": "np.repeat(v, share, axis=0) -> np.tile(v, (share, 1, 1))",
        "All your heads use the first head of the keys and values. That is right only if there is "
        "no other (multi-query attention, G = 1).": (
            "np.repeat(k, share, axis=0) -> np.repeat(k[:1], len(q), axis=0); "
            "np.repeat(v, share, axis=0) -> np.repeat(v[:1], len(q), axis=0)"
        ),
        "Your groups are in reverse order: the first heads share the first head "
        "of the keys.": lambda q, k, v: grouped_attention(q, k[::-1], v[::-1]),
        "You divide h by G. A group has H / G heads, so divide by that: with H = 6 and G = 2, "
        "three heads share.": (
            "np.repeat(k, share, axis=0) -> k[np.minimum(np.arange(len(q)) // len(k), len(k) - "
            "1)]; "
            "np.repeat(v, share, axis=0) -> v[np.minimum(np.arange(len(q)) // len(v), len(v) - 1)]"
        ),
        "You use the mean of all heads of keys and values. Each group "
        "has its own.": lambda q, k, v: grouped_attention(
            q, k.mean(axis=0, keepdims=True), v.mean(axis=0, keepdims=True)
        ),
        "You return one output for each group. Heads that share keys have different queries, "
        "and each has its own output: (H, T, K).": (
            "weights @ v -> (weights @ v).reshape(-1, share, *q.shape[1:]).mean(axis=1)"
        ),
        "The scores are not scaled: divide them by √K.": "/ np.sqrt(q.shape[-1]) -> ",
        "Sharing does not affect the score, which is a sum of K "
        "products. Divide by √K alone.": "np.sqrt(q.shape[-1]) -> np.sqrt(q.shape[-1] * share)",
        "Your weights sum to 1 over the queries. Each query's weights sum to 1 over the keys.": (
            "scores.max(axis=-1, keepdims=True) -> scores.max(axis=1, keepdims=True); "
            "weights.sum(axis=-1, keepdims=True) -> weights.sum(axis=1, keepdims=True)"
        ),
        "Your weights sum to 1 over the whole matrix. Each row should sum to 1 by itself.": (
            "scores.max(axis=-1, keepdims=True) -> scores.max(axis=(1, 2), keepdims=True); "
            "weights.sum(axis=-1, keepdims=True) -> weights.sum(axis=(1, 2), keepdims=True)"
        ),
        "Keys and values have changed places.": lambda q, k, v: grouped_attention(q, v, k),
    },
)


@EXERCISE.alternate
def _head_by_head(q: Array, k: Array, v: Array) -> Array:
    outputs = []
    for h, queries in enumerate(q):
        g = h // (len(q) // len(k))
        outputs.append(_softmax(queries @ k[g].T / sqrt(q.shape[-1])) @ v[g])
    return np.stack(outputs)


@EXERCISE.alternate
def _stacked(q: Array, k: Array, v: Array) -> Array:
    H, T, K = q.shape
    queries = q.reshape(len(k), -1, K)  # those of a group, one below the other
    return (_softmax(queries @ k.swapaxes(1, 2) / sqrt(K)) @ v).reshape(H, T, -1)

"""Exercise 4: grouped-query attention, where heads share keys and values."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from collections.abc import Callable
from math import log, sqrt

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Case, Exercise, Mutant


def shared_heads(
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
) -> np.ndarray:
    """Attend in H heads of queries that share G heads of keys.

    q: (H, T, K); k and v: (G, S, K). G divides H. The first H / G
    heads of queries use keys and values of head 0, the next H / G
    those of head 1, and so on.
    Returns (H, T, K), the output of every head of queries.

    >>> q = np.array([[[1.0]], [[0.0]], [[0.0]], [[1.0]]])  # H = 4
    >>> k = np.array([[[np.log(3)], [0.0]], [[0.0], [np.log(3)]]])
    >>> v = np.array([[[8.0], [4.0]], [[100.0], [200.0]]])
    >>> shared_heads(q, k, v).round(6).tolist()
    [[[7.0]], [[6.0]], [[150.0]], [[175.0]]]
    """
    share = len(q) // len(k)  # how many heads share one
    k = np.repeat(k, share, axis=0)  # (H, S, K)
    v = np.repeat(v, share, axis=0)  # (H, S, K)
    scores = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1])  # (H, T, S)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights @ v


Choice = Callable[[int, int, int], int]


def _softmax(scores: np.ndarray, axis: int | tuple[int, ...] = -1) -> np.ndarray:
    e = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def _head_by_head(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    outputs = []
    for h, queries in enumerate(q):
        g = h // (len(q) // len(k))
        outputs.append(_softmax(queries @ k[g].T / sqrt(q.shape[-1])) @ v[g])
    return np.stack(outputs)


def _stacked(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    H, T, K = q.shape
    queries = q.reshape(len(k), -1, K)  # those of a group, one below the other
    return (_softmax(queries @ k.swapaxes(1, 2) / sqrt(K)) @ v).reshape(H, T, -1)


def _right(h: int, H: int, G: int) -> int:
    return h // (H // G)


def _sharer(
    key: Choice = _right,
    value: Choice = _right,
    scale: Callable[[int, int], float] = lambda width, share: 1 / sqrt(width),
    axis: int | tuple[int, ...] = -1,
    swapped: bool = False,
) -> Callable[..., np.ndarray]:
    """The same, where a head uses another head's keys or values, or another scale or axis."""

    def attend(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
        k, v = (v, k) if swapped else (k, v)
        (H, _, K), G, outputs = q.shape, len(k), []
        for h in range(H):
            scores = q[h] @ k[key(h, H, G)].T * scale(K, H // G)
            outputs.append(_softmax(scores, axis) @ v[value(h, H, G)])
        return np.stack(outputs)

    return attend


def _by_turns(h: int, H: int, G: int) -> int:
    return h % G


def _the_first(h: int, H: int, G: int) -> int:
    return 0


def _from_the_end(h: int, H: int, G: int) -> int:
    return G - 1 - h // (H // G)


def _divided_by_g(h: int, H: int, G: int) -> int:
    return min(h // G, G - 1)


_dealt_out = _sharer(_by_turns, _by_turns)
_keys_dealt_out = _sharer(key=_by_turns)
_values_dealt_out = _sharer(value=_by_turns)
_one_for_all = _sharer(_the_first, _the_first)
_backwards = _sharer(_from_the_end, _from_the_end)
_in_gs = _sharer(_divided_by_g, _divided_by_g)
_not_scaled = _sharer(scale=lambda width, share: 1.0)
_by_the_group = _sharer(scale=lambda width, share: 1 / sqrt(width * share))
_over_the_queries = _sharer(axis=0)
_over_the_matrix = _sharer(axis=(0, 1))
_keys_as_values = _sharer(swapped=True)


def _mean_of_all(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    return shared_heads(q, k.mean(axis=0, keepdims=True), v.mean(axis=0, keepdims=True))


def _one_for_each_group(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    (H, T, K), G = q.shape, len(k)
    return shared_heads(q, k, v).reshape(G, H // G, T, K).mean(axis=1)


def _draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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
    reference=shared_heads,
    points=3,
    compare=Arrays(),
    cases=(
        # One head of keys for two (multi-query): 3 to 1, and the plain mean.
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
        "Neighbours share: 0, 0, 1, 1. So it is a division without remainder, by the number of "
        "heads that share.",
        "Or make the keys and values as many as the queries: np.repeat writes 0, 0, 1, 1 where "
        "np.tile writes 0, 1, 0, 1. Then each head does plain attention.",
    ),
    mutants=(
        Mutant(
            _dealt_out,
            "You deal the keys out in turn: 0, 1, 0, 1. Neighbours share: 0, 0, 1, 1. (np.tile and "
            "h % G do the one, np.repeat and a whole division the other.)",
        ),
        Mutant(
            _keys_dealt_out,
            "Your values are the right ones, your keys are dealt out in turn. Both come from the "
            "same head.",
        ),
        Mutant(
            _values_dealt_out,
            "Your keys are the right ones, your values are dealt out in turn. Both come from the "
            "same head.",
        ),
        Mutant(
            _one_for_all,
            "All your heads use head 0 of the keys and values. That is right only if there is no "
            "other (multi-query attention, G = 1).",
        ),
        Mutant(
            _backwards,
            "Your groups are in reverse order: the first heads share head 0 of the keys.",
        ),
        Mutant(
            _in_gs,
            "You divide h by G. A group has H / G heads, so divide by that: with H = 6 and G = 2, "
            "three heads share.",
        ),
        Mutant(
            _mean_of_all,
            "You use the mean of all heads of keys and values. Each group has its own.",
        ),
        Mutant(
            _one_for_each_group,
            "You return one output for each group. Heads that share keys ask different questions, "
            "and each has an output of its own: (H, T, K).",
        ),
        Mutant(_not_scaled, "The scores are not scaled: divide them by √K."),
        Mutant(
            _by_the_group,
            "Sharing changes nothing about a score: it is a sum of K products. Divide by √K alone.",
        ),
        Mutant(
            _over_the_queries,
            "Your weights sum to 1 over the queries. Each query's weights sum to 1 over the keys.",
        ),
        Mutant(
            _over_the_matrix,
            "Your weights sum to 1 over the whole matrix. Each row should, by itself.",
        ),
        Mutant(_keys_as_values, "Keys and values have changed places."),
    ),
    alternates=(_head_by_head, _stacked),
)

"""Exercise 2: a step of decoding, where the queries are the last of all positions."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def attend_with_cache(
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
) -> np.ndarray:
    """Attend from T new tokens to the P tokens of a cache, and to them.

    q, k: (T, K), queries and keys of the new tokens, T >= 1.
    v: (T, Dv), their values.
    keys: (P, K), values: (P, Dv): what the cache holds, oldest first.
    P may be 0. The new tokens follow the P old ones. Attention is
    causal: each new token sees the whole cache, and the new tokens up
    to itself. Scores are divided by √K.
    Returns (T, Dv), the outputs of the new tokens.

    >>> q = k = np.zeros((2, 1))  # all scores 0: plain means
    >>> v, values = np.array([[3.0], [8.0]]), np.array([[1.0]])
    >>> attend_with_cache(q, k, v, np.zeros((1, 1)), values).tolist()
    [[2.0], [4.0]]
    """
    new, old = len(q), len(keys)
    keys = np.concatenate([keys, k])  # (P + T, K)
    values = np.concatenate([values, v])  # (P + T, Dv)
    own = old + np.arange(new)[:, None]  # positions, (T, 1)
    scores = q @ keys.T / np.sqrt(q.shape[1])  # (T, P + T)
    scores = np.where(np.arange(old + new) <= own, scores, -np.inf)
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True) @ values


def _masked(
    q: Array,
    k: Array,
    v: Array,
    allowed: Array,
    scale: float | None = None,
    axis: int = 1,
    hidden: float = -np.inf,
) -> Array:
    """Attention with a mask, for the answers below."""
    scores = q @ k.T * (q.shape[1] ** -0.5 if scale is None else scale)
    with np.errstate(invalid="ignore", divide="ignore"):
        e = np.exp(np.where(allowed, scores, hidden))
        return np.nan_to_num(e / e.sum(axis=axis, keepdims=True)) @ v


def _both(k: Array, v: Array, keys: Array, values: Array) -> tuple[Array, Array]:
    return np.concatenate([keys, k]), np.concatenate([values, v])


def _draw(rng: np.random.Generator) -> tuple[Array, ...]:
    new, old, width = (int(rng.integers(low, 4)) for low in (1, 0, 1))
    shapes = (new, width), (new, width), (new, 1), (old, width), (old, 1)
    return tuple(rng.normal(size=shape).round(1) for shape in shapes)


EXERCISE = Exercise(
    id="attention.efficient.2",
    title="A step with a cache",
    reference=attend_with_cache,
    points=2,
    compare=Arrays(),
    cases=(
        Case(
            (
                np.zeros((2, 1)),
                np.zeros((2, 1)),
                np.array([[3.0], [8.0]]),
                np.zeros((1, 1)),
                np.array([[1.0]]),
            ),
            np.array([[2.0], [4.0]]),
        ),
        # One new token, scores 0, 0, 0: the mean of 3, 6 and its own 9.
        Case(
            (
                np.array([[0.0]]),
                np.array([[1.0]]),
                np.array([[9.0]]),
                np.array([[5.0], [7.0]]),
                np.array([[3.0], [6.0]]),
            ),
            np.array([[6.0]]),
        ),
        # An empty cache, which leaves ordinary causal attention.
        Case(
            (
                np.zeros((2, 1)),
                np.zeros((2, 1)),
                np.array([[2.0], [4.0]]),
                np.zeros((0, 1)),
                np.zeros((0, 1)),
            ),
            np.array([[2.0], [3.0]]),
        ),
        # Scores log 3 / √4 · 2 = log 3 and 0: weights 3/4 and 1/4.
        Case(
            (
                np.array([[2.0, 0.0, 0.0, 0.0]]),
                np.zeros((1, 4)),
                np.array([[4.0]]),
                np.array([[np.log(3), 0.0, 0.0, 0.0]]),
                np.array([[8.0]]),
            ),
            np.array([[7.0]]),
        ),
        # Row 0: the mean of 2 and 4. Row 1: weights 1, 1, 2 of 4 on 2, 4, 9.
        Case(
            (
                np.array([[0.0], [1.0]]),
                np.array([[0.0], [np.log(2)]]),
                np.array([[4.0], [9.0]]),
                np.array([[0.0]]),
                np.array([[2.0]]),
            ),
            np.array([[3.0], [6.0]]),
        ),
    ),
    generate=_draw,
    hints=(
        "Put the cache and the new tokens together first: P + T keys, and as many values, the "
        "oldest first. Then it is causal attention with T queries.",
        "Which positions do the queries have? The first new token is at position P, not at 0. "
        "It sees the keys 0 to P. Which keys does new token i see?",
        "The mask has the shape (T, P + T). For P = 2 and T = 2 its rows are 1 1 1 0 and 1 1 1 1. "
        "np.tri has a third argument that moves the diagonal.",
    ),
    mutants={
        "Your mask counts the new tokens from position 0: the first sees the first key alone. "
        "The first new token is at position "
        "P, after the whole cache.": "old + np.arange(new) -> np.arange(new)",
        "Your new tokens see one another's future. With a single new token there is no future, "
        "so the mistake goes unnoticed; with several, each must see no "
        "further than itself.": "np.where(np.arange(old + new) <= own, scores, -np.inf) -> scores",
        "Your tokens do not see their own key: the mask is off by one. A token sees itself.": (
            "<= own -> < own; "
            "e / e.sum(axis=1, keepdims=True) -> np.nan_to_num(e / e.sum(axis=1, keepdims=True))"
        ),
        "Each of your tokens sees one key too many: its successor's.": "<= own -> <= own + 1",
        "You put the new keys before the old ones. They come after them, and the mask relies "
        "on that order.": "[keys, k] -> [k, keys]; [values, v] -> [v, values]",
        "You look only at the cache. The new tokens' own keys and values have to be appended "
        "before their queries are used.": lambda q, k, v, keys, values: _masked(
            q, keys, values, np.array(True)
        ),
        "You use the new tokens only: what is the cache for?": lambda q, k, v, keys, values: (
            _masked(q, k, v, np.tri(len(q)) > 0)
        ),
        "The scores are not divided by √K.": "/ np.sqrt(q.shape[1]) -> ",
        "You divide the scores by K. Divide by its root, √K.": "np.sqrt(q.shape[1]) -> q.shape[1]",
        "You divide by the root of the number of keys. K is the width of a key, the number of "
        "its columns.": "np.sqrt(q.shape[1]) -> np.sqrt(len(keys))",
        "You hide the weights after the softmax, so what is left no longer sums to 1. Hide the "
        "scores before it.": (
            "np.where(np.arange(old + new) <= own, scores, -np.inf) -> scores; "
            "e / e.sum(axis=1, keepdims=True) -> (np.arange(old + new) <= own) * e / "
            "e.sum(axis=1, keepdims=True)"
        ),
        "You normalise over the queries. Every query's weights, a row, sum to 1.": (
            "scores.max(axis=1, keepdims=True) -> scores.max(); "
            "e.sum(axis=1, keepdims=True) -> e.sum(axis=0)"
        ),
        "You give hidden keys the score 0. The exponential of 0 is 1, which is a weight like "
        "any other; -∞ has the exponential 0.": "-np.inf -> 0.0",
    },
    alternates=[
        lambda q, k, v, keys, values: _masked(
            q, *_both(k, v, keys, values), np.tri(len(q), len(keys) + len(q), len(keys)) > 0
        ),
    ],
)


@EXERCISE.alternate
def _token_by_token(q: Array, k: Array, v: Array, keys: Array, values: Array) -> Array:
    rows = []
    for query, key, value in zip(q, k, v, strict=True):
        keys, values = np.vstack([keys, key]), np.vstack([values, value])
        e = np.exp(keys @ query / len(query) ** 0.5)
        rows.append(e / e.sum() @ values)
    return np.array(rows)

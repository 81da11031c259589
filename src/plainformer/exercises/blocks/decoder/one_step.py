"""Exercise 3: one step of a decoder, with a cache for the target and precomputed keys for the
source."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def decoder_step(
    x: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    w_k: np.ndarray,
    w_v: np.ndarray,
    source_keys: np.ndarray,
    source_values: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compute both attentions of a decoder layer for one new token.

    First the token's own key, x @ w_k, and its own value, x @ w_v, are
    appended to the cache. Then it attends to everything in the cache,
    and after that to the source. The result of each attention is added
    to the stream, and the query is the stream as it is at that point.
    Scores are not scaled, and there are no norms.
    x: (D,). keys, values: (n, D), the cache, which may be empty.
    w_k, w_v: (D, D). source_keys, source_values: (S, D), already
    projected.
    Returns x after both, (D,), and the new cache: keys and values, (n +
    1, D) each. The arrays that are passed in stay unchanged.

    >>> x, no, one = np.ones(1), np.zeros((0, 1)), np.ones((1, 1))
    >>> decoder_step(x, no, no, 2 * one, 3 * one, one, 5 * one)
    (array([9.]), array([[2.]]), array([[3.]]))
    """

    def attn(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
        scores = k @ q
        e = np.exp(scores - scores.max())
        return e / e.sum() @ v

    keys = np.vstack([keys, x @ w_k])
    values = np.vstack([values, x @ w_v])
    x = x + attn(x, keys, values)
    x = x + attn(x, source_keys, source_values)
    return x, keys, values


_Seven = tuple[Array, Array, Array, Array, Array, Array, Array]


def _draw(rng: np.random.Generator) -> _Seven:
    n, S, D = int(rng.integers(1, 3)), 2, int(rng.integers(1, 3))
    shapes = (D,), (n, D), (n, D), (D, D), (D, D), (S, D), (S, D)
    x, k, v, w_k, w_v, s_k, s_v = (rng.integers(-2, 3, size=shape) / 2 for shape in shapes)
    return x, k, v, w_k, w_v, s_k, s_v


def _given(x: float, cache: tuple[list[float], list[float]], w_k: float, w_v: float,
           source: tuple[list[float], list[float]]) -> _Seven:  # fmt: skip
    """All with D = 1."""
    k, v, s_k, s_v = (np.array(column, dtype=float).reshape(-1, 1) for column in (*cache, *source))
    return np.array([float(x)]), k, v, np.array([[float(w_k)]]), np.array([[float(w_v)]]), s_k, s_v


def _after(x: float, k: list[float], v: list[float]) -> tuple[Array, Array, Array]:
    return np.array([float(x)]), np.array(k, float)[:, None], np.array(v, float)[:, None]


EXERCISE = Exercise(
    id="blocks.decoder.3",
    title="One step with a cache",
    reference=decoder_step,
    points=3,
    compare=Arrays(),
    cases=(
        # The first token sees only itself, and finds 3; then the source's 5: 1 + 3 + 5.
        Case(_given(1, ([], []), 2, 3, ([1], [5])), _after(9, [2], [3])),
        # Two equal keys, 1 and 1: the mean of the values 2 and 4. And 10 from the source.
        Case(_given(1, ([1], [2]), 1, 4, ([0], [10])), _after(14, [1, 1], [2, 4])),
        # The first attention's scores are 0; 2 + mean(1, 3, 2) = 4. The source's are 0 as well.
        Case(_given(2, ([0, 0], [1, 3]), 0, 1, ([0, 0], [6, 2])), _after(8, [0, 0, 0], [1, 3, 2])),
        # A key of 50 gets all the weight: 1 + 7. Then 8 is the query, and the source's key 40 gets
        # all the weight.
        Case(_given(1, ([50], [7]), 0, 1, ([40, 0], [2, 9])), _after(10, [50, 0], [7, 1])),
    ),
    generate=_draw,
    hints=(
        "The order matters: first the cache gets the new token, then the token looks at the cache.",
        "Which key and value go into the cache? Those of x as it came in, before any "
        "attention. The source's keys never go there.",
        "np.vstack([keys, x @ w_k]) is a new array with one row more. Then there are two lines "
        "of the same form, x plus the attention output: first from the cache, then from the "
        "source.",
    ),
    mutants={
        "The token looks at the cache before it has been appended. It must also see "
        "itself.": "attn(x, keys, values) -> attn(x, keys[:-1], values[:-1]) if len(keys) > 1 else "
        "x + attn(x, keys, values)",
        "The new token sees only itself. It should "
        "look at the whole cache.": "attn(x, keys, values) -> attn(x, keys[-1:], values[-1:])",
        "The newest token comes last in the cache.": "np.vstack([keys, x @ w_k]) -> "
        "np.vstack([x @ w_k, keys]); np.vstack([values, x @ w_v]) -> np.vstack([x @ w_v, values])",
        "You return the old cache. The next token "
        "will need the new one.": "return x, keys, values -> return x, keys[:-1], values[:-1]",
        "The key is x @ w_k, and you put x itself into the cache.": "x @ w_k -> x",
        "The value is x @ w_v, and you put x itself into the cache.": "x @ w_v -> x",
        "The query for the source is x after the first attention. "
        "You use the old x.": "x = x + attn(x, keys -> old = x\n    x = x + attn(x, keys; "
        "attn(x, source_keys -> attn(old, source_keys",
        "You have left out "
        "attention to the source.": "x = x + attn(x, source_keys, source_values) -> pass",
        "You have left out attention to the cache.": "x = x + attn(x, keys, values) -> pass",
        "The first residual is missing: add "
        "the attention output to x.": "x = x + attn(x, keys -> x = attn(x, keys",
        "The second residual is missing: add "
        "the attention output to x.": "x = x + attn(x, source -> x = attn(x, source",
        "The cached key and value come from x as it came in, not from x "
        "after the attention.": "return x, keys, values -> keys = np.vstack([keys[:-1], x @ w_k])\n"
        "    values = np.vstack([values[:-1], x @ w_v])\n    return x, keys, values",
        "Attention to the cache and to the source are two steps, each with its own softmax. "
        "You have combined them into "
        "one.": "x = x + attn(x, keys, values) -> x = x + attn(x, np.vstack([keys, source_keys]), "
        "np.vstack([values, source_values])); x = x + attn(x, source_keys, source_values) -> pass",
        "The source's keys and values are already projected, and you "
        "project them again.": "attn(x, source_keys, source_values) -> attn(x, source_keys @ w_k, "
        "source_values @ w_v)",
    },
)


@EXERCISE.alternate
def _with_room_made_before(
    x: Array, keys: Array, values: Array, w_k: Array, w_v: Array, s_k: Array, s_v: Array
) -> tuple[Array, Array, Array]:
    n, D = keys.shape
    k, v = np.empty((n + 1, D)), np.empty((n + 1, D))
    k[:n], v[:n] = keys, values
    k[n], v[n] = x @ w_k, x @ w_v
    for found_by, handed_over in ((k, v), (s_k, s_v)):
        e = np.exp(found_by @ x)
        x = x + (e[:, None] * handed_over).sum(axis=0) / e.sum()
    return x, k, v


@EXERCISE.alternate
def _row_by_row(
    x: Array, keys: Array, values: Array, w_k: Array, w_v: Array, s_k: Array, s_v: Array
) -> tuple[Array, Array, Array]:
    k = np.concatenate([keys, (x @ w_k)[None]])
    v = np.concatenate([values, (x @ w_v)[None]])
    for rows in (list(zip(k, v, strict=True)), list(zip(s_k, s_v, strict=True))):
        shares = [np.exp(key @ x) for key, _ in rows]
        found = sum(e * value for e, (_, value) in zip(shares, rows, strict=True))
        x = x + found / sum(shares)
    return x, k, v

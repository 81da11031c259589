"""Exercise 2: the paper's encoder layer, post-norm, from given parts."""

from collections.abc import Callable

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise

Part = Callable[[Array], Array]


def post_norm_layer(
    x: np.ndarray,
    w_qkv: np.ndarray,
    w_o: np.ndarray,
    w_up: np.ndarray,
    w_down: np.ndarray,
) -> np.ndarray:
    """Compute the first transformer's encoder layer, with one head.

    Attention: queries, keys and values are x @ w_qkv[0],
    x @ w_qkv[1] and x @ w_qkv[2]; weights = softmax(q @ k.T /
    sqrt(K)), over the keys; it writes weights @ v @ w_o. The
    feed-forward layer writes relu(y @ w_up) @ w_down. Each is added to
    what it reads, and then the sum is normed: subtract the mean of each
    token and divide by sqrt(variance + 1), with no gamma and beta.
    x: (T, D). w_qkv: (3, D, K). w_o: (K, D). w_up: (D, F).
    w_down: (F, D).
    Returns (T, D).

    >>> w_qkv, w_o = np.zeros((3, 2, 1)), np.zeros((1, 2))
    >>> no = np.zeros((2, 2))
    >>> x = np.array([[5.0 + 3**0.5, 5.0 - 3**0.5]])  # root of 3 + 1
    >>> post_norm_layer(x, w_qkv, w_o, no, no).round(6).tolist()
    [[0.654654, -0.654654]]
    """

    def norm(y: np.ndarray) -> np.ndarray:
        centred = y - y.mean(axis=1, keepdims=True)
        variance = (centred**2).mean(axis=1, keepdims=True)
        return centred / np.sqrt(variance + 1)

    q, k, v = x @ w_qkv
    scores = q @ k.T / np.sqrt(q.shape[1])
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
    x = norm(x + weights @ v @ w_o)
    return norm(x + np.maximum(x @ w_up, 0) @ w_down)


_Five = tuple[Array, Array, Array, Array, Array]


def _draw(rng: np.random.Generator) -> _Five:
    T, D, K, F = 2, 2, 3, 1
    shapes = ((T, D), (3, D, K), (K, D), (D, F), (F, D))
    x, w_qkv, w_o, w_up, w_down = (
        rng.integers(least, 3, size=shape).astype(float)
        for least, shape in zip((-2, 0, -1, -1, -2), shapes, strict=True)
    )
    return x, w_qkv, w_o, w_up, w_down


def _given(*rows: object) -> _Five:
    x, w_qkv, w_o, w_up, w_down = (np.array(row, dtype=float) for row in rows)
    return x, w_qkv, w_o, w_up, w_down


_R3, _A = 3**0.5, (3 / 7) ** 0.5  # ±√3 is normed to ±√3 / 2, and this to ±√(3 / 7)

EXERCISE = Exercise(
    id="blocks.encoder.2",
    title="An encoder layer from its parts",
    reference=post_norm_layer,
    points=3,
    compare=Arrays(),
    cases=(
        # Nothing is written, and the norms remain: ±√3, then ±√3 / 2, then ±√(3 / 7).
        Case(
            _given([[5 + _R3, 5 - _R3]], [[[0], [0]]] * 3, [[0, 0]], [[0], [0]], [[0, 0]]),
            np.array([[_A, -_A]]),
        ),
        # Scores are 0, so both read the mean of the two values, 3. It is written to both features
        # equally, and the norm removes it again.
        Case(
            _given(
                [[_R3, -_R3], [-_R3, _R3]],
                [[[0], [0]], [[0], [0]], [[1], [1]]],
                [[1, 1]],
                [[0], [0]],
                [[0, 0]],
            ),
            np.array([[_A, -_A], [-_A, _A]]),
        ),
        # The second sublayer subtracts half of the first feature, where that is above 0, and adds
        # it to the other: ±√3 / 2 becomes ±√3 / 4, with the variance 3 / 16.
        Case(
            _given([[_R3, -_R3]], [[[0], [0]]] * 3, [[0, 0]], [[1], [0]], [[-0.5, 0.5]]),
            np.array([[(3 / 19) ** 0.5, -((3 / 19) ** 0.5)]]),
        ),
    ),
    generate=_draw,
    hints=(
        "Two lines of one form: x = norm(x + sublayer(x)). Write norm as a function of its own.",
        "x @ w_qkv gives all three at once, (3, T, K). Each row of weights sums to 1: the softmax "
        "runs along axis=1.",
        "The second sublayer reads the x that the first norm made, and is added to that same x.",
    ),
    mutants={
        "The norm comes before the sublayers: that is pre-norm. "
        "Here each sum is normed.": lambda x, w_qkv, w_o, w_up, w_down: _layer(
            x, w_qkv, w_o, w_up, w_down, lambda x, f, norm: x + f(norm(x))
        ),
        "The residuals are missing: each sublayer's output "
        "is added to what it read.": lambda x, w_qkv, w_o, w_up, w_down: _layer(
            x, w_qkv, w_o, w_up, w_down, lambda x, f, norm: norm(f(x))
        ),
        "Neither sum is normed. Both should be.": lambda x, w_qkv, w_o, w_up, w_down: _layer(
            x, w_qkv, w_o, w_up, w_down, lambda x, f, norm: x + f(x)
        ),
        "You norm only the sublayer's output. "
        "Norm the sum: norm(x + …).": lambda x, w_qkv, w_o, w_up, w_down: _layer(
            x, w_qkv, w_o, w_up, w_down, lambda x, f, norm: x + norm(f(x))
        ),
        "The first residual is missing: add x to what attention "
        "writes.": "norm(x + weights -> norm(weights",
        "The second residual is missing: add x to what the feed-forward layer "
        "writes.": "norm(x + np.maximum(x @ w_up, 0) -> norm(np.maximum(x @ w_up, 0)",
        "The first sum is not normed.": "norm(x + weights @ v @ w_o) -> x + weights @ v @ w_o",
        "The last sum is not normed.": "return norm(x + np.maximum(x @ w_up, 0) @ w_down) -> "
        "return x + np.maximum(x @ w_up, 0) @ w_down",
        "The softmax runs over the queries. Each row of weights sums to 1: "
        "axis=1.": "e = np.exp(scores - scores.max(axis=1, keepdims=True)) -> "
        "e = np.exp(scores); e.sum(axis=1, keepdims=True) -> e.sum(axis=0)",
        "Scores are divided by the root of K.": " / np.sqrt(q.shape[1]) ->",
        "Scores are divided by the root of K, the width of the queries, not of "
        "D.": "np.sqrt(q.shape[1]) -> np.sqrt(x.shape[1])",
        "The queries and the keys have changed places.": "q @ k.T -> k @ q.T",
        "The activation is missing: relu(y @ w_up).": "np.maximum(x @ w_up, 0) -> (x @ w_up)",
        "A later token is hidden, as in a decoder. An encoder lets every token see all the "
        "others.": "q.shape[1]) -> q.shape[1]) + np.triu(np.full((len(x), len(x)), -1e30), 1)",
        "The variance lacks the 1 that is added to it.": "variance + 1 -> variance + 1e-30",
    },
)


def _layer(
    x: Array, w_qkv: Array, w_o: Array, w_up: Array, w_down: Array,
    join: Callable[[Array, Part, Part], Array],
) -> Array:  # fmt: skip
    """The layer, whose sublayers are joined to the stream by another rule."""

    def norm(y: Array) -> Array:
        return np.asarray((y - y.mean(1)[:, None]) / np.sqrt(y.var(1)[:, None] + 1))

    def attend(y: Array) -> Array:
        q, k, v = y @ w_qkv
        e = np.exp(q @ k.T / q.shape[1] ** 0.5)
        return np.asarray(e / e.sum(1)[:, None] @ v @ w_o)

    x = join(x, attend, norm)
    return join(x, lambda y: np.asarray(np.maximum(y @ w_up, 0) @ w_down), norm)


@EXERCISE.mutant(
    "Your second sublayer reads the original input. It should read the output of the first one."
)
def _side_by_side(x: Array, w_qkv: Array, w_o: Array, w_up: Array, w_down: Array) -> Array:
    start: list[Array] = []

    def join(y: Array, f: Part, norm: Part) -> Array:
        start.append(y)
        return norm(y + f(start[0]))

    return _layer(x, w_qkv, w_o, w_up, w_down, join)


@EXERCISE.alternate
def _joined_by_a_rule(x: Array, w_qkv: Array, w_o: Array, w_up: Array, w_down: Array) -> Array:
    return _layer(x, w_qkv, w_o, w_up, w_down, lambda x, f, norm: norm(x + f(x)))


@EXERCISE.alternate
def _token_by_token(x: Array, w_qkv: Array, w_o: Array, w_up: Array, w_down: Array) -> Array:
    def norm(row: Array) -> Array:
        return np.asarray((row - row.mean()) / (row.var() + 1) ** 0.5)

    out = []
    keys, values = x @ w_qkv[1], x @ w_qkv[2]
    for row in x:
        e = np.exp(keys @ (row @ w_qkv[0]) / keys.shape[1] ** 0.5)
        y = norm(row + e @ values / e.sum() @ w_o)
        out.append(norm(y + (y @ w_up).clip(0) @ w_down))
    return np.array(out)

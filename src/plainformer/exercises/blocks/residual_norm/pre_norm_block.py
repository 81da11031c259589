"""Exercise 3: a pre-norm block from given parts."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def pre_norm_block(
    x: np.ndarray,
    weights: np.ndarray,
    w_v: np.ndarray,
    w_up: np.ndarray,
    w_down: np.ndarray,
) -> np.ndarray:
    """Compute a pre-norm block: two sublayers, each with a residual.

    The first, in place of attention: multiply by w_v, then mix the
    tokens: weights @ (y @ w_v). The second is a feed-forward layer:
    relu(y @ w_up) @ w_down. The input y of each is the stream at that
    point, after RMSNorm with no gamma and eps = 1.
    x: (T, D). weights: (T, T), given. w_v: (D, D).
    w_up: (D, F). w_down: (F, D).
    Returns the stream after both, (T, D), not normed.

    >>> x = np.array([[4.0, np.sqrt(14.0)]])  # root of (15 + 1): 4
    >>> one, no = np.array([[1.0]]), np.zeros((2, 2))
    >>> pre_norm_block(x, one, 10 * np.eye(2), no, no)[:, 0].tolist()
    [14.0]
    """

    def norm(y: np.ndarray) -> np.ndarray:
        return y / np.sqrt((y**2).mean(axis=1, keepdims=True) + 1)

    x = x + weights @ (norm(x) @ w_v)
    h = np.maximum(norm(x) @ w_up, 0)
    return x + h @ w_down


_Five = tuple[Array, Array, Array, Array, Array]


def _draw(rng: np.random.Generator) -> _Five:
    T, D, F = 2, 2, int(rng.integers(1, 4))
    x = rng.integers(-4, 5, size=(T, D)).astype(float)
    weights = rng.integers(1, 5, size=(T, T)).astype(float)
    w_v, w_up, w_down = (
        rng.integers(-2, 4, size=shape).astype(float) for shape in ((D, D), (D, F), (F, D))
    )
    return x, weights / weights.sum(axis=1, keepdims=True), w_v, w_up, w_down


def _given(*rows: object) -> _Five:
    x, weights, w_v, w_up, w_down = (np.array(row, dtype=float) for row in rows)
    return x, weights, w_v, w_up, w_down


_R3, _R8 = 3**0.5, 8**0.5

EXERCISE = Exercise(
    id="blocks.residual_norm.3",
    title="A pre-norm block",
    reference=pre_norm_block,
    points=3,
    compare=Arrays(),
    cases=(
        # Both sublayers write nothing: the stream comes out as it went in.
        Case(
            _given([[3, -1]], [[1]], [[0, 0], [0, 0]], [[0], [0]], [[0, 0]]), np.array([[3.0, -1]])
        ),
        # One number: √3 becomes √3 / √(3 + 1). Five times that is written.
        Case(_given([[_R3]], [[1]], [[10]], [[0]], [[0]]), np.array([[6 * _R3]])),
        # Now the second: √8 is read as √8 / 3, and three times that is written.
        Case(_given([[_R8]], [[1]], [[0]], [[1]], [[9]]), np.array([[4 * _R8]])),
        # Each token reads the other: both are read as √3 / 2 and −√3 / 2.
        Case(
            _given([[_R3], [-_R3]], [[0, 1], [1, 0]], [[4]], [[0]], [[0]]),
            np.array([[-_R3], [_R3]]),
        ),
        # The first turns √3 into √8 - by adding what is missing - and the second reads √8.
        Case(
            _given([[_R3]], [[1]], [[2 * (_R8 - _R3) / _R3]], [[3]], [[3]]),
            np.array([[4 * _R8]]),
        ),
    ),
    generate=_draw,
    hints=(
        "Two lines of one form: x = x + sublayer(norm(x)). The second reads what the first left.",
        "Write norm as a function of its own: you need it twice, on two different streams.",
        "norm(y) is y / np.sqrt((y**2).mean(axis=1, keepdims=True) + 1). The residual takes x "
        "itself, not norm(x).",
    ),
    mutants={
        "The first residual is missing: add what attention writes to "
        "x.": "x = x + weights -> x = weights",
        "The second residual is missing: add what the feed-forward layer writes to "
        "x.": "return x + h -> return h",
        "You have left out the first norm.": "(norm(x) @ w_v) -> (x @ w_v)",
        "You have left out the second norm.": "norm(x) @ w_up -> x @ w_up",
        "The second sublayer reads the stream from before the first. It should also read what "
        "the first has added.": "x = x + weights -> old = x\n    x = x + weights; "
        "np.maximum(norm(x) -> np.maximum(norm(old)",
        "You norm the stream at the end. A block passes it on unchanged; one norm follows the "
        "last block.": "return x + h @ w_down -> return norm(x + h @ w_down)",
        "The residual takes norm(x). It takes x itself, so that "
        "gradients can pass unchanged.": "x = x + weights -> x = norm(x) + weights",
        "The activation is "
        "missing: relu(y @ w_up).": "np.maximum(norm(x) @ w_up, 0) -> norm(x) @ w_up",
        "The tokens are not mixed: weights @ … is missing.": "weights @ (norm(x) -> (norm(x)",
        "weights is upside down: row i says what token i reads.": "weights @ -> weights.T @",
        "You norm over the tokens. Each token is normed by itself: axis=1.": "axis=1 -> axis=0",
        "You subtract the mean. This norm is RMSNorm.": (
            "return y / np.sqrt((y**2) -> y = y - y.mean(axis=1, keepdims=True)\n"
            "        return y / np.sqrt((y**2)"
        ),
        "You have left out eps, which is 1 here.": "keepdims=True) + 1) -> keepdims=True))",
    },
)


@EXERCISE.mutant(
    "The norm comes after the sum: that is post-norm. Pre-norm leaves the stream alone."
)
def _post(x: Array, weights: Array, w_v: Array, w_up: Array, w_down: Array) -> Array:
    def norm(y: Array) -> Array:
        return y / np.sqrt((y**2).mean(axis=1, keepdims=True) + 1)

    x = norm(x + weights @ (x @ w_v))
    return norm(x + np.maximum(x @ w_up, 0) @ w_down)


@EXERCISE.alternate
def _written_to_in_place(x: Array, weights: Array, w_v: Array, w_up: Array, w_down: Array) -> Array:
    stream = x.copy()
    for i in range(2):
        scale = (np.square(stream).mean(axis=-1) + 1) ** -0.5
        y = stream * scale[:, None]
        stream += (y @ w_up).clip(min=0) @ w_down if i else (weights @ y) @ w_v
    return stream


@EXERCISE.alternate
def _the_norm_after_the_product(
    x: Array, weights: Array, w_v: Array, w_up: Array, w_down: Array
) -> Array:
    """A norm without γ divides each token by one number, so the division can also follow the
    matrix."""
    root = np.sqrt((x * x).sum(axis=1) / x.shape[1] + 1)[:, None]
    x = x + np.einsum("ts,sd->td", weights, x @ w_v / root)
    root = np.sqrt((x * x).sum(axis=1) / x.shape[1] + 1)[:, None]
    wide = x @ w_up
    return np.asarray(x + np.where(wide > 0, wide, 0) / root @ w_down)

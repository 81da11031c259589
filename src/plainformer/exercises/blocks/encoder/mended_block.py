"""Exercise 3: a bug hunt. The task shows a block with three wrong lines."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def mended_block(
    x: np.ndarray,
    w_up: np.ndarray,
    w_down: np.ndarray,
) -> np.ndarray:
    """Mend this pre-norm block. Three of its seven lines are wrong.

    It runs, and its shapes are right. Attention is simplified: queries,
    keys and values are all the vectors that it reads.

        read = rms(x)                                        # 1
        s = read @ read.T / x.shape[1] ** 0.5                # 2
        s = np.exp(s)                                        # 3
        s = s / s.sum(axis=0, keepdims=True)                 # 4
        x = read + s @ read                                  # 5
        wide = np.maximum(rms(x) @ w_up, 0)                  # 6
        return rms(x + wide @ w_down)                        # 7

    rms is RMSNorm with eps = 1 and no gamma; write it as well.
    x: (T, D). w_up: (D, F). w_down: (F, D).
    Returns the stream after both sublayers, (T, D), not normed.

    >>> x, no = np.array([[3**0.5]]), np.zeros((1, 1))
    >>> mended_block(x, no, no).round(6).tolist()
    [[2.598076]]
    """

    def norm(z: np.ndarray) -> np.ndarray:
        return z / np.sqrt((z**2).mean(axis=1, keepdims=True) + 1)

    y = norm(x)
    weights = np.exp(y @ y.T / np.sqrt(y.shape[1]))
    weights = weights / weights.sum(axis=1, keepdims=True)
    x = x + weights @ y
    h = np.maximum(norm(x) @ w_up, 0)
    return x + h @ w_down


_Three = tuple[Array, Array, Array]


def _draw(rng: np.random.Generator) -> _Three:
    T, D, F = (int(rng.integers(2, 4)) for _ in range(3))
    x, w_up, w_down = (
        rng.integers(-3, 4, size=shape).astype(float) for shape in ((T, D), (D, F), (F, D))
    )
    return x, w_up, w_down


def _given(*rows: object) -> _Three:
    x, w_up, w_down = (np.array(row, dtype=float) for row in rows)
    return x, w_up, w_down


_R3 = 3**0.5
_AXIS = "weights.sum(axis=1 -> weights.sum(axis=0"
_RESIDUAL = "x = x + weights @ y -> x = y + weights @ y"
_LAST = "return x + h @ w_down -> return norm(x + h @ w_down)"

EXERCISE = Exercise(
    id="blocks.encoder.3",
    title="A bug hunt",
    reference=mended_block,
    points=2,
    compare=Arrays(),
    cases=(
        # √3 is read as √3 / 2, and that is written: 1.5 · √3.
        Case(_given([[_R3]], [[0]], [[0]]), np.array([[1.5 * _R3]])),
        # Two equal tokens: each gives half its attention to both, and the same is written.
        Case(_given([[_R3], [_R3]], [[0]], [[0]]), np.array([[1.5 * _R3], [1.5 * _R3]])),
        # Zeros stay, whatever the second sublayer holds.
        Case(_given([[0, 0], [0, 0]], [[1], [1]], [[2, 3]]), np.zeros((2, 2))),
    ),
    generate=_draw,
    hints=(
        "Go through the lines with three questions. Does each row of weights sum to 1? What is "
        "each sublayer added to? What does pre-norm do to the stream itself?",
        "Try it with zeros for w_up and w_down. The output must be x plus the attention output "
        "and nothing else.",
        "The lines 1, 2, 3 and 6 are right.",
    ),
    mutants={
        "These are the seven lines unchanged. "
        "Three of them are wrong.": f"{_AXIS}; {_RESIDUAL}; {_LAST}",
        "One of three is left, in how the weights are made. Which sums must be 1?": _AXIS,
        "One of three is left, a residual. What must go around a sublayer untouched?": _RESIDUAL,
        "One of three is left, a norm. In pre-norm it comes before a sublayer, on the branch, "
        "and nowhere else.": _LAST,
        "Two of three are left: the weights, and a residual.": f"{_AXIS}; {_RESIDUAL}",
        "Two of three are left: the weights, and a norm.": f"{_AXIS}; {_LAST}",
        "Two of three are left: a residual, and a norm.": f"{_RESIDUAL}; {_LAST}",
        "Line 1 was right: attention reads the normed stream.": "y = norm(x) -> y = x",
        "Line 6 was right: the feed-forward layer reads the normed "
        "stream.": "norm(x) @ w_up -> x @ w_up",
        "Line 6 must read the stream that line 5 produced.": "norm(x) @ w_up -> y @ w_up",
        "Line 2 was right: scores are divided by the root of "
        "the width.": " / np.sqrt(y.shape[1]) ->",
        "Line 5 writes weights @ y: the values are the vectors that attention reads, which are "
        "normed.": "x = x + weights @ y -> x = x + weights @ x",
        "The second residual has gone: what the feed-forward layer writes is added to "
        "x.": "return x + h @ w_down -> return h @ w_down",
    },
)


@EXERCISE.alternate
def _softmax_made_safe(x: Array, w_up: Array, w_down: Array) -> Array:
    def read(z: Array) -> Array:
        return np.asarray(z * ((z * z).sum(1) / z.shape[1] + 1)[:, None] ** -0.5)

    y = read(x)
    scores = y @ y.T / y.shape[1] ** 0.5
    scores -= scores.max(axis=1, keepdims=True)
    weights = np.exp(scores)
    x = x + (weights @ y) / weights.sum(axis=1)[:, None]
    return np.asarray(x + (read(x) @ w_up).clip(min=0) @ w_down)


@EXERCISE.alternate
def _written_to_in_place(x: Array, w_up: Array, w_down: Array) -> Array:
    stream = x.copy()
    y = stream / np.sqrt(np.square(stream).mean(-1)[:, None] + 1)
    e = np.exp(np.einsum("td,sd->ts", y, y) / np.sqrt(x.shape[-1]))
    stream += np.einsum("ts,sd->td", e / e.sum(-1)[:, None], y)
    y = stream / np.sqrt(np.square(stream).mean(-1)[:, None] + 1)
    stream += np.where(y @ w_up > 0, y @ w_up, 0) @ w_down
    return stream

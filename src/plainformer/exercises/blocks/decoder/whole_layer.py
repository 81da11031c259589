"""Exercise 2: a decoder layer, its three sublayers in order."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def decoder_layer(
    x: np.ndarray,
    source: np.ndarray,
    w_up: np.ndarray,
    w_down: np.ndarray,
) -> np.ndarray:
    """Compute a decoder layer: three sublayers, each with a residual.

    1. Causal attention of the target to itself.
    2. Attention of the target to the source.
    3. A feed-forward network: relu(y @ w_up) @ w_down.
    There are no norms or projections: queries, keys and values are the
    vectors themselves. Scores are divided by the root of D.
    x: (T, D), the target. source: (S, D), from the encoder.
    w_up: (D, F). w_down: (F, D). Returns (T, D).

    >>> x, source = np.zeros((1, 1)), np.array([[2.0], [4.0]])
    >>> decoder_layer(x, source, np.ones((1, 1)), np.ones((1, 1)))
    array([[6.]])
    """

    def attn(q: np.ndarray, k: np.ndarray, M: np.ndarray) -> np.ndarray:
        scores = q @ k.T / np.sqrt(q.shape[1])
        scores = np.where(M, scores, -np.inf)
        e = np.exp(scores - scores.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True) @ k

    causal = np.tri(len(x), dtype=bool)
    x = x + attn(x, x, causal)
    x = x + attn(x, source, np.array(True))
    h = np.maximum(x @ w_up, 0)
    return x + h @ w_down


_Four = tuple[Array, Array, Array, Array]


def _draw(rng: np.random.Generator) -> _Four:
    T, S, F, D = 3, int(rng.integers(2, 5)), int(rng.integers(1, 4)), 2
    x, source = (rng.integers(-4, 5, size=(rows, D)) / 4 for rows in (T, S))
    w_up, w_down = (rng.integers(-2, 3, size=s).astype(float) for s in ((D, F), (F, D)))
    return x, source, w_up, w_down


def _given(*rows: object) -> _Four:
    x, source, w_up, w_down = (np.array(row, dtype=float) for row in rows)
    return x, source, w_up, w_down


EXERCISE = Exercise(
    id="blocks.decoder.2",
    title="A decoder layer",
    reference=decoder_layer,
    points=3,
    compare=Arrays(),
    cases=(
        # 0 finds 0 in itself and the mean of 2 and 4 in the source. The network doubles it.
        Case(_given([[0]], [[2], [4]], [[1]], [[1]]), np.array([[6.0]])),
        # A network that writes nothing, and a source of one word: 1 + 1 + 5.
        Case(_given([[1], [1]], [[5]], [[0]], [[0]]), np.array([[7.0], [7.0]])),
        # The first token cannot see the second. The second finds itself: e⁻³⁶ is next to 0.
        Case(_given([[0], [6]], [[5], [5]], [[0]], [[0]]), np.array([[5.0], [17.0]])),
        # The network reads the stream after both attentions, 3 + 3 - 5 = 1.
        Case(_given([[3]], [[-5]], [[2]], [[10]]), np.array([[21.0]])),
        # What is below 0 is cut off: 1 + 1 - 5 = -3.
        Case(_given([[1]], [[-5]], [[2]], [[10]]), np.array([[-3.0]])),
    ),
    generate=_draw,
    hints=(
        "There are three lines of the same form: x = x + sublayer(x). Each reads the result of "
        "the one before.",
        "Write attention once, as a function of queries, keys and a mask. Which of the two "
        "calls needs the causal mask, and where do the keys of the second come from?",
        "np.tri(T, dtype=bool) is the causal mask. Where it is False, a score becomes -np.inf "
        "before the softmax. The second attention uses source for its keys and values and sees "
        "all of them.",
    ),
    mutants={
        "Your target sees its own future. The first attention is "
        "causal.": "attn(x, x, causal) -> attn(x, x, np.array(True))",
        "The causal mask hides part of the source. The source is "
        "complete, so hide nothing.": "attn(x, source, np.array(True)) -> "
        "attn(x, source, np.tri(len(x), len(source), dtype=bool))",
        "The second attention looks at the target again. Its keys and values come from the "
        "source.": "attn(x, source, np.array(True)) -> attn(x, x, causal)",
        "The second sublayer is missing: "
        "attention to the source.": "x + attn(x, source, np.array(True)) -> x",
        "The first sublayer is missing: self-attention of the target.": "attn(x, x, causal) -> 0",
        "The third sublayer is missing: the network.": "return x + h @ w_down -> return x",
        "The residual around the first attention is "
        "missing: add its output to x.": "x = x + attn(x, x -> x = attn(x, x",
        "The residual around attention to the source is "
        "missing: add its output to x.": "x = x + attn(x, source -> x = attn(x, source",
        "The residual around the network is missing.": "return x + h -> return h",
        "The query for the source is x after the first "
        "attention. You use the old x.": "x = x + attn(x, x -> old = x\n    x = x + attn(x, x; "
        "attn(x, source -> attn(old, source",
        "The network reads the stream after both attentions. You give it the old "
        "x.": "x = x + attn(x, x -> old = x\n    x = x + attn(x, x; np.maximum(x -> np.maximum(old",
        "The network's activation is missing: relu.": "np.maximum(x @ w_up, 0) -> x @ w_up",
        "The scores are not scaled: divide them by √D.": " / np.sqrt(q.shape[1]) -> ",
    },
)


@EXERCISE.mutant(
    "Self-attention comes first and attention to the source second: you have them the wrong "
    "way round."
)
def _swapped(x: Array, source: Array, w_up: Array, w_down: Array) -> Array:
    x = x + _attend(x, source)
    x = x + np.vstack([_attend(x[t : t + 1], x[: t + 1]) for t in range(len(x))])
    return np.asarray(x + np.maximum(x @ w_up, 0) @ w_down)


@EXERCISE.alternate
def _token_by_token(x: Array, source: Array, w_up: Array, w_down: Array) -> Array:
    """Each new token looks at those before it as they came in, not as they left."""
    rows = []
    for t in range(len(x)):
        row = x[t : t + 1]
        row = row + _attend(row, x[: t + 1])
        row = row + _attend(row, source)
        rows.append(row + (row @ w_up).clip(min=0) @ w_down)
    return np.vstack(rows)


@EXERCISE.alternate
def _infinity_taken_off(x: Array, source: Array, w_up: Array, w_down: Array) -> Array:
    T, D = x.shape
    future = np.triu(np.full((T, T), -np.inf), 1)
    e = np.exp(np.einsum("td,sd->ts", x, x) * D**-0.5 + future)
    x = x + np.einsum("ts,sd->td", e, x) / e.sum(axis=1)[:, None]
    wide = (x := x + _attend(x, source)) @ w_up
    return np.asarray(x + np.where(wide > 0, wide, 0) @ w_down)


def _attend(q: Array, k: Array) -> Array:
    """Attention without a mask; keys and values are the same."""
    scores = q @ k.T / q.shape[1] ** 0.5
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True) @ k)

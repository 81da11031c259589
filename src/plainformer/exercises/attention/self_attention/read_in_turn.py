"""Exercise 5: the recurrent network that attention replaced, which reads token by token."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def read_in_turn(
    x: np.ndarray,
    W_x: np.ndarray,
    W_h: np.ndarray,
) -> np.ndarray:
    """Read a text in turn, and return the memory after each token.

    x: (T, D), the tokens, one per row.
    W_x: (D, N), for the new token. W_h: (N, N), for the memory.
    The memory h starts as N zeros. Each token x_t changes it to
    h = tanh(x_t W_x + h W_h), where the h on the right is the old one.
    Returns (T, N): row t is the memory after token t.

    >>> x, one = np.array([[1.0], [0.0]]), np.ones((1, 1))
    >>> read_in_turn(x, one, one).round(3).tolist()
    [[0.762], [0.642]]
    """
    h = np.zeros(len(W_h))
    memories = []
    for token in x:
        h = np.tanh(token @ W_x + h @ W_h)
        memories.append(h)
    return np.array(memories)


def _draw(rng: np.random.Generator) -> tuple[Array, Array, Array]:
    T, D, N = (int(n) for n in rng.integers(2, 4, size=3))
    x, W_x, W_h = (rng.normal(size=shape).round(1) for shape in ((T, D), (D, N), (N, N)))
    return x, W_x, W_h


_ONE = np.ones((1, 1))
_SWAP = np.array([[0.0, 1.0], [1.0, 0.0]])
_FIRST, _SECOND = np.tanh(1.0), np.tanh(np.tanh(1.0))

EXERCISE = Exercise(
    id="attention.self_attention.5",
    title="Read in turn",
    reference=read_in_turn,
    points=2,
    compare=Arrays(),
    cases=(
        Case((np.array([[1.0]]), _ONE, _ONE), np.array([[_FIRST]])),
        Case((np.array([[1.0], [0.0]]), _ONE, _ONE), np.array([[_FIRST], [_SECOND]])),
        Case((np.array([[1.0], [1.0]]), _ONE, 0 * _ONE), np.array([[_FIRST], [_FIRST]])),
        Case((np.zeros((3, 1)), _ONE, 5 * _ONE), np.zeros((3, 1))),
        Case(
            (np.array([[1.0, 0.0], [0.0, 0.0]]), np.eye(2), _SWAP),
            np.array([[_FIRST, 0.0], [0.0, _SECOND]]),
        ),
        Case((np.array([[2.0]]), np.array([[0.5, -0.5]]), _SWAP), np.array([[_FIRST, -_FIRST]])),
        Case(
            (np.array([[0.0, 0.0], [1.0, 0.0]]), np.eye(2), np.array([[0.0, 3.0], [0.0, 0.0]])),
            np.array([[0.0, 0.0], [_FIRST, 0.0]]),
        ),
        Case(
            (np.array([[1.0, 0.0], [0.0, 0.0]]), np.eye(2), np.array([[0.0, 1.0], [0.0, 0.0]])),
            np.array([[_FIRST, 0.0], [0.0, _SECOND]]),
        ),
    ),
    generate=_draw,
    hints=(
        "The memory after a token is computed from the memory before it, so you need a loop over "
        "the rows of x. With what does the loop begin?",
        "Begin with a vector of zeros. In the loop, the new memory is the tanh of a sum of two "
        "products, one with each matrix; put it into a list, which becomes an array at the end.",
    ),
    mutants={
        "You never use the memory, or forget it after each token, so each row depends on its own "
        "token alone. Keep the new h for the next token.": " + h @ W_h -> ",
        "You left out the tanh, so the memory can grow without limit: tanh is around "
        "the whole sum.": "np.tanh(token @ W_x + h @ W_h) -> token @ W_x + h @ W_h",
        "Your tanh is around the token's part only. It belongs around the sum of both parts, so "
        "that no number of the memory leaves the range from -1 to "
        "1.": "np.tanh(token @ W_x + h @ W_h) -> np.tanh(token @ W_x) + h @ W_h",
        "You add the old memory as it is. It has to go through W_h first.": "h @ W_h -> h",
        "You multiply by W_h from the left. The memory is a row, so it "
        "is h @ W_h.": "h @ W_h -> W_h @ h",
        "The memory starts as zeros, and yours as ones.": "np.zeros -> np.ones",
        "You return the memory after the last token only. What is asked for has a row for every "
        "token, (T, N).": "np.array(memories) -> h",
        "Your rows are one token late: row t has to be the memory after token t, and yours is "
        "the one before it.": lambda x, W_x, W_h: np.vstack(
            [np.zeros(len(W_h)), read_in_turn(x, W_x, W_h)[:-1]]
        ),
        "You read the text from its end. The first row of x is the token that is read "
        "first.": "for token in x: -> for token in x[::-1]:",
    },
)


@EXERCISE.alternate
def _into_an_array(x: Array, W_x: Array, W_h: Array) -> Array:
    out = np.zeros((len(x), len(W_h)))
    for t in range(len(x)):
        before = out[t - 1] if t else np.zeros(len(W_h))
        out[t] = np.tanh(x[t] @ W_x + before @ W_h)
    return out


@EXERCISE.alternate
def _side_by_side(x: Array, W_x: Array, W_h: Array) -> Array:
    W, h, out = np.vstack([W_x, W_h]), np.zeros(len(W_h)), []
    for token in x:
        h = np.tanh(np.concatenate([token, h]) @ W)
        out.append(h)
    return np.stack(out)

"""Exercise 1: two linear layers with nothing between them are one."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def merge_layers(
    w_1: np.ndarray,
    b_1: np.ndarray,
    w_2: np.ndarray,
    b_2: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Find the one layer that does what two layers do in a row.

    The first makes h = x @ w_1 + b_1, the second y = h @ w_2 + b_2.
    w_1: (D, F). b_1: (F,). w_2: (F, E). b_2: (E,).
    Returns (w, b), (D, E) and (E,): for every x, y = x @ w + b.

    >>> w_1, b_1 = np.array([[1.0, 2.0]]), np.array([0.0, 1.0])
    >>> w_2, b_2 = np.array([[3.0], [1.0]]), np.array([5.0])
    >>> w, b = merge_layers(w_1, b_1, w_2, b_2)
    >>> w.tolist(), b.tolist()
    ([[5.0]], [6.0])
    """
    w = w_1 @ w_2
    b = b_1 @ w_2 + b_2
    return w, b


_Four = tuple[Array, Array, Array, Array]


def _draw(rng: np.random.Generator) -> _Four:
    D, F, E = (int(n) for n in rng.integers(1, 5, size=3))
    shapes: tuple[tuple[int, ...], ...] = (D, F), (F,), (F, E), (E,)
    w_1, b_1, w_2, b_2 = (rng.integers(-4, 5, size=shape).astype(float) for shape in shapes)
    return w_1, b_1, w_2, b_2


def _floats(*rows: object) -> _Four:
    w_1, b_1, w_2, b_2 = (np.array(row, dtype=float) for row in rows)
    return w_1, b_1, w_2, b_2


EXERCISE = Exercise(
    id="blocks.feed_forward.1",
    title="Two layers are one",
    reference=merge_layers,
    compare=Arrays(),
    cases=(
        # One number: y = 3 · (2x + 1) + 4 = 6x + 7.
        Case(_floats([[2]], [1], [[3]], [4]), (np.array([[6.0]]), np.array([7.0]))),
        Case(_floats([[1, 2]], [0, 1], [[3], [1]], [5]), (np.array([[5.0]]), np.array([6.0]))),
        # The first swaps two numbers, the second doubles the one that then comes first.
        Case(
            _floats([[0, 1], [1, 0]], [0, 0], [[2, 0], [0, 1]], [0, 0]),
            (np.array([[0.0, 1.0], [2.0, 0.0]]), np.zeros(2)),
        ),
        Case(
            _floats([[1], [10]], [3], [[1, 2]], [0, -1]),
            (np.array([[1.0, 2.0], [10.0, 20.0]]), np.array([3.0, 5.0])),
        ),
        Case(
            _floats([[1, 1], [0, 1]], [1, 2], [[1, 0], [3, 1]], [0, 0]),
            (np.array([[4.0, 1.0], [3.0, 1.0]]), np.array([7.0, 2.0])),
        ),
    ),
    generate=_draw,
    hints=(
        "Write h into the second line: y = (x @ w_1 + b_1) @ w_2 + b_2. Then multiply it out.",
        "What is multiplied by x is the new w, and everything without an x is the new b.",
        "In x @ w_1 @ w_2 the two matrices can be multiplied first, without x. The first "
        "layer's bias also goes through the second layer, before the second bias is added.",
    ),
    mutants={
        "The first bias passes the second matrix as well: in y = (x @ w_1 + b_1) @ w_2 + b_2 "
        "it is inside the brackets.": lambda w_1, b_1, w_2, b_2: (
            w_1 @ w_2,
            np.resize(b_1, b_2.shape) + b_2,
        ),
        "You have left out the first bias. It goes through the second layer, and "
        "comes out changed.": "b_1 @ w_2 + b_2 -> b_2",
        "You have left out the second bias.": "b_1 @ w_2 + b_2 -> b_1 @ w_2",
        "The order is reversed. x is multiplied by w_1 first, "
        "so w_1 comes on the left.": lambda w_1, b_1, w_2, b_2: (
            w_2 @ w_1,
            b_1 @ w_2 + b_2,
        ),
        "You send both biases through the second matrix. The "
        "second is added after it.": lambda w_1, b_1, w_2, b_2: (
            w_1 @ w_2,
            (b_1 + np.resize(b_2, b_1.shape)) @ w_2,
        ),
        "Matrices in a row are multiplied, not added.": lambda w_1, b_1, w_2, b_2: (
            w_1 + np.resize(w_2, w_1.shape),
            b_1 @ w_2 + b_2,
        ),
        "That is `*`, number by number. A layer after a layer is a matrix product, "
        "`@`.": lambda w_1, b_1, w_2, b_2: (
            w_1 * w_2,
            b_1 @ w_2 + b_2,
        ),
        "You apply an activation between the two layers. Here there is nothing between them, "
        "which is why one "
        "layer is enough.": "w_1 @ w_2 -> np.maximum(w_1, 0) @ w_2; b_1 @ -> np.maximum(b_1, 0) @",
        "First the matrix, then the bias: return (w, b).": "return w, b -> return b, w",
        "The bias is (E,), as wide as the output; yours has one row too many "
        "around it.": "return w, b -> return w, b[None]",
    },
)


@EXERCISE.alternate
def _by_asking(w_1: Array, b_1: Array, w_2: Array, b_2: Array) -> tuple[Array, Array]:
    """0 gives the bias; the one-hot rows give the rows of w, with the bias on top."""

    def run(x: Array) -> Array:
        return (x @ w_1 + b_1) @ w_2 + b_2

    b = run(np.zeros(len(w_1)))
    return run(np.eye(len(w_1))) - b, b


@EXERCISE.alternate
def _unit_by_unit(w_1: Array, b_1: Array, w_2: Array, b_2: Array) -> tuple[Array, Array]:
    w, b = np.zeros((len(w_1), len(b_2))), b_2.copy()
    for column, bias, row in zip(w_1.T, b_1, w_2, strict=True):
        w += np.outer(column, row)
        b += bias * row
    return w, b

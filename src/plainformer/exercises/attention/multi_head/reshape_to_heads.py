"""Exercise 1: split every row into heads."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def reshape_to_heads(x: np.ndarray, n_heads: int) -> np.ndarray:
    """Split every row of x into as many pieces as there are heads.

    x: (T, D), one row for each token; n_heads divides D.
    Returns (H, T, K) with K = D / H: for head h and token t, the
    numbers h * K up to (h + 1) * K - 1 of row t.

    >>> x = np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])
    >>> reshape_to_heads(x, 2).tolist()
    [[[1.0, 2.0], [5.0, 6.0]], [[3.0, 4.0], [7.0, 8.0]]]
    """
    T, D = x.shape
    pieces = x.reshape(T, n_heads, D // n_heads)  # (T, H, K)
    return np.moveaxis(pieces, 1, 0)  # (H, T, K)


def _draw(rng: np.random.Generator) -> tuple[Array, int]:
    length, heads, width = rng.integers(1, 4), rng.integers(1, 4), rng.integers(1, 4)
    return rng.integers(-9, 10, size=(length, heads * width)).astype(float), int(heads)


_ROWS = np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])

EXERCISE = Exercise(
    id="attention.multi_head.1",
    title="Cut the rows",
    reference=reshape_to_heads,
    compare=Arrays(),
    cases=(
        Case((_ROWS[:1], 2), np.array([[[1.0, 2.0]], [[3.0, 4.0]]])),
        Case((_ROWS, 2), np.array([[[1.0, 2.0], [5.0, 6.0]], [[3.0, 4.0], [7.0, 8.0]]])),
        Case((_ROWS, 1), np.array([[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]])),
        Case(
            (_ROWS, 4), np.array([[[1.0], [5.0]], [[2.0], [6.0]], [[3.0], [7.0]], [[4.0], [8.0]]])
        ),
        Case(
            (np.array([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [10.0, 20.0, 30.0, 40.0, 50.0, 60.0]]), 2),
            np.array(
                [[[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]], [[4.0, 5.0, 6.0], [40.0, 50.0, 60.0]]]
            ),
        ),
    ),
    generate=_draw,
    hints=(
        "Each row becomes H pieces of K numbers. Forget the other rows for a moment: what "
        "shape does one row have after the split?",
        "Split first: (T, D) to (T, H, K) is a reshape, and it keeps the numbers of a token "
        "together. But the result should be (H, T, K).",
        "A reshape never changes the order of the numbers in memory; to bring the axis of "
        "heads to the front you need np.moveaxis, np.transpose or np.swapaxes.",
    ),
    mutants={
        "A reshape straight to (H, T, K) has the right shape and the wrong numbers: it fills "
        "the heads in reading order, so one head gets the first tokens and another the last. "
        "Split each row "
        "first, then move the axis.": lambda x, n_heads: x.reshape(n_heads, len(x), -1),
        "The rows are split, but the axes are (T, H, K). The heads should come first: each "
        "head then holds its "
        "own small (T, K) matrix.": lambda x, n_heads: x.reshape(len(x), n_heads, -1),
        "You deal the numbers out like cards: the first head gets the columns 0, H, 2H and so on. "
        "A head is a block of adjacent columns, h * K up to "
        "(h + 1) * K - 1.": lambda x, n_heads: np.stack([x[:, h::n_heads] for h in range(n_heads)]),
        "The heads are right, but each is transposed: (K, T) instead of (T, K). A token is a "
        "row.": lambda x, n_heads: x.T.reshape(n_heads, -1, len(x)),
        "Your heads are in reverse order: the first head gets the first K columns.": (
            lambda x, n_heads: reshape_to_heads(x, n_heads)[::-1]
        ),
        "Every head gets whole rows here. Each should get its own K of the D numbers of every "
        "token.": lambda x, n_heads: np.stack([x] * n_heads),
        "Your pieces are n_heads numbers wide. n_heads is the number of pieces; each is D / "
        "n_heads wide.": lambda x, n_heads: np.stack(np.split(x, x.shape[1] // n_heads, axis=1)),
    },
    alternates=[
        lambda x, n_heads: np.stack(np.split(x, n_heads, axis=1)),
        lambda x, n_heads: x.T.reshape(n_heads, -1, len(x)).swapaxes(1, 2),
    ],
)


@EXERCISE.alternate
def _number_by_number(x: Array, n_heads: int) -> Array:
    T, D = x.shape
    width = D // n_heads
    heads = np.zeros((n_heads, T, width))
    for h, t, i in np.ndindex(*heads.shape):
        heads[h, t, i] = x[t, h * width + i]
    return heads

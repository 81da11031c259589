"""Exercise 1: cut every row into heads."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Case, Exercise, Mutant


def cut_heads(x: np.ndarray, n_heads: int) -> np.ndarray:
    """Cut every row of x into as many pieces as there are heads.

    x: (T, D), one row for each token; n_heads divides D.
    Returns (H, T, K) with K = D / H: for head h and token t, the
    numbers h * K up to (h + 1) * K - 1 of row t.

    >>> x = np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])
    >>> cut_heads(x, 2).tolist()
    [[[1.0, 2.0], [5.0, 6.0]], [[3.0, 4.0], [7.0, 8.0]]]
    """
    T, D = x.shape
    pieces = x.reshape(T, n_heads, D // n_heads)  # (T, H, K)
    return np.moveaxis(pieces, 1, 0)  # (H, T, K)


def _with_split(x: np.ndarray, n_heads: int) -> np.ndarray:
    return np.stack(np.split(x, n_heads, axis=1))


def _number_by_number(x: np.ndarray, n_heads: int) -> np.ndarray:
    T, D = x.shape
    width = D // n_heads
    heads = np.zeros((n_heads, T, width))
    for h, t, i in np.ndindex(*heads.shape):
        heads[h, t, i] = x[t, h * width + i]
    return heads


def _by_transposing(x: np.ndarray, n_heads: int) -> np.ndarray:
    return x.T.reshape(n_heads, -1, len(x)).swapaxes(1, 2)


def _reshaped_at_once(x: np.ndarray, n_heads: int) -> np.ndarray:
    return x.reshape(n_heads, len(x), -1)


def _tokens_first(x: np.ndarray, n_heads: int) -> np.ndarray:
    return x.reshape(len(x), n_heads, -1)


def _interleaved(x: np.ndarray, n_heads: int) -> np.ndarray:
    return np.stack([x[:, h::n_heads] for h in range(n_heads)])


def _on_their_sides(x: np.ndarray, n_heads: int) -> np.ndarray:
    return x.T.reshape(n_heads, -1, len(x))


def _backwards(x: np.ndarray, n_heads: int) -> np.ndarray:
    return cut_heads(x, n_heads)[::-1]


def _whole_rows(x: np.ndarray, n_heads: int) -> np.ndarray:
    return np.stack([x] * n_heads)


def _heads_for_width(x: np.ndarray, n_heads: int) -> np.ndarray:
    return np.stack(np.split(x, x.shape[1] // n_heads, axis=1))


def _draw(rng: np.random.Generator) -> tuple[np.ndarray, int]:
    length, heads, width = rng.integers(1, 4), rng.integers(1, 4), rng.integers(1, 4)
    return rng.integers(-9, 10, size=(length, heads * width)).astype(float), int(heads)


_ROWS = np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])

EXERCISE = Exercise(
    id="attention.multi_head.1",
    title="Cut the rows",
    reference=cut_heads,
    points=1,
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
        "Each row becomes H pieces of K numbers. Forget the other rows for a moment: what is the "
        "shape of one row, cut?",
        "Cut first: (T, D) to (T, H, K) is a reshape, and it keeps the numbers of a token "
        "together. But the result should be (H, T, K).",
        "A reshape never changes the order in which numbers lie in memory; to bring the axis of "
        "heads to the front you need np.moveaxis, np.transpose or np.swapaxes.",
    ),
    mutants=(
        Mutant(
            _reshaped_at_once,
            "A reshape straight to (H, T, K) has the right shape and the wrong numbers: it deals "
            "the numbers out in reading order, so one head gets the first tokens, another the "
            "last. Cut each row first, then move the axis.",
        ),
        Mutant(
            _tokens_first,
            "The rows are cut, but the axes stand as (T, H, K). The heads should come first: each "
            "head then holds a little (T, K) matrix of its own.",
        ),
        Mutant(
            _interleaved,
            "You deal the numbers out like cards: head 0 gets the columns 0, H, 2H and so on. A "
            "head is a block of neighbours, the columns h * K up to (h + 1) * K - 1.",
        ),
        Mutant(
            _on_their_sides,
            "The heads are right, and each lies on its side: (K, T) instead of (T, K). A token is "
            "a row.",
        ),
        Mutant(_backwards, "Your heads are in reverse order: head 0 gets the first K columns."),
        Mutant(
            _whole_rows,
            "Every head gets whole rows here. Each should get its own K of the D numbers of every "
            "token.",
        ),
        Mutant(
            _heads_for_width,
            "You cut pieces that are n_heads numbers wide. n_heads is how many pieces there are; "
            "each is D / n_heads wide.",
        ),
    ),
    alternates=(_with_split, _number_by_number, _by_transposing),
)

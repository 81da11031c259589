"""Exercise 3: from the interleaved layout to the half one."""

import math

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def interleaved_to_halves(x: np.ndarray) -> np.ndarray:
    """Reorder vectors from the interleaved layout to the half layout.

    x: (..., K), K even, with any number of axes in front of it. Pair i
    is in columns 2i and 2i + 1: a0 b0 a1 b1 a2 b2.
    Returns (..., K): pair i is in columns i and i + K/2: a0 a1 a2 b0 b1
    b2.

    >>> x = np.array([10, 11, 20, 21, 30, 31])
    >>> interleaved_to_halves(x).tolist()
    [10, 20, 30, 11, 21, 31]
    """
    return np.concatenate([x[..., 0::2], x[..., 1::2]], axis=-1)


def _draw(rng: np.random.Generator) -> tuple[Array]:
    shape = [*rng.integers(1, 4, size=rng.integers(0, 3)), 2 * rng.integers(1, 5)]
    if math.prod(shape) > 36:
        shape = shape[-1:]
    return (rng.integers(0, 100, size=shape) / 2,)


EXERCISE = Exercise(
    id="attention.relative_positions.3",
    title="The other layout",
    reference=interleaved_to_halves,
    compare=Arrays(dtype=False),
    cases=(
        Case((np.array([10.0, 11.0]),), np.array([10.0, 11.0])),
        Case((np.array([10.0, 11.0, 20.0, 21.0]),), np.array([10.0, 20.0, 11.0, 21.0])),
        Case(
            (np.array([10.0, 11.0, 20.0, 21.0, 30.0, 31.0]),),
            np.array([10.0, 20.0, 30.0, 11.0, 21.0, 31.0]),
        ),
        Case(
            (np.array([[1.0, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]]),),
            np.array([[1.0, 3, 5, 2, 4, 6], [7, 9, 11, 8, 10, 12]]),
        ),
        Case(
            (np.array([[[1.0, 2, 3, 4], [5, 6, 7, 8]], [[9, 10, 11, 12], [13, 14, 15, 16]]]),),
            np.array([[[1.0, 3, 2, 4], [5, 7, 6, 8]], [[9, 11, 10, 12], [13, 15, 14, 16]]]),
        ),
    ),
    generate=_draw,
    hints=(
        "Write six numbers in a row, 10 11 20 21 30 31. Which of them form the first half of "
        "the result, and where are they now?",
        "A slice with a step of 2 takes every other column. With three dots in front, x[..., a:b], "
        "it is the last axis that is sliced, however many there are.",
        "Two slices, and np.concatenate puts them together; along which axis?",
    ),
    mutants={
        "That is the way back, from the half layout to the interleaved one. (For K = 4 the "
        "two are the same: test with six numbers.)": lambda x: np.stack(
            np.split(x, 2, axis=-1), axis=-1
        ).reshape(x.shape),
        "The first numbers of the pairs come first, a0 a1 a2, then b0 b1 b2.": lambda x: (
            np.concatenate([x[..., 1::2], x[..., 0::2]], axis=-1)
        ),
        "You cut in the middle and put the halves together again: nothing has moved. Take "
        "every other number.": lambda x: np.concatenate(np.split(x, 2, axis=-1), axis=-1),
        "You exchange the halves. In the interleaved layout the first numbers of the pairs "
        "are not the left half, but every "
        "other column.": lambda x: np.concatenate(np.split(x, 2, axis=-1)[::-1], axis=-1),
        "You slice the second axis. It is the last one that holds the pairs, and there may be "
        "any number of axes in front of it: "
        "x[..., 0::2].": lambda x: np.concatenate([x[:, 0::2], x[:, 1::2]], axis=1),
        "You reorder along the first axis, which holds the tokens. The pairs are along the "
        "last one.": lambda x: np.concatenate([x[0::2], x[1::2]]),
        "You stack the two slices on top of each other. They belong side by side, along the "
        "last axis.": lambda x: np.concatenate([x[..., 0::2], x[..., 1::2]]),
        "You exchange the two numbers of each pair. They keep their order; only their columns "
        "change.": lambda x: x.reshape(*x.shape[:-1], -1, 2)[..., ::-1].reshape(x.shape),
    },
    alternates=[
        lambda x: np.swapaxes(x.reshape(*x.shape[:-1], -1, 2), -1, -2).reshape(x.shape),
    ],
)


@EXERCISE.mutant(
    "That is a step of the rotation itself in the half layout. Here nothing is rotated and no "
    "number changes its sign: they only move."
)
def _as_half_the_turn(x: Array) -> Array:
    first, second = np.split(x, 2, axis=-1)
    return np.concatenate([-second, first], axis=-1)


@EXERCISE.alternate
def _by_column_number(x: Array) -> Array:
    width = x.shape[-1]
    return x[..., [*range(0, width, 2), *range(1, width, 2)]]


@EXERCISE.alternate
def _column_by_column(x: Array) -> Array:
    half = np.zeros(x.shape)
    for i in range(x.shape[-1] // 2):
        half[..., i] = x[..., 2 * i]
        half[..., i + x.shape[-1] // 2] = x[..., 2 * i + 1]
    return half

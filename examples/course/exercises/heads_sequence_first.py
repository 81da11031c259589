"""Cut vectors into heads where the sequence is the first axis, as torch's oldest layers have it."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def heads_sequence_first(x: np.ndarray, n_heads: int) -> np.ndarray:
    """Cut each vector into heads, and bring batch and heads to the front.

    x: (T, B, D), tokens first. n_heads: H, which divides D. Head h has
    the features h * D/H to (h + 1) * D/H - 1.
    Returns (B, H, T, D/H).

    >>> heads_sequence_first(np.zeros((6, 2, 8)), 4).shape
    (2, 4, 6, 2)
    """
    T, B, D = x.shape
    parts = x.reshape(T, B, n_heads, D // n_heads)
    return parts.transpose(1, 2, 0, 3)


def _draw(rng: np.random.Generator) -> tuple[Array, int]:
    T, B, H, K = rng.integers(1, 4, size=4)
    return rng.integers(0, 99, size=(T, B, H * K)).astype(float), int(H)


EXERCISE = Exercise(
    id="course.heads_sequence_first",
    title="Heads, sequence first",
    reference=heads_sequence_first,
    points=3,
    compare=Arrays(),
    cases=(
        Case((np.arange(4.0).reshape(1, 1, 4), 2), np.array([[[[0.0, 1.0]], [[2.0, 3.0]]]])),
        Case(
            (np.arange(6.0).reshape(1, 1, 6), 2), np.array([[[[0.0, 1.0, 2.0]], [[3.0, 4.0, 5.0]]]])
        ),
        # Two tokens of one text.
        Case(
            (np.arange(8.0).reshape(2, 1, 4), 2),
            np.array([[[[0.0, 1.0], [4.0, 5.0]], [[2.0, 3.0], [6.0, 7.0]]]]),
        ),
        # Two texts of one token.
        Case(
            (np.arange(8.0).reshape(1, 2, 4), 2),
            np.array([[[[0.0, 1.0]], [[2.0, 3.0]]], [[[4.0, 5.0]], [[6.0, 7.0]]]]),
        ),
        Case(
            (np.arange(6.0).reshape(3, 2, 1), 1),
            np.array([[[[0.0], [2.0], [4.0]]], [[[1.0], [3.0], [5.0]]]]),
        ),
    ),
    generate=_draw,
    hints=(
        "Two steps: cut the last axis in two, then put the axes in order.",
        "x.reshape(T, B, H, D // H) cuts; transpose names the old axes in their new order.",
    ),
    mutants={
        "reshape alone does not move axes: it reads the same numbers in the same order.": (
            "parts.transpose(1, 2, 0, 3) -> parts.reshape(B, n_heads, T, D // n_heads)"
        ),
        "Your features are dealt out in turn. A head's features stand side by side.": (
            "x.reshape(T, B, n_heads, D // n_heads) -> "
            "x.reshape(T, B, D // n_heads, n_heads).swapaxes(2, 3)"
        ),
        "You take the first axis for the batch. Here tokens come first.": (
            "parts.transpose(1, 2, 0, 3) -> parts.transpose(0, 2, 1, 3)"
        ),
        "Heads come before texts in yours: (B, H, T, D/H).": "(1, 2, 0, 3) -> (2, 1, 0, 3)",
        "H and D/H have changed places.": (
            "reshape(T, B, n_heads, D // n_heads) -> reshape(T, B, D // n_heads, n_heads)"
        ),
    },
)


@EXERCISE.alternate
def _head_by_head(x: Array, n_heads: int) -> Array:
    return np.stack([np.swapaxes(part, 0, 1) for part in np.split(x, n_heads, axis=2)], axis=1)

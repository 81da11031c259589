"""A causal mask with a window: the last few tokens, and no others."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def window_mask(T: int, window: int) -> np.ndarray:
    """Which tokens each token may look at: itself, and those just before it.

    T: how many tokens. window: how many each may see, itself among
    them; 1 or more.
    Returns (T, T), bool: row t is True where token t may look.

    >>> window_mask(3, 2).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [0, 1, 1]])
    """
    back = np.arange(T)[:, None] - np.arange(T)  # how far key s lies behind query t
    return (back >= 0) & (back < window)


def _draw(rng: np.random.Generator) -> tuple[int, int]:
    return int(rng.integers(0, 9)), int(rng.integers(1, 10))


def _table(*rows: str) -> np.ndarray:
    return np.array([[mark == "1" for mark in row] for row in rows])


EXERCISE = Exercise(
    id="course.window_mask",
    title="A window on the past",
    reference=window_mask,
    points=3,
    compare=Arrays(),
    cases=(
        Case((3, 2), _table("100", "110", "011")),
        Case((4, 1), np.eye(4, dtype=bool)),
        Case((4, 3), _table("1000", "1100", "1110", "0111")),
        Case((3, 9), _table("100", "110", "111")),
        Case((1, 1), _table("1")),
        Case((0, 3), np.zeros((0, 0), dtype=bool)),
    ),
    generate=_draw,
    hints=(
        "How far behind token t does token s lie? Write that number for all pairs: np.arange(T) as "
        "a column, minus np.arange(T).",
        "May look means: not ahead, and less than a window behind. `&` joins two masks.",
    ),
    mutants={
        "One token too many: a window of 1 is the token itself.": "back < window -> back <= window",
        "Tokens look ahead in yours.": "(back >= 0) & (back < window) -> abs(back) < window",
        "A token may look at itself.": "(back >= 0) -> (back > 0)",
        "Your mask is upside down: rows are queries.": (
            "np.arange(T)[:, None] - np.arange(T) -> np.arange(T) - np.arange(T)[:, None]"
        ),
        "True means *may look* here; in yours it means hidden.": (
            "return (back >= 0) & (back < window) -> return ~((back >= 0) & (back < window))"
        ),
        "There is no window in yours: it is the plain causal mask.": " & (back < window) -> ",
    },
)


@EXERCISE.alternate
def _by_triangles(T: int, window: int) -> Array:
    return np.tri(T, dtype=bool) & ~np.tri(T, k=-window, dtype=bool)

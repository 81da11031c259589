"""Exercise 3: a window that keeps the first tokens."""

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Array, Case, Exercise


def window_with_sinks(
    T: int,
    window: int,
    sinks: int,
) -> np.ndarray:
    """Build the mask of a window that also keeps the first tokens.

    Row t is the token that looks. It sees the last `window` tokens, of
    which its own is the last, and in addition the first `sinks` tokens
    of the text, as far as they are not later than itself.
    Returns a boolean array, (T, T), True where looking is allowed.

    >>> window_with_sinks(4, 2, 1).astype(int).tolist()
    [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 0, 1, 1]]
    """
    t, s = np.arange(T)[:, None], np.arange(T)[None, :]
    recent = t - s < window
    first = s < sinks
    return (recent | first) & (s <= t)


def _draw(rng: np.random.Generator) -> tuple[int, int, int]:
    return int(rng.integers(6, 12)), int(rng.integers(1, 5)), int(rng.integers(2, 5))


EXERCISE = Exercise(
    id="assistant.long_context.3",
    title="A window with sinks",
    reference=window_with_sinks,
    points=2,
    compare=Arrays(),
    cases=(
        Case((2, 1, 0), np.array([[1, 0], [0, 1]], dtype=bool)),
        Case((3, 1, 1), np.array([[1, 0, 0], [1, 1, 0], [1, 0, 1]], dtype=bool)),
        # Sinks that have not been read yet.
        Case((2, 1, 2), np.array([[1, 0], [1, 1]], dtype=bool)),
    ),
    generate=_draw,
    hints=(
        "With t in a column and s in a row, t - s is the distance of every pair.",
        "A token is in the window if the distance is below the window.",
        "Both kinds are allowed, window | sinks, but never a token that comes later.",
    ),
    mutants={
        "Your window is one token too long: its own token counts.": (
            "t - s < window -> t - s <= window"
        ),
        "You keep one sink too many: the first ones are 0 to sinks - 1.": "s < sinks -> s <= sinks",
        "A token sees sinks that come later than itself.": (
            "return (recent | first) & (s <= t) -> return (recent & (s <= t)) | first + 0 * t > 0"
        ),
        "A token sees the future: s is at most t.": (
            "return (recent | first) & (s <= t) -> return recent | first"
        ),
        "Only tokens that are in the window and among the first are left. Either is enough.": (
            "recent | first -> recent & first"
        ),
        "You have forgotten the sinks.": "(recent | first) & (s <= t) -> recent & (s <= t)",
        "Rows and columns are exchanged: row t is the token that looks.": (
            "return (recent | first) & (s <= t) -> return ((recent | first) & (s <= t)).T"
        ),
        "The result should be boolean.": (
            "return (recent | first) & (s <= t) -> return ((recent | first) & (s <= t)) * 1.0"
        ),
    },
    alternates=[
        lambda T, window, sinks: np.array(
            [[s <= t and (s < sinks or s > t - window) for s in range(T)] for t in range(T)]
        ),
    ],
)


@EXERCISE.alternate
def _by_triangles(T: int, window: int, sinks: int) -> Array:
    mask = np.tri(T, dtype=bool) & ~np.tri(T, k=-window, dtype=bool)
    mask[:, :sinks] |= np.tri(T, dtype=bool)[:, :sinks]
    return mask

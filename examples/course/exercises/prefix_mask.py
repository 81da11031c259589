"""A mask for a model that reads a prefix both ways, and writes on from it."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def prefix_mask(lengths: np.ndarray, T: int) -> np.ndarray:
    """Which tokens may look where: a prefix all over itself, the rest back.

    lengths: (B,), how many tokens of each text are its prefix, 0 to T.
    Returns (B, T, T), bool: row t of text b is True where token t may
    look. Tokens of the prefix see the whole prefix, and nothing after
    it; a later token sees all tokens up to itself.

    >>> prefix_mask(np.array([2]), 3).astype(int)
    array([[[1, 1, 0],
            [1, 1, 0],
            [1, 1, 1]]])
    """
    t = np.arange(T)
    causal = t <= t[:, None]  # (T, T)
    in_prefix = t < lengths[:, None]  # (B, T)
    return causal | in_prefix[:, None, :]


def _draw(rng: np.random.Generator) -> tuple[Array, int]:
    T = int(rng.integers(1, 7))
    return rng.integers(0, T + 1, size=rng.integers(1, 4)), T


def _table(*rows: str) -> np.ndarray:
    return np.array([[[mark == "1" for mark in row] for row in rows]])


EXERCISE = Exercise(
    id="course.prefix_mask",
    title="Read both ways, write one way",
    reference=prefix_mask,
    points=4,
    compare=Arrays(),
    cases=(
        Case((np.array([2]), 3), _table("110", "110", "111")),
        Case((np.array([0]), 3), _table("100", "110", "111")),
        Case((np.array([3]), 3), _table("111", "111", "111")),
        Case((np.array([2]), 4), _table("1100", "1100", "1110", "1111")),
        Case((np.array([0, 2]), 2), np.concatenate([_table("10", "11"), _table("11", "11")])),
    ),
    generate=_draw,
    hints=(
        "Two masks are joined: a token may look at whatever stands before it, or in the prefix.",
        "np.arange(T) < lengths[:, None] says for each text which tokens are its prefix: (B, T).",
        "in_prefix[:, None, :] is (B, 1, T): it says so of the keys, for all queries alike.",
    ),
    mutants={
        "Your prefix is one token too long.": "t < lengths[:, None] -> t <= lengths[:, None]",
        "Tokens of the prefix see what comes after it. All may see the keys of the prefix.": (
            "in_prefix[:, None, :] -> in_prefix[:, :, None]"
        ),
        "That is the causal mask: within the prefix, tokens see ahead.": (
            " | in_prefix[:, None, :] -> | np.zeros_like(in_prefix)[:, None, :]"
        ),
        "Later tokens see the prefix and nothing else in yours. They see what lies between, too.": (
            "causal | in_prefix[:, None, :] -> "
            "(causal & ~in_prefix.any()) | np.repeat(in_prefix[:, None, :], T, axis=1)"
        ),
        "All texts have the prefix of the first in yours.": "lengths[:, None] -> lengths[:1, None]",
    },
)


@EXERCISE.alternate
def _by_loops(lengths: Array, T: int) -> Array:
    out = np.zeros((len(lengths), T, T), dtype=bool)
    for b, n in enumerate(lengths):
        for t in range(T):
            out[b, t, : max(int(n), t + 1)] = True
    return out

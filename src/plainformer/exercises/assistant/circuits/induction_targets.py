"""Exercise 2: where an induction head should look."""

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Array, Case, Exercise


def induction_targets(ids: np.ndarray) -> np.ndarray:
    """Mark the places that an induction head should attend to.

    Row t is the token that attends, and column s the one that is
    attended to. Mark column s if the token before s is the same as the
    token at t.
    Only what has been read counts, so s is at most t.
    ids: (T,), the tokens.
    Returns a boolean array, (T, T).

    >>> induction_targets(np.array([5, 7, 9, 5])).astype(int).tolist()
    [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0]]
    """
    T = len(ids)
    before = np.append(-1, ids[:-1])  # the first token has none
    same = ids[:, None] == before[None, :]
    seen = np.tri(T, dtype=bool)
    return same & seen


def _draw(rng: np.random.Generator) -> tuple[Array]:
    block = rng.permutation(9)[: int(rng.integers(3, 5))]
    return (np.concatenate([block, block, block[:1], block[:1]]),)


_TWICE = [
    [0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0],
    [0, 1, 0, 0, 0],
    [0, 0, 1, 0, 0],
    [0, 1, 0, 1, 0],
]  # of 1 2 1 2 1

EXERCISE = Exercise(
    id="assistant.circuits.2",
    title="Where to look",
    reference=induction_targets,
    points=2,
    compare=Arrays(),
    cases=(
        Case((np.array([1, 2, 1, 2, 1]),), np.array(_TWICE, dtype=bool)),
        # A token that follows itself: the place after it is its own.
        Case((np.array([4, 4]),), np.array([[0, 0], [0, 1]], dtype=bool)),
        Case((np.array([1, 2, 3]),), np.zeros((3, 3), dtype=bool)),
    ),
    generate=_draw,
    hints=(
        "Shift the tokens by one place, so that entry s holds the token before s. The first has "
        "none, so put there what equals no token, such as -1.",
        "ids[:, None] == before[None, :] compares every t with every s.",
        "np.tri(T, dtype=bool) is True where s is at most t.",
    ),
    mutants={
        "You mark the earlier occurrences of the same token. Mark what came after them.": (
            "before = np.append(-1, ids[:-1]) -> before = ids"
        ),
        "You shift in the wrong direction: you mark what came before the earlier occurrence.": (
            "np.append(-1, ids[:-1]) -> np.append(ids[1:], -1)"
        ),
        "You mark places that have not been read yet. s is at most t.": "same & seen -> same",
        "Rows and columns are exchanged: row t is the token that attends.": (
            "return same & seen -> return (same & seen).T"
        ),
        "You leave out s = t. Where a token follows itself, the place after it is the present "
        "one.": "np.tri(T, dtype=bool) -> np.tri(T, k=-1, dtype=bool)",
        "np.roll puts the last token in front of the first one, before which there is nothing.": (
            "np.append(-1, ids[:-1]) -> np.roll(ids, 1)"
        ),
        "You mark the last such place only. Mark them all.": (
            "return same & seen -> "
            "return (same & seen) & ((same & seen)[:, ::-1].cumsum(1)[:, ::-1] == 1)"
        ),
        "The result should be boolean.": "return same & seen -> return (same & seen) * 1.0",
    },
    alternates=[
        lambda ids: np.array(
            [
                [0 < s <= t and ids[s - 1] == ids[t] for s in range(len(ids))]
                for t in range(len(ids))
            ]
        ),
    ],
)


@EXERCISE.alternate
def _by_a_shift(ids: Array) -> Array:
    found = np.zeros((len(ids), len(ids)), dtype=bool)
    found[:, 1:] = ids[:, None] == ids[:-1]
    return np.tril(found)

"""Exercise 3: the depth from which a model's answer stays the same."""

import numpy as np

from plainformer.exercises.spec import Array, Case, Exercise


def settled_at(streams: np.ndarray, table: np.ndarray) -> int:
    """Find the depth from which the answer stays as it is at the top.

    The answer at a depth is the word with the largest logit, the dot
    product of the stream with the word's row of the table. There is
    no norm: without gamma, RMSNorm divides all logits of a vector by
    the same number, so it would not change which is the largest.
    streams: (L, D), one token's stream at each depth, the top last.
    table: (V, D). No two logits of a depth are equal.
    Returns the smallest depth, counted from 0, from which on every
    depth gives the answer of the top.

    >>> streams = np.array([[1.0, 0], [0, 1], [1, 0], [2, 0]])
    >>> settled_at(streams, np.eye(2))
    2
    """
    answers = (streams @ table.T).argmax(axis=1)
    depth = len(answers) - 1
    while depth > 0 and answers[depth - 1] == answers[-1]:
        depth -= 1
    return depth


_Given = tuple[Array, Array]


def _draw(rng: np.random.Generator) -> _Given:
    """Streams that change their answer a few times and then keep it."""
    V, keep = 3, int(rng.integers(1, 4))
    answers = [*rng.integers(0, V, size=int(rng.integers(1, 5))), *[int(rng.integers(0, V))] * keep]
    table = np.eye(V)[rng.permutation(V)] * 2
    streams = rng.integers(0, 3, size=(len(answers), V)) / 8 + 4 * table[answers]
    streams += np.arange(V) / 64  # no two logits are equal
    return streams, table


def _given(streams: object, table: object = ((1, 0), (0, 1))) -> _Given:
    return np.array(streams, dtype=float), np.array(table, dtype=float)


EXERCISE = Exercise(
    id="blocks.transformer.3",
    title="Where is the answer settled?",
    reference=settled_at,
    points=2,
    cases=(
        Case(_given([[1, 0]]), 0),
        Case(_given([[1, 0], [2, 1]]), 0),
        Case(_given([[0, 1], [2, 1]]), 1),
        # It had the answer at the bottom, too, and gave it up.
        Case(_given([[1, 0], [0, 1], [1, 0], [2, 0]]), 2),
        # The last step changes it.
        Case(_given([[1, 0], [1, 0], [0, 1]]), 2),
        # The words are rows of a table, not the numbers of the vector.
        Case(_given([[3, 1], [1, 3], [1, 2]], [[0, 1], [1, 1]]), 0),
    ),
    generate=_draw,
    hints=(
        "Begin with the answer at every depth: the place of the largest logit.",
        "The top agrees with itself. Go down from there while the answer is the same.",
        "An answer that is right, then wrong, then right again is not settled the first time.",
    ),
    mutants={
        "You stop at the first depth that has the answer. It may be given up again higher "
        "up.": "return depth -> return int(np.argmax(answers == answers[-1]))",
        "You return the last depth that differs. It settles one above.": (
            "return depth -> return depth - 1"
        ),
        "You count depths from the top. Depth 0 is at the bottom.": (
            "return depth -> return len(answers) - 1 - depth"
        ),
        "You compare numbers of the stream. The answer is the word whose row has the largest "
        "dot product with it.": "(streams @ table.T) -> streams",
        "You count how often the answer changes.": (
            "return depth -> return int((answers[1:] != answers[:-1]).sum())"
        ),
        "You look for the smallest logit.": "argmax(axis=1) -> argmin(axis=1)",
        "Your largest logit is that of a depth, not of a word.": (
            "(streams @ table.T).argmax(axis=1) -> (streams @ table.T).argmax(axis=0)"
        ),
    },
    alternates=[
        lambda streams, table: max(
            (i + 1 for i, a in enumerate((streams @ table.T).argmax(1)[:-1])
             if a != (streams[-1] @ table.T).argmax()),
            default=0,
        ),
    ],
)  # fmt: skip


@EXERCISE.alternate
def _from_the_end(streams: Array, table: Array) -> int:
    best = np.einsum("ld,vd->lv", streams, table).argmax(-1)
    same = np.cumprod((best == best[-1])[::-1])
    return len(best) - int(same.sum())

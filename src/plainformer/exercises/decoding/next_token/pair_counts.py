"""Exercise 1: a bigram model before it is smoothed, counted from a text."""

from collections import Counter
from itertools import pairwise

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def pair_counts(ids: np.ndarray, V: int) -> np.ndarray:
    """How often each token came right after each other token.

    ids: (N,), a text of token ids from 0 to V - 1; N is 1 or
    more. Returns (V, V), whole numbers: row i, column j says
    how often token j came right after token i.

    >>> pair_counts(np.array([0, 1, 0, 1]), 2).tolist()
    [[0, 2], [1, 0]]
    """
    counts = np.zeros((V, V), dtype=int)
    np.add.at(counts, (ids[:-1], ids[1:]), 1)
    return counts


def _draw(rng: np.random.Generator) -> tuple[Array, int]:
    V = int(rng.integers(1, 6))
    return rng.integers(0, V, size=int(rng.integers(1, 16))), V


EXERCISE = Exercise(
    id="decoding.next_token.1",
    title="Count the pairs",
    reference=pair_counts,
    compare=Arrays(),
    cases=(
        Case((np.array([0, 1, 0, 1]), 2), np.array([[0, 2], [1, 0]])),
        Case((np.array([0, 0, 1, 0]), 3), np.array([[1, 1, 0], [1, 0, 0], [0, 0, 0]])),
        Case((np.array([1, 1, 1]), 2), np.array([[0, 0], [0, 2]])),
        Case((np.array([2]), 3), np.zeros((3, 3), dtype=int)),
        Case((np.array([10, 0, 10]), 11), np.eye(11, dtype=int)[::-1] * (np.arange(11) % 10 == 0)),
        Case(  # your cat is a lovely cat
            (np.array([0, 1, 2, 3, 4, 1]), 5),
            np.array(
                [
                    [0, 1, 0, 0, 0],
                    [0, 0, 1, 0, 0],
                    [0, 0, 0, 1, 0],
                    [0, 0, 0, 0, 1],
                    [0, 1, 0, 0, 0],
                ]
            ),
        ),
    ),
    generate=_draw,
    hints=(
        "A text of N tokens has N - 1 pairs of neighbours. ids[:-1] are the first of each pair. "
        "What are the second ones?",
        "Begin with np.zeros((V, V), dtype=int). The pair (i, j) adds 1 in row i, column j. A "
        "loop over the pairs will do.",
        "Without a loop: np.add.at(counts, (first, second), 1). The shorter-looking "
        "counts[first, second] += 1 adds 1 only once, however often a pair occurs.",
    ),
    mutants={
        "A pair that occurs twice counts once in yours. counts[a, b] += 1 with arrays writes "
        "each cell only once; use np.add.at, or a loop.": (
            "np.add.at(counts, (ids[:-1], ids[1:]), 1) -> counts[ids[:-1], ids[1:]] += 1"
        ),
        "Rows and columns are swapped: the row is the token that comes first, the column the "
        "one after it.": lambda ids, V: pair_counts(ids, V).T,
        "You count one pair too many, from the last token back to the first. A text is not a "
        "ring (np.roll makes it one).": lambda ids, V: pair_counts(np.append(ids, ids[0]), V),
        "Your pairs have a token between them. The task asks "
        "what came *right* after.": "(ids[:-1], ids[1:]) -> (ids[:-2], ids[2:])",
        "You count each pair in both directions. What comes after is not what "
        "comes before.": "return counts -> return counts + counts.T",
        "You cut the text into pairs and miss those that span a cut: each token but the last "
        "begins a pair.": "(ids[:-1], ids[1:]) -> (ids[: len(ids) // 2 * 2 : 2], ids[1::2])",
        "You divide each row by its sum. These are probabilities; the task asks for the counts.": (
            "return counts -> return counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)"
        ),
        "Your table ends at the largest id of this text. It has V rows and columns, whichever "
        "tokens occur.": lambda ids, V: pair_counts(ids, int(ids.max()) + 1),
        "Each of your counts is 1 too large. (Adding 1 is a kind of smoothing, due to Laplace; "
        "the task asks for the plain counts.)": lambda ids, V: pair_counts(ids, V) + 1,
    },
    alternates=[
        lambda ids, V: np.bincount(ids[:-1] * V + ids[1:], minlength=V * V).reshape(V, V),
        lambda ids, V: np.array(
            [[Counter(pairwise(ids.tolist()))[i, j] for j in range(V)] for i in range(V)]
        ),
    ],
)


@EXERCISE.mutant("You count every token that comes later. The task asks for the token right after.")
def _anywhere_later(ids: Array, V: int) -> Array:
    counts = np.zeros((V, V), dtype=int)
    for t in range(len(ids)):
        np.add.at(counts, (ids[t], ids[t + 1 :]), 1)
    return counts


@EXERCISE.alternate
def _with_a_loop(ids: Array, V: int) -> Array:
    counts = np.zeros((V, V), dtype=int)
    for i, j in pairwise(ids):
        counts[i, j] += 1
    return counts


@EXERCISE.alternate
def _one_hot(ids: Array, V: int) -> Array:
    hot = np.eye(V, dtype=int)[ids]
    return hot[:-1].T @ hot[1:]

"""Exercise 1: from counts and a random number to a word."""

import numpy as np

from plainformer.exercises.spec import Array, Case, Exact, Exercise


def sample_word(counts: np.ndarray, u: float) -> int:
    """Draw a word, each in proportion to its count.

    counts: (V,), whole numbers, 0 or more; not all are 0.
    u: a number of 0 or more and below 1.
    Returns the smallest i such that the counts up to and with
    word i sum to more than u times the sum of all. A word with
    count 0 is never drawn.

    >>> counts = np.array([2, 0, 2])
    >>> sample_word(counts, 0.25), sample_word(counts, 0.5)
    (0, 2)
    """
    ends = np.cumsum(counts)  # (V,)
    return int(np.argmax(ends > u * ends[-1]))


def _draw(rng: np.random.Generator) -> tuple[Array, float]:
    counts = rng.integers(0, 6, size=int(rng.integers(1, 8)))
    counts[int(rng.integers(len(counts)))] = 3
    edges = np.cumsum(counts)[:-1] / counts.sum()
    edges = edges[edges < 1]
    if len(edges) and rng.random() < 0.3:
        edge = float(rng.choice(edges))
        if edge * counts.sum() == round(edge * counts.sum()):  # no rounding decides
            return counts, edge
    return counts, float(rng.random())


EXERCISE = Exercise(
    id="decoding.sampling.1",
    title="Draw a word",
    reference=sample_word,
    compare=Exact(),
    cases=(
        Case((np.array([1, 3]), 0.2), 0),
        Case((np.array([1, 3]), 0.3), 1),
        Case((np.array([1, 3]), 0.25), 1),
        Case((np.array([0, 2, 0, 2]), 0.0), 1),
        Case((np.array([2, 0, 2, 0]), 0.5), 2),
        Case((np.array([40, 20, 12, 10, 8, 5, 3, 2]), 0.985), 7),
    ),
    generate=_draw,
    hints=(
        "Lay the words on a line, one after the other, each as long as its count. Which word "
        "contains the point that is u of the way along?",
        "np.cumsum gives the end of each word's stretch; the last end is the sum of all counts.",
        "The first end beyond u * ends[-1] belongs to your word: np.argmax of a boolean array "
        "finds the first True.",
    ),
    mutants={
        "At the border between two words yours takes the earlier one, so a word with count 0 "
        "can be drawn at u = 0. The sum must be *more* than u times all.": "ends > -> ends >=",
        "Yours always gives the word with the largest count. That is greedy; u "
        "must matter.": lambda counts, u: int(np.argmax(counts)),
        "You compare sums of counts with u itself, which is below 1. Compare with u times the "
        "sum of all counts.": lambda counts, u: int(np.argmax(np.cumsum(counts) > u)),
        "Yours is one word too far along the line.": lambda counts, u: min(
            sample_word(counts, u) + 1, len(counts) - 1
        ),
        "You lay the words on the line from the last to the first.": lambda counts, u: (
            len(counts) - 1 - sample_word(counts[::-1], u)
        ),
    },
)


@EXERCISE.mutant(
    "You lay the words on the line in the order of their counts. The order is that of their "
    "numbers."
)
def _sorted_first(counts: Array, u: float) -> int:
    order = np.argsort(-counts, kind="stable")
    return int(order[sample_word(counts[order], u)])


@EXERCISE.mutant(
    "You draw all words equally often. A word with twice the count must have twice the stretch."
)
def _equal_stretches(counts: Array, u: float) -> int:
    possible = np.flatnonzero(counts)
    return int(possible[int(u * len(possible))])


@EXERCISE.alternate
def _with_a_loop(counts: Array, u: float) -> int:
    goal, passed = u * sum(counts), 0
    for i, count in enumerate(counts):
        passed += count
        if passed > goal:
            return i
    raise AssertionError("u is below 1")


@EXERCISE.alternate
def _searched(counts: Array, u: float) -> int:
    ends = np.cumsum(counts)
    return int(np.searchsorted(ends, u * ends[-1], side="right"))


@EXERCISE.alternate
def _counted(counts: Array, u: float) -> int:
    ends = counts.cumsum()
    return int((ends <= u * ends[-1]).sum())

"""Exercise 2: which tokens are in the nucleus."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import numpy as np

from plainformer.exercises.compare import Exact
from plainformer.exercises.spec import Case, Exercise, Mutant


def nucleus(counts: np.ndarray, percent: int) -> list[int]:
    """The fewest words that reach a share of all, as top-p does.

    counts: (V,), whole numbers, 0 or more, not all 0. As counts,
    and not probabilities, so that no rounding decides.
    percent: the share to reach, from 1 to 100.
    Returns the words' places in counts, the most frequent first;
    of those with equal counts, the lower place first.

    >>> nucleus(np.array([10, 40, 20, 30]), 70)
    [1, 3]
    """
    order = np.argsort(-counts, kind="stable")  # (V,)
    sums = np.cumsum(counts[order])
    short = 100 * sums < percent * sums[-1]
    return order[: 1 + short.sum()].tolist()


def _with_a_loop(counts: np.ndarray, percent: int) -> list[int]:
    goal, held, found = percent * int(sum(counts)), 0, []
    for i in sorted(range(len(counts)), key=lambda i: (-counts[i], i)):
        if 100 * held >= goal:
            break
        held += int(counts[i])
        found.append(i)
    return found


def _taken_away(counts: np.ndarray, percent: int) -> list[int]:
    order = sorted(range(len(counts)), key=lambda i: -counts[i])
    spare = (100 - percent) * int(counts.sum())
    while 100 * int(counts[order[-1]]) <= spare and len(order) > 1:
        spare -= 100 * int(counts[order.pop()])
    return order


def _tail(counts: np.ndarray, percent: int, strict: bool = False, offset: int = 1) -> list[int]:
    order = np.argsort(-counts, kind="stable")
    sums = 100 * np.cumsum(counts[order])
    goal = percent * counts.sum()
    short = sums <= goal if strict else sums < goal
    return list(map(int, order[: max(1, offset + int(short.sum()))]))


def _below_the_line(counts: np.ndarray, percent: int) -> list[int]:
    return _tail(counts, percent, offset=0)


def _exceeds(counts: np.ndarray, percent: int) -> list[int]:
    return _tail(counts, percent, strict=True)


def _share_of_the_words(counts: np.ndarray, percent: int) -> list[int]:
    order = np.argsort(-counts, kind="stable")
    return list(map(int, order[: max(1, len(counts) * percent // 100)]))


def _unsorted(counts: np.ndarray, percent: int) -> list[int]:
    sums = np.cumsum(counts)
    return list(range(1 + int((100 * sums < percent * sums[-1]).sum())))


def _of_the_best(counts: np.ndarray, percent: int) -> list[int]:
    order = np.argsort(-counts, kind="stable")
    return [int(i) for i in order if 100 * counts[i] >= percent * counts.max()]


def _rarest_first(counts: np.ndarray, percent: int) -> list[int]:
    order = np.argsort(counts, kind="stable")
    sums = np.cumsum(counts[order])
    return list(map(int, order[: 1 + int((100 * sums < percent * sums[-1]).sum())]))


def _in_order_of_place(counts: np.ndarray, percent: int) -> list[int]:
    return sorted(nucleus(counts, percent))


def _ties_backwards(counts: np.ndarray, percent: int) -> list[int]:
    order = np.argsort(counts, kind="stable")[::-1]
    sums = np.cumsum(counts[order])
    return list(map(int, order[: 1 + int((100 * sums < percent * sums[-1]).sum())]))


def _how_many(counts: np.ndarray, percent: int) -> int:
    return len(nucleus(counts, percent))


def _draw(rng: np.random.Generator) -> tuple[np.ndarray, int]:
    counts = rng.integers(0, 12, size=int(rng.integers(2, 9)))
    counts[int(rng.integers(len(counts)))] = 10
    return counts, int(rng.choice([10, 25, 50, 60, 75, 80, 90, 99, 100]))


EXERCISE = Exercise(
    id="decoding.sampling.2",
    title="The nucleus",
    reference=nucleus,
    points=2,
    compare=Exact(),
    cases=(
        Case((np.array([10, 40, 20, 30]), 70), [1, 3]),
        Case((np.array([10, 40, 20, 30]), 71), [1, 3, 2]),
        Case((np.array([90, 3, 3, 2, 2]), 80), [0]),
        Case((np.array([5, 5, 5, 5]), 50), [0, 1]),
        Case((np.array([40, 20, 12, 10, 8, 5, 3, 2]), 90), [0, 1, 2, 3, 4]),
        Case((np.array([0, 3, 0, 1]), 100), [1, 3]),
    ),
    generate=_draw,
    hints=(
        "With a pencil: sort the counts, the largest first, and add them up one by one. When do "
        "you stop? Is the one at which you stop part of it?",
        "np.argsort(-counts, kind='stable') gives the places, the most frequent first, and leaves "
        "those with equal counts in the order of their places.",
        "Count the sums that fall short of the goal: 100 * sums < percent * sums[-1]. One word "
        "more than that is the nucleus.",
    ),
    mutants=(
        Mutant(
            _below_the_line,
            "Yours stops before the share is reached. The word that crosses the line belongs to "
            "the nucleus.",
        ),
        Mutant(
            _exceeds,
            "Where the sum is just the share, yours takes one word too many. To reach it is "
            "enough.",
        ),
        Mutant(
            _share_of_the_words,
            "You keep a share of the *words*. The share is of the counts: a frequent word weighs "
            "more.",
        ),
        Mutant(
            _unsorted,
            "You add the words up as they stand. The most frequent come first.",
        ),
        Mutant(
            _of_the_best,
            "You compare each word with the best one. That is min-p; here they are added up.",
        ),
        Mutant(_rarest_first, "You begin with the rarest word. Begin with the most frequent."),
        Mutant(
            _in_order_of_place,
            "The right words, but in the order of their places. Asked is the most frequent first.",
        ),
        Mutant(
            _ties_backwards,
            "Of words with equal counts yours takes the later one first. A sort turned round turns "
            "its ties round too.",
        ),
        Mutant(_how_many, "You say how many there are. Asked is which: a list of their places."),
    ),
    alternates=(_with_a_loop, _taken_away),
)

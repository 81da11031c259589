"""Exercise 2: which tokens are in the nucleus."""

import numpy as np

from plainformer.exercises.spec import Array, Case, Exact, Exercise


def nucleus(counts: np.ndarray, percent: int) -> list[int]:
    """The fewest words that reach a share of the total, as in top-p.

    counts: (V,), whole numbers, 0 or more, not all 0. They are counts
    and not probabilities, so that rounding cannot decide.
    percent: the share to reach, from 1 to 100.
    Returns the words' indices in counts, the most frequent first; of
    those with equal counts, the lower index first.

    >>> nucleus(np.array([10, 40, 20, 30]), 70)
    [1, 3]
    """
    order = np.argsort(-counts, kind="stable")  # (V,)
    sums = np.cumsum(counts[order])
    short = 100 * sums < percent * sums[-1]
    return order[: 1 + short.sum()].tolist()


def _draw(rng: np.random.Generator) -> tuple[Array, int]:
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
        "np.argsort(-counts, kind='stable') gives the indices, the most frequent first, and "
        "leaves those with equal counts in their original order.",
        "Count the sums that fall short of the goal: 100 * sums < percent * sums[-1]. One word "
        "more than that is the nucleus.",
    ),
    mutants={
        "Yours stops before the share is reached. The word that crosses the line belongs to "
        "the nucleus.": "order[: 1 + short.sum()] -> order[: max(1, short.sum())]",
        "Where the sum is exactly the share, yours takes one word too many. Reaching it is "
        "enough.": "100 * sums < -> 100 * sums <=",
        "You keep a share of the *words*. The share is of the counts: a frequent word weighs "
        "more.": "order[: 1 + short.sum()] -> order[: max(1, len(counts) * percent // 100)]",
        "You add up the words in their original order. The "
        "most frequent come first.": 'np.argsort(-counts, kind="stable") -> np.arange(len(counts))',
        "You begin with the rarest word. Begin with the most frequent.": "-counts -> counts",
        "The words are right, but in the order of their indices. The task asks for the most "
        "frequent first.": lambda counts, percent: sorted(nucleus(counts, percent)),
        "Of words with equal counts yours takes the later one first. Reversing a sort also "
        "reverses its ties.": (
            'np.argsort(-counts, kind="stable") -> np.argsort(counts, kind="stable")[::-1]'
        ),
        "You say how many there are. The task asks which ones: "
        "a list of their indices.": lambda counts, percent: len(nucleus(counts, percent)),
    },
)


@EXERCISE.mutant("You compare each word with the best one. That is min-p; here they are added up.")
def _of_the_best(counts: Array, percent: int) -> list[int]:
    order = np.argsort(-counts, kind="stable")
    return [int(i) for i in order if 100 * counts[i] >= percent * counts.max()]


@EXERCISE.alternate
def _with_a_loop(counts: Array, percent: int) -> list[int]:
    goal, held, found = percent * int(sum(counts)), 0, []
    for i in sorted(range(len(counts)), key=lambda i: (-counts[i], i)):
        if 100 * held >= goal:
            break
        held += int(counts[i])
        found.append(i)
    return found


@EXERCISE.alternate
def _taken_away(counts: Array, percent: int) -> list[int]:
    order = sorted(range(len(counts)), key=lambda i: -counts[i])
    spare = (100 - percent) * int(counts.sum())
    while 100 * int(counts[order[-1]]) <= spare and len(order) > 1:
        spare -= 100 * int(counts[order.pop()])
    return order

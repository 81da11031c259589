"""Count runs of three adjacent items."""

from collections import Counter

import numpy as np

from plainformer.exercises.spec import Case, Exercise


def count_triples(symbols: list[str]) -> dict[tuple[str, str, str], int]:
    """How often each run of three neighbours occurs in a list, in this order.

    symbols: any number of strings.
    Returns the triples as tuples, with their counts, 1 or more.

    >>> count_triples(["a", "b", "a", "b"])
    {('a', 'b', 'a'): 1, ('b', 'a', 'b'): 1}
    """
    counts: dict[tuple[str, str, str], int] = {}
    for i in range(len(symbols) - 2):
        triple = (symbols[i], symbols[i + 1], symbols[i + 2])
        counts[triple] = counts.get(triple, 0) + 1
    return counts


def _draw(rng: np.random.Generator) -> tuple[list[str]]:
    return (rng.choice(["a", "b", "ab", "c"], size=rng.integers(0, 12)).tolist(),)


EXERCISE = Exercise(
    id="course.count_triples",
    title="Three neighbours",
    reference=count_triples,
    points=2,
    cases=(
        Case((["a", "b", "c"],), {("a", "b", "c"): 1}),
        Case((["a", "a", "a", "a"],), {("a", "a", "a"): 2}),
        Case(
            (["c", "a", "t", "c", "a", "t"],),
            {
                ("c", "a", "t"): 2,
                ("a", "t", "c"): 1,
                ("t", "c", "a"): 1,
            },
        ),
        Case(
            (["ab", "c", "d", "a", "bc", "d"],),
            {
                ("ab", "c", "d"): 1,
                ("c", "d", "a"): 1,
                ("d", "a", "bc"): 1,
                ("a", "bc", "d"): 1,
            },
        ),
        Case((["a", "b"],), {}),
        Case(([],), {}),
    ),
    generate=_draw,
    hints=(
        "A list of n symbols has n - 2 triples of neighbours. At which index does the last begin?",
        "counts.get(triple, 0) is the count so far, and 0 where there is none.",
    ),
    mutants={
        "You count pairs. Three symbols stand in each tuple.": (
            "(symbols[i], symbols[i + 1], symbols[i + 2]) -> (symbols[i], symbols[i + 1])"
        ),
        "The last triple is missing: range(n) ends before n.": (
            "len(symbols) - 2 -> len(symbols) - 3"
        ),
        "Triples overlap: the next one begins one symbol later, not three.": (
            "range(len(symbols) - 2) -> range(0, len(symbols) - 2, 3)"
        ),
        "Keep the three apart, in a tuple: 'ab' + 'c' and 'a' + 'bc' are the same text.": (
            "(symbols[i], symbols[i + 1], symbols[i + 2]) -> ''.join(symbols[i : i + 3])"
        ),
        "Each triple counts 1 in yours, however often it stands there.": (
            "counts.get(triple, 0) + 1 -> 1"
        ),
    },
    alternates=[
        lambda symbols: Counter(zip(symbols, symbols[1:], symbols[2:])),  # noqa: B905
    ],
)

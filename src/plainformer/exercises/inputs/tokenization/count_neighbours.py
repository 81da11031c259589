"""Exercise 1, a warm-up: count the pairs of neighbours in a list of symbols."""

from collections import Counter
from itertools import pairwise

import numpy as np

from plainformer.exercises.spec import Case, Exercise


def count_neighbours(
    symbols: list[str],
) -> dict[tuple[str, str], int]:
    """Count how often each pair of neighbours occurs in a list.

    >>> count_neighbours(["c", "a", "c", "a", "t"])
    {('c', 'a'): 2, ('a', 'c'): 1, ('a', 't'): 1}
    """
    counts: dict[tuple[str, str], int] = {}
    for i in range(len(symbols) - 1):  # the last has no right neighbour
        pair = (symbols[i], symbols[i + 1])
        counts[pair] = counts.get(pair, 0) + 1
    return counts


Pairs = dict[tuple[str, str], int]


def _draw(rng: np.random.Generator) -> tuple[list[str]]:
    letters = "ab" if rng.random() < 0.5 else "abcd"
    return ([letters[i] for i in rng.integers(len(letters), size=rng.integers(13))],)


EXERCISE = Exercise(
    id="inputs.tokenization.1",
    title="Count the pairs",
    reference=count_neighbours,
    cases=(
        Case((["c", "a", "t"],), {("c", "a"): 1, ("a", "t"): 1}),
        Case((["c", "a", "c", "a", "t"],), {("c", "a"): 2, ("a", "c"): 1, ("a", "t"): 1}),
        Case((["a", "a", "a"],), {("a", "a"): 2}),
        Case((["ab", "c", "a", "bc"],), {("ab", "c"): 1, ("c", "a"): 1, ("a", "bc"): 1}),
        Case((["a"],), {}),
        Case(([],), {}),
    ),
    generate=_draw,
    hints=(
        "Take a pencil: how many pairs of neighbours does a list of five symbols have? "
        "And a list of one?",
        "Walk along the list by index. At index i the pair is the symbol at i with the symbol at "
        "i + 1. What is the last i for which both exist?",
        "Keep a dict from pair to count. The first time you meet a pair it is not in the dict "
        "yet: the dict's method get takes a second argument, for just that case.",
    ),
    mutants={
        "You move on by two symbols at a time, so half of the pairs are never looked at. Each "
        "symbol but the first and the last belongs to two pairs: with its left and with its "
        "right neighbour.": lambda symbols: Counter(
            (symbols[i], symbols[i + 1]) for i in range(0, len(symbols) - 1, 2)
        ),
        "The last pair is not counted: your walk ends one step too soon.": lambda symbols: Counter(
            (symbols[i], symbols[i + 1]) for i in range(len(symbols) - 2)
        ),
        "You have paired the last symbol with the first one. In Python index -1 means the "
        "last item, so symbols[i - 1] at i = 0 wraps round without an error.": lambda symbols: (
            Counter((symbols[i - 1], symbols[i]) for i in range(len(symbols)))
        ),
        "The last symbol has no neighbour to its right: your walk goes one "
        "step too far.": lambda symbols: Counter(
            (symbols[i], symbols[i + 1]) for i in range(len(symbols))
        ),
        "('c', 'a') and ('a', 'c') are two different pairs: keep the order "
        "of the text.": lambda symbols: Counter(
            (min(pair), max(pair)) for pair in pairwise(symbols)
        ),
        "Keep the two symbols apart, in a tuple. Joined, ('ab', 'c') and ('a', 'bc') would "
        "both be 'abc', and yet they are two "
        "different merges.": lambda symbols: Counter(x + y for x, y in pairwise(symbols)),
        "You add to a count that is not there: the first time you meet a pair, it is not in "
        "the dict yet. What should it start from?": "counts.get(pair, 0) -> counts[pair]",
        "You have found which pairs there are. The task also asks "
        "how often each one occurs.": "counts.get(pair, 0) + 1 -> 1",
    },
    alternates=[
        lambda symbols: Counter(pairwise(symbols)),
    ],
)


@EXERCISE.mutant(
    "In ['a', 'a', 'a'] the pair ('a', 'a') occurs twice, at index 0 and at index 1, and both "
    "count. Only a merge will have to choose between them."
)
def _without_overlaps(symbols: list[str]) -> Pairs:
    counts: Pairs = {}
    i = 0
    while i < len(symbols) - 1:
        pair = (symbols[i], symbols[i + 1])
        counts[pair] = counts.get(pair, 0) + 1
        i += 2 if (symbols[i + 1 : i + 3]) == list(pair) else 1
    return counts


@EXERCISE.alternate
def _with_sorting(symbols: list[str]) -> Pairs:
    pairs = sorted(pairwise(symbols))
    return {pair: pairs.count(pair) for pair in pairs}

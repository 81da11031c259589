"""Exercise 1, a warm-up: count the pairs of neighbours in a list of symbols."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np

from plainformer.exercises.spec import Case, Exercise, Mutant

Pairs = dict[tuple[str, str], int]


def count_neighbours(
    symbols: list[str],
) -> dict[tuple[str, str], int]:
    """Count how often each pair of neighbours stands in a list.

    >>> count_neighbours(["c", "a", "c", "a", "t"])
    {('c', 'a'): 2, ('a', 'c'): 1, ('a', 't'): 1}
    """
    counts: dict[tuple[str, str], int] = {}
    for i in range(len(symbols) - 1):  # the last has no right neighbour
        pair = (symbols[i], symbols[i + 1])
        counts[pair] = counts.get(pair, 0) + 1
    return counts


def _with_counter(symbols: list[str]) -> Pairs:
    return Counter(pairwise(symbols))


def _with_sorting(symbols: list[str]) -> Pairs:
    pairs = sorted(pairwise(symbols))
    return {pair: pairs.count(pair) for pair in pairs}


def _without_overlaps(symbols: list[str]) -> Pairs:
    counts: Pairs = {}
    i = 0
    while i < len(symbols) - 1:
        pair = (symbols[i], symbols[i + 1])
        counts[pair] = counts.get(pair, 0) + 1
        i += 2 if (symbols[i + 1 : i + 3]) == list(pair) else 1
    return counts


def _in_steps_of_two(symbols: list[str]) -> Pairs:
    return Counter((symbols[i], symbols[i + 1]) for i in range(0, len(symbols) - 1, 2))


def _without_the_last(symbols: list[str]) -> Pairs:
    return Counter((symbols[i], symbols[i + 1]) for i in range(len(symbols) - 2))


def _round_the_corner(symbols: list[str]) -> Pairs:
    return Counter((symbols[i - 1], symbols[i]) for i in range(len(symbols)))


def _past_the_end(symbols: list[str]) -> Pairs:
    return Counter((symbols[i], symbols[i + 1]) for i in range(len(symbols)))


def _in_either_order(symbols: list[str]) -> Pairs:
    return Counter((min(pair), max(pair)) for pair in pairwise(symbols))


def _joined(symbols: list[str]) -> dict[str, int]:
    return Counter(x + y for x, y in pairwise(symbols))


def _no_first_time(symbols: list[str]) -> Pairs:
    counts: Pairs = {}
    for pair in pairwise(symbols):
        counts[pair] += 1
    return counts


def _once_each(symbols: list[str]) -> Pairs:
    return dict.fromkeys(pairwise(symbols), 1)


def _draw(rng: np.random.Generator) -> tuple[list[str]]:
    letters = "ab" if rng.random() < 0.5 else "abcd"
    return ([letters[i] for i in rng.integers(len(letters), size=rng.integers(13))],)


EXERCISE = Exercise(
    id="inputs.tokenization.1",
    title="Count the pairs",
    reference=count_neighbours,
    points=1,
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
    mutants=(
        Mutant(
            _without_overlaps,
            "In ['a', 'a', 'a'] the pair ('a', 'a') stands at two places, at index 0 and at "
            "index 1, and both count. Only a merge will have to choose between them.",
        ),
        Mutant(
            _in_steps_of_two,
            "You go on by two symbols at a time, so half of the pairs are never looked at. Each "
            "symbol but the first and the last belongs to two pairs: with its left and with its "
            "right neighbour.",
        ),
        Mutant(
            _without_the_last,
            "The last pair is not counted: your walk ends one step too soon.",
        ),
        Mutant(
            _round_the_corner,
            "You have paired the last symbol with the first one. In Python index -1 means the "
            "last item, so symbols[i - 1] at i = 0 wraps round without an error.",
        ),
        Mutant(
            _past_the_end,
            "The last symbol has no neighbour to its right: your walk goes one step too far.",
        ),
        Mutant(
            _in_either_order,
            "('c', 'a') and ('a', 'c') are two different pairs: keep the order of the text.",
        ),
        Mutant(
            _joined,
            "Keep the two symbols apart, in a tuple. Joined, ('ab', 'c') and ('a', 'bc') would "
            "both be 'abc', and yet they are two different merges.",
        ),
        Mutant(
            _no_first_time,
            "You add to a count that is not there: the first time you meet a pair, it is not in "
            "the dict yet. What should it start from?",
        ),
        Mutant(
            _once_each,
            "You have found which pairs there are. Asked is also how often each one stands there.",
        ),
    ),
    alternates=(_with_counter, _with_sorting),
)

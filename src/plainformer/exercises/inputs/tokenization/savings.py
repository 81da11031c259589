"""Exercise 6, a harder one: how many tokens each merge would save."""

from collections import Counter
from itertools import groupby, pairwise

import numpy as np

from plainformer.exercises.inputs.tokenization.merge import merge
from plainformer.exercises.spec import Case, Exercise


def savings(symbols: list[str]) -> dict[tuple[str, str], int]:
    """Say for each pair of neighbours how many tokens its merge saves.

    A merge saves as many tokens as the list would get shorter if this
    pair, and no other, were merged wherever it occurs: from the left,
    with no symbol used twice.

    >>> savings(["-", "-", "-", "-", "-", "+"])
    {('-', '-'): 2, ('-', '+'): 1}
    """
    saved: dict[tuple[str, str], int] = {}
    taken: dict[tuple[str, str], int] = {}  # where each was last merged
    for i in range(len(symbols) - 1):
        pair = (symbols[i], symbols[i + 1])
        if taken.get(pair) == i - 1:  # the left symbol is gone
            continue
        saved[pair] = saved.get(pair, 0) + 1
        taken[pair] = i
    return saved


Pairs = dict[tuple[str, str], int]


def _by_merging(symbols: list[str]) -> Pairs:
    return {pair: len(symbols) - len(merge(symbols, pair)) for pair in pairwise(symbols)}


def _draw(rng: np.random.Generator) -> tuple[list[str]]:
    alphabet = ("-", "+", "--", "a")[: rng.integers(2, 5)]
    symbols: list[str] = []
    for _ in range(rng.integers(6)):  # runs, most of them short
        symbols += [alphabet[rng.integers(len(alphabet))]] * int(rng.integers(1, 6))
    return (symbols,)


def _the_count(symbols: list[str]) -> Pairs:
    return Counter(pairwise(symbols))


def _pairs_in_each_others_way(symbols: list[str]) -> Pairs:
    saved = dict.fromkeys(pairwise(symbols), 0)
    i = 0
    while i < len(symbols) - 1:
        pair = (symbols[i], symbols[i + 1])
        saved[pair] += 1
        i += 2
    return saved


EXERCISE = Exercise(
    id="inputs.tokenization.6",
    title="What a merge saves",
    reference=savings,
    points=3,
    cases=(
        Case((["c", "a", "t"],), {("c", "a"): 1, ("a", "t"): 1}),
        Case((["a", "b", "a", "b"],), {("a", "b"): 2, ("b", "a"): 1}),
        Case((["a", "a", "a"],), {("a", "a"): 1}),
        Case((["-", "-", "-", "-", "-", "+"],), {("-", "-"): 2, ("-", "+"): 1}),
        Case((["a", "a", "b", "a", "a"],), {("a", "a"): 2, ("a", "b"): 1, ("b", "a"): 1}),
        Case((["a", "b", "a", "a", "a", "a"],), {("a", "b"): 1, ("b", "a"): 1, ("a", "a"): 2}),
        Case((["--", "--", "-", "--"],), {("--", "--"): 1, ("--", "-"): 1, ("-", "--"): 1}),
        Case((["a"],), {}),
        Case(([],), {}),
    ),
    generate=_draw,
    hints=(
        "Merge by hand in ['a', 'b', 'a', 'b'] and in ['a', 'a', 'a', 'a']: both hold a pair "
        "more than once. In which of them do two occurrences of one pair share a symbol?",
        "One way that is sure to be right: merge each pair (your exercise 2) in the list as it "
        "was given, and compare the lengths.",
        "In a single pass: count each occurrence of a pair unless the same pair was counted "
        "one position to the left. So remember for each pair where you counted it last.",
    ),
    mutants={
        "Different pairs get in each other's way in your walk. Each pair is asked about on its "
        "own, as if no other were ever merged.": _pairs_in_each_others_way,
        "That is how often each pair occurs. In ['a', 'a', 'a'] the pair ('a', 'a') occurs "
        "twice, but the two share a symbol, so only one of them can be merged.": _the_count,
        "Half the count is not right either: four equal symbols in a row hold their pair three "
        "times, and merging makes two tokens of them, so two are saved.": lambda symbols: {
            p: n // 2 if p[0] == p[1] else n for p, n in _the_count(symbols).items()
        },
        "Half the count, rounded up, is right for one run of equal symbols. With several runs "
        "it is not: each run is rounded on its own.": lambda symbols: {
            p: (n + 1) // 2 if p[0] == p[1] else n for p, n in _the_count(symbols).items()
        },
        "You halve the number of equal symbols in the whole list. Only adjacent ones can be "
        "merged: an 'a' on its own stays an 'a'.": lambda symbols: {
            p: symbols.count(p[0]) // 2 if p[0] == p[1] else n
            for p, n in _the_count(symbols).items()
        },
        "Your loop skips some pairs, and those are missing. Each pair is asked about on its "
        "own, as if no other were ever merged.": lambda symbols: {
            pair: n for pair, n in _pairs_in_each_others_way(symbols).items() if n
        },
        "You have 1 for every pair, as if it were merged at one place only. It is merged "
        "wherever it occurs.": lambda symbols: dict.fromkeys(pairwise(symbols), 1),
        "That is how long the list is afterwards. The task asks "
        "how much shorter it gets.": lambda symbols: {
            pair: len(merge(symbols, pair)) for pair in pairwise(symbols)
        },
        "You count the symbols that go into the merges. Two go in and one comes out, so each "
        "merge saves one.": lambda symbols: {
            pair: 2 * n for pair, n in _by_merging(symbols).items()
        },
    },
    alternates=[
        lambda symbols: {
            pair: len(symbols) - len(merge(symbols, pair)) for pair in pairwise(symbols)
        },
    ],
)


@EXERCISE.mutant("You count each run of equal symbols once. A run of four has room for two merges.")
def _once_a_run(symbols: list[str]) -> Pairs:
    saved: Counter[tuple[str, str]] = Counter()
    before = None
    for pair in pairwise(symbols):
        saved[pair] += pair != before
        before = pair
    return saved


@EXERCISE.mutant(
    "You merge the pairs one after the other, each in the result of the previous one. Start "
    "each of them from the list as it was given."
)
def _merged_one_after_the_other(symbols: list[str]) -> Pairs:
    saved: Pairs = {}
    for pair in dict.fromkeys(pairwise(symbols)):
        shorter = merge(symbols, pair)
        saved[pair] = len(symbols) - len(shorter)
        symbols = shorter
    return saved


@EXERCISE.alternate
def _by_runs(symbols: list[str]) -> Pairs:
    """A run of n equal symbols saves n // 2; other pairs cannot overlap, so all of them count."""
    saved: Counter[tuple[str, str]] = Counter()
    runs = [(symbol, len(list(run))) for symbol, run in groupby(symbols)]
    for symbol, n in runs:
        if n > 1:
            saved[symbol, symbol] += n // 2
    for (left, _), (right, _) in pairwise(runs):
        saved[left, right] += 1
    return saved

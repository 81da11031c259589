"""Exercise 4: split a word into tokens, with merges in the order in which they were learned."""

from itertools import pairwise

import numpy as np

from plainformer.exercises.inputs.tokenization.count_neighbours import count_neighbours
from plainformer.exercises.inputs.tokenization.merge import merge
from plainformer.exercises.inputs.tokenization.train import train
from plainformer.exercises.spec import Case, Exercise


def encode(word: str, merges: list[tuple[str, str]]) -> list[str]:
    """Split a word into tokens, with merges in the order learned.

    Start with the characters. Of all pairs of neighbours, take the one
    that was learned first and merge it wherever it occurs, from the
    left. Look at all pairs again, until none of them is a merge.

    >>> merges = [("e", "l"), ("l", "y"), ("l", "o"), ("v", "el")]
    >>> encode("lovely", merges)
    ['lo', 'vel', 'y']
    """
    symbols = list(word)
    while True:
        pairs = count_neighbours(symbols)
        known = [pair for pair in pairs if pair in merges]
        if not known:
            return symbols
        first = min(known, key=merges.index)  # the lowest rank
        symbols = merge(symbols, first)


Merges = list[tuple[str, str]]


def _draw(rng: np.random.Generator) -> tuple[str, Merges]:
    def word(longest: int) -> str:
        return "".join("abc"[i] for i in rng.integers(3, size=rng.integers(2, longest)))

    merges = train([word(7) for _ in range(6)], int(rng.integers(1, 9)))
    return word(12), merges


def _one_pass(word: str, merges: Merges) -> list[str]:
    """One pass is enough for merges that were trained: a merge never makes a pair of lower rank.

    (A token is made in one way only, so whatever uses it was learned
    after it.)
    """
    symbols = list(word)
    for pair in merges:
        symbols = merge(symbols, pair)
    return symbols


EXERCISE = Exercise(
    id="inputs.tokenization.4",
    title="Encode by rank",
    reference=encode,
    points=3,
    cases=(
        Case(("cat", [("a", "t"), ("c", "at")]), ["cat"]),
        Case(("taca", [("a", "t"), ("c", "a")]), ["t", "a", "ca"]),
        Case(("lovely", [("e", "l"), ("l", "y"), ("l", "o"), ("v", "el")]), ["lo", "vel", "y"]),
        Case(("abc", [("b", "c"), ("a", "b")]), ["a", "bc"]),
        Case(("ababc", [("b", "c"), ("a", "b")]), ["ab", "a", "bc"]),
        Case(("abcd", [("a", "b"), ("c", "d"), ("b", "cd"), ("ab", "c")]), ["ab", "cd"]),
        Case(("banana", [("a", "n"), ("an", "a")]), ["b", "an", "ana"]),
        Case(("ccc", [("c", "c")]), ["cc", "c"]),
        Case(("dog", [("a", "t")]), ["d", "o", "g"]),
        Case(("abc", [("a", "b"), ("b", "c"), ("a", "bc")]), ["ab", "c"]),
        Case(("", [("a", "t")]), []),
        Case(("cat", []), ["c", "a", "t"]),
    ),
    generate=_draw,
    hints=(
        "The list of merges is a list of priorities: its index is the rank, and the lowest "
        "rank goes first, wherever in the word it is.",
        "One round: which pairs of neighbours are there now? Which of them are in the list of "
        "merges? Which of those has the lowest rank? Merge it (your exercise 2), and start over.",
        "A loop that runs until no pair is known fits well. To find the lowest rank, min with a "
        "key, or a dict from pair to rank.",
    ),
    mutants={
        "You prefer the longest merge. Rank decides, not length: a short merge learned early "
        "goes before a long one learned late.": (
            "key=merges.index -> key=lambda pair: (-len(pair[0] + pair[1]), merges.index(pair))"
        ),
        "You take the first known pair from the left. Look at all pairs of the word before you "
        "choose: the lowest rank "
        "goes first, wherever it is.": "min(known, key=merges.index) -> known[0]",
        "You take the merge that was learned last. Encoding repeats what training did, in the "
        "same order: the one learned first goes first.": "min(known -> max(known",
        "You take the smallest pair in Python's order. That settled ties in training; here the "
        "position in the list of merges decides.": "min(known, key=merges.index) -> min(known)",
        "You take the pair that is most frequent in this word. Counting was training's job: "
        "encoding only follows the list of merges.": (
            "key=merges.index -> key=lambda pair: (-pairs[pair], merges.index(pair))"
        ),
        "Only the first merge of the list is ever used. "
        "The others matter as well.": lambda word, merges: (
            encode(word, merges[:1]) if merges else list(word)
        ),
        "You stop after one merge. The new symbol makes new pairs: look again, until no pair "
        "is known.": "symbols = merge(symbols, first) -> return merge(symbols, first)",
        "You go through the merges from the last to the first. Encoding repeats what training "
        "did, in the same order: rank 0 goes first.": lambda word, merges: _one_pass(
            word, merges[::-1]
        ),
    },
    alternates=[_one_pass],
)


@EXERCISE.mutant(
    "You cut off the longest token that the vocabulary knows, from the left. That is another "
    "algorithm (WordPiece does it). Here pairs are merged in order of rank."
)
def _longest_token_from_the_left(word: str, merges: Merges) -> list[str]:
    vocab = {"".join(pair) for pair in merges}
    tokens = []
    while word:
        n = next((n for n in range(len(word), 1, -1) if word[:n] in vocab), 1)
        tokens.append(word[:n])
        word = word[n:]
    return tokens


@EXERCISE.mutant(
    "You use each merge at one place only. If its pair occurs several times, it is merged at "
    "all of these places before the next merge is applied."
)
def _each_merge_once(word: str, merges: Merges) -> list[str]:
    symbols = list(word)
    for pair in merges:
        for i, here in enumerate(pairwise(symbols)):
            if here == pair:
                symbols[i : i + 2] = ["".join(pair)]
                break
    return symbols


@EXERCISE.mutant(
    "You merge from the right end. In 'ccc' that takes the last two; read from the left, as in "
    "exercise 2."
)
def _from_the_right(word: str, merges: Merges) -> list[str]:
    symbols = list(word)
    for pair in merges:
        i = len(symbols) - 2
        while i >= 0:
            if (symbols[i], symbols[i + 1]) == pair:
                symbols[i : i + 2] = ["".join(pair)]
                i -= 1
            i -= 1
    return symbols


@EXERCISE.alternate
def _with_ranks(word: str, merges: Merges) -> list[str]:
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    symbols = list(word)
    while len(symbols) > 1:
        rank, pair = min((ranks.get(pair, len(merges)), pair) for pair in pairwise(symbols))
        if rank == len(merges):
            break
        symbols = merge(symbols, pair)
    return symbols


@EXERCISE.alternate
def _recursive(word: str, merges: Merges) -> list[str]:
    def go(symbols: list[str]) -> list[str]:
        for pair in merges:
            if pair in pairwise(symbols):
                return go(merge(symbols, pair))
        return symbols

    return go(list(word))

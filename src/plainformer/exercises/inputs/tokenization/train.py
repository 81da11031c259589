"""Exercise 3: learn merges from words, the six steps of byte-pair encoding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from plainformer.exercises.inputs.tokenization.count_pairs import count_pairs
from plainformer.exercises.inputs.tokenization.merge import merge
from plainformer.exercises.spec import Case, Exercise, Mutant

Merges = list[tuple[str, str]]


def train(words: list[str], n_merges: int) -> list[tuple[str, str]]:
    """Learn merges from a list of words; return them in the order learned.

    Each word starts as a list of its characters. Then, n_merges times: count the pairs of
    neighbours in all words together, take the most frequent pair, merge it in every word.
    Among equally frequent pairs the smallest wins, as Python compares tuples: ("a", "t") before
    ("c", "a"). No pair reaches from one word into the next. With no pair left, stop early.

    >>> train(["your", "cat", "is", "a", "lovely", "cat"], 3)
    [('a', 't'), ('c', 'at'), ('e', 'l')]
    """
    split = [list(word) for word in words]
    merges: list[tuple[str, str]] = []
    while len(merges) < n_merges:
        counts: dict[tuple[str, str], int] = {}
        for symbols in split:
            for pair, n in count_pairs(symbols).items():
                counts[pair] = counts.get(pair, 0) + n
        if not counts:
            break
        # The most frequent first: minus the count; then, among equals, the smallest pair.
        best = min(counts, key=lambda pair: (-counts[pair], pair))
        split = [merge(symbols, best) for symbols in split]
        merges.append(best)
    return merges


def _distinct_words(words: list[str], n_merges: int) -> Merges:
    """Count each distinct word once and weigh its pairs by how often the word stands there."""
    split = {word: list(word) for word in words}
    weight = Counter(words)
    merges: Merges = []
    for _ in range(n_merges):
        counts: Counter[tuple[str, str]] = Counter()
        for word, symbols in split.items():
            for pair in pairwise(symbols):
                counts[pair] += weight[word]
        if not counts:
            return merges
        most = max(counts.values())
        merges.append(min(pair for pair in counts if counts[pair] == most))
        split = {word: merge(symbols, merges[-1]) for word, symbols in split.items()}
    return merges


def _with_sorting(words: list[str], n_merges: int) -> Merges:
    split, merges = [list(word) for word in words], []
    for _ in range(n_merges):
        counts = Counter(pair for symbols in split for pair in pairwise(symbols))
        if counts:
            best = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[0][0]
            merges.append(best)
            split = [merge(symbols, best) for symbols in split]
    return merges


def _learner(
    choose: Callable[[Counter[tuple[str, str]]], tuple[str, str]],
) -> Callable[..., Merges]:
    """A training loop that chooses its pair in another way."""

    def learn(words: list[str], n_merges: int) -> Merges:
        split, merges = [list(word) for word in words], []
        for _ in range(n_merges):
            counts = Counter(pair for symbols in split for pair in pairwise(symbols))
            if not counts:
                break
            best = choose(counts)
            merges.append(best)
            split = [merge(symbols, best) for symbols in split]
        return merges

    return learn


_ties_to_the_first = _learner(lambda counts: max(counts, key=counts.__getitem__))
_ties_to_the_largest = _learner(lambda counts: max(counts, key=lambda pair: (counts[pair], pair)))
_the_rarest = _learner(lambda counts: min(counts, key=lambda pair: (counts[pair], pair)))
_by_name = _learner(min)


def _across_words(words: list[str], n_merges: int) -> Merges:
    return train(["".join(words)], n_merges)


def _each_word_once(words: list[str], n_merges: int) -> Merges:
    return train(list(dict.fromkeys(words)), n_merges)


def _never_recounted(words: list[str], n_merges: int) -> Merges:
    counts = Counter(pair for word in words for pair in pairwise(word))
    return sorted(counts, key=lambda pair: (-counts[pair], pair))[:n_merges]


def _one_too_few(words: list[str], n_merges: int) -> Merges:
    return train(words, n_merges - 1)


def _no_early_stop(words: list[str], n_merges: int) -> Merges:
    merges = train(words, n_merges)
    return merges if len(merges) == n_merges else [max([])]


def _only_repeated_pairs(words: list[str], n_merges: int) -> Merges:
    split, merges = [list(word) for word in words], []
    for _ in range(n_merges):
        counts = Counter(pair for symbols in split for pair in pairwise(symbols))
        if not counts or max(counts.values()) == 1:
            break
        best = min(counts, key=lambda pair: (-counts[pair], pair))
        merges.append(best)
        split = [merge(symbols, best) for symbols in split]
    return merges


def _draw(rng: np.random.Generator) -> tuple[list[str], int]:
    letters = "abc"[: rng.integers(2, 4)]
    stock = [
        "".join(letters[i] for i in rng.integers(len(letters), size=rng.integers(1, 6)))
        for _ in range(rng.integers(1, 5))
    ]
    words = [stock[i] for i in rng.integers(len(stock), size=rng.integers(1, 8))]
    return words, int(rng.integers(0, 7))


EXERCISE = Exercise(
    id="inputs.tokenization.3",
    title="Train",
    reference=train,
    points=3,
    cases=(
        Case((["cat", "cat", "at"], 1), [("a", "t")]),
        Case((["cat", "cat", "at"], 2), [("a", "t"), ("c", "at")]),
        Case(
            (["your", "cat", "is", "a", "lovely", "cat"], 3),
            [("a", "t"), ("c", "at"), ("e", "l")],
        ),
        Case((["aaaa", "b"], 2), [("a", "a"), ("aa", "aa")]),
        Case((["ab", "ab"], 5), [("a", "b")]),
        Case((["a", "b", "a", "b"], 3), []),
        Case((["cat"], 0), []),
        Case(([], 3), []),
    ),
    generate=_draw,
    hints=(
        "Exercises 1 and 2 do most of the work: call your count_pairs and your merge. What is "
        "left is to add up the counts of all words and to choose.",
        "Keep the words as a list of lists of symbols. In every round, count anew: after a merge "
        "there are pairs that did not exist before, such as ('c', 'at').",
        "To choose, min or max with a key that is a tuple helps: Python compares the first part, "
        "and the second part only between equals. The count should be large and the pair small, "
        "so one of the two needs a minus sign.",
    ),
    mutants=(
        Mutant(
            _ties_to_the_first,
            "Your ties go to the pair that was met first. They should go to the smallest pair, "
            "so that the result does not depend on the order of the words.",
        ),
        Mutant(
            _ties_to_the_largest,
            "Your ties go to the largest pair, and they should go to the smallest. (A max over "
            "(count, pair) prefers large pairs as well as large counts.)",
        ),
        Mutant(_the_rarest, "You take the least frequent pair. Which end of the counts is wanted?"),
        Mutant(
            _by_name,
            "You take the smallest pair, whatever its count. The count decides first; the order "
            "of the pairs matters only between equal counts.",
        ),
        Mutant(
            _across_words,
            "Some of your pairs reach from the end of one word into the next one. Count within "
            "each word, then add up.",
        ),
        Mutant(
            _each_word_once,
            "A word that stands there twice counts twice: its pairs are twice as frequent.",
        ),
        Mutant(
            _never_recounted,
            "You count once, at the start. After each merge the words have changed: merge the "
            "pair in every word, then count again.",
        ),
        Mutant(_one_too_few, "Your list is one merge short: does your loop start at 1?"),
        Mutant(
            _no_early_stop,
            "When every word is one symbol there is no pair left to choose from, and max or min "
            "of nothing is an error. Return what you have by then.",
        ),
        Mutant(
            _only_repeated_pairs,
            "You stop as soon as no pair stands there twice. Only an end of all pairs is a "
            "reason to stop early: a pair that stands there once can still be merged.",
        ),
    ),
    alternates=(_distinct_words, _with_sorting),
)

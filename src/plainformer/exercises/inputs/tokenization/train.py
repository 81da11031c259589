"""Exercise 3: learn merges from words, in the six steps of byte-pair encoding."""

from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from plainformer.exercises.inputs.tokenization.count_neighbours import count_neighbours
from plainformer.exercises.inputs.tokenization.merge import merge
from plainformer.exercises.spec import Case, Exercise


def train(words: list[str], n_merges: int) -> list[tuple[str, str]]:
    """Learn merges from words; return them in the order learned.

    Each word starts as a list of its characters, and nothing else: no
    space, no end mark. Then, n_merges times: count the pairs of
    neighbours in all words together, take the most frequent pair, merge
    it in every word. Among equally frequent pairs the smallest wins, as
    Python compares tuples: ("a", "t") before ("c", "a"). No pair
    reaches from one word into the next. With no pair left, stop early.

    >>> train(["your", "cat", "is", "a", "lovely", "cat"], 3)
    [('a', 't'), ('c', 'at'), ('e', 'l')]
    """
    split = [list(word) for word in words]
    merges: list[tuple[str, str]] = []
    while len(merges) < n_merges:
        counts: dict[tuple[str, str], int] = {}
        for symbols in split:
            for pair, n in count_neighbours(symbols).items():
                counts[pair] = counts.get(pair, 0) + n
        if not counts:
            break
        # The minus puts the highest count first; ties go to
        # the smallest pair.
        best = min(counts, key=lambda p: (-counts[p], p))
        split = [merge(symbols, best) for symbols in split]
        merges.append(best)
    return merges


Pair = tuple[str, str]

Pairs = dict[Pair, int]

Merges = list[Pair]


def _counted(split: list[list[str]]) -> Pairs:
    return Counter(pair for symbols in split for pair in pairwise(symbols))


def _smallest_of_the_most(counts: Pairs) -> Pair:
    return min(counts, key=lambda pair: (-counts[pair], pair))


def _learner(
    choose: Callable[[Pairs], Pair] = _smallest_of_the_most,
    count: Callable[[list[list[str]]], Pairs] = _counted,
    start: Callable[[str], list[str]] = list,
) -> Callable[[list[str], int], Merges]:
    """A training loop that starts, counts or chooses in another way."""

    def learn(words: list[str], n_merges: int) -> Merges:
        split = [start(word) for word in words]
        merges: Merges = []
        while len(merges) < n_merges and (counts := count(split)):
            best = choose(counts)
            merges.append(best)
            split = [merge(symbols, best) for symbols in split]
        return merges

    return learn


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
            (["your", "cat", "is", "a", "lovely", "cat"], 3), [("a", "t"), ("c", "at"), ("e", "l")]
        ),
        Case((["ab", "cd", "cd"], 1), [("c", "d")]),
        Case((["bbb", "ab"], 1), [("b", "b")]),
        Case((["ab", "ab", "aba", "ac"], 2), [("a", "b"), ("a", "c")]),
        Case((["a", "abba", "a", "abba"], 4), [("a", "b"), ("ab", "b"), ("abb", "a")]),
        Case((["aaaa", "b"], 2), [("a", "a"), ("aa", "aa")]),
        Case((["ab", "ab"], 5), [("a", "b")]),
        Case((["a", "b", "a", "b"], 3), []),
        Case((["aB", "ab", "aB"], 1), [("a", "B")]),
        Case((["cat"], 0), []),
        Case(([], 3), []),
    ),
    generate=_draw,
    hints=(
        "Exercises 1 and 2 do most of the work: call your count_neighbours and your merge. What "
        "is left is to add up the counts of all words and to choose.",
        "Keep the words as a list of lists of symbols. In every round, count anew: after a merge "
        "there are pairs that did not exist before, such as ('c', 'at').",
        "To choose, min or max with a key that is a tuple helps: Python compares the first part, "
        "and the second part only between equals. The count should be large and the pair small, "
        "so one of the two needs a minus sign.",
    ),
    mutants={
        "There is a tie, and you give it to the pair that was met first. It should go to the "
        "smallest pair, so that the result does not depend "
        "on the order of the words.": "(-counts[p], p) -> -counts[p]",
        "Your ties go to the largest pair, and they should go to the smallest. (A max over "
        "(count, pair) prefers large pairs as well as large counts.)": (
            "min(counts, key=lambda p: (-counts[p], p)) -> max(counts, key=lambda p: "
            "(counts[p], p))"
        ),
        "Your ties are settled by the joined text. Compare the pairs as tuples: ('a', 'c') "
        "comes before ('ab', 'a'), although 'aba' comes "
        "before 'ac'.": '(-counts[p], p) -> (-counts[p], "".join(p))',
        "The counts of one word have replaced those of the words before it (does your dict "
        "update itself?). Add them up.": "counts.get(pair, 0) + n -> n",
        "You count without overlaps. In 'bbb' the pair ('b', 'b') occurs twice, as it did in "
        "exercise 1, though only one of the two can be merged.": (
            "counts.get(pair, 0) + n -> counts.get(pair, 0) + len(symbols) - len(merge(symbols, "
            "pair))"
        ),
        "You have joined the words with spaces, and now there are pairs with a space in them. "
        "Count within each word, then add up.": lambda words, n_merges: train(
            [" ".join(words)], n_merges
        ),
        "You have put a mark such as '</w>' at the end of each word, as many textbooks do. "
        "Here a word is its characters and nothing else.": 'list(word) -> [*word, "</w>"]',
        "You take the least frequent pair. Which end of the "
        "counts is wanted?": "(-counts[p], p) -> (counts[p], p)",
        "You take the smallest pair, whatever its count. The count decides first; the order of "
        "the pairs matters only between equal counts.": "(-counts[p], p) -> p",
        "Some of your pairs reach from the end of one word into the next one. Count within "
        "each word, then add up.": lambda words, n_merges: train(["".join(words)], n_merges),
        "A word that occurs twice counts twice: its pairs are "
        "twice as frequent.": lambda words, n_merges: train(list(dict.fromkeys(words)), n_merges),
        "Your list is one merge short: does your loop start at 1?": lambda words, n_merges: train(
            words, n_merges - 1
        ),
        "You stop as soon as no pair occurs twice. Stop early only when there are no pairs "
        "left: a pair that occurs "
        "once can still be merged.": "if not counts -> if max(counts.values(), default=0) < 2",
    },
)


@EXERCISE.mutant(
    "You break ties as the chapter did, by the age of the symbols. Here the rule is a simpler "
    "one: the smallest pair wins, as Python compares tuples."
)
def _ties_to_the_oldest(words: list[str], n_merges: int) -> Merges:
    """The chapter's own rule: among equally frequent pairs, the one whose symbols were created
    earlier."""
    age = {letter: i for i, letter in enumerate(sorted(set("".join(words))))}

    def choose(counts: Pairs) -> Pair:
        best = min(counts, key=lambda pair: (-counts[pair], age[pair[0]], age[pair[1]]))
        age["".join(best)] = len(age)
        return best

    return _learner(choose)(words, n_merges)


@EXERCISE.mutant(
    "You count once, at the start. After each merge the words have changed: merge the pair in "
    "every word, then count again."
)
def _never_recounted(words: list[str], n_merges: int) -> Merges:
    counts = Counter(pair for word in words for pair in pairwise(word))
    return sorted(counts, key=lambda pair: (-counts[pair], pair))[:n_merges]


@EXERCISE.mutant(
    "When every word is one symbol there is no pair left to choose from, and max or min of "
    "nothing is an error. Return the merges learned so far."
)
def _no_early_stop(words: list[str], n_merges: int) -> Merges:
    merges = train(words, n_merges)
    return merges if len(merges) == n_merges else [max([])]


@EXERCISE.mutant(
    "When every word is one symbol, your list of pairs is empty, and an empty list has no item "
    "0. Return the merges learned so far."
)
def _first_of_nothing(words: list[str], n_merges: int) -> Merges:
    merges = train(words, n_merges)
    return merges if len(merges) == n_merges else [sorted(merges[:0])[0]]


@EXERCISE.alternate
def _distinct_words(words: list[str], n_merges: int) -> Merges:
    """Count each distinct word once and weight its pairs by how often the word occurs."""
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


@EXERCISE.alternate
def _with_sorting(words: list[str], n_merges: int) -> Merges:
    split, merges = [list(word) for word in words], []
    for _ in range(n_merges):
        counts = Counter(pair for symbols in split for pair in pairwise(symbols))
        if counts:
            best = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[0][0]
            merges.append(best)
            split = [merge(symbols, best) for symbols in split]
    return merges

"""Byte-pair encoding as one would do it by hand, in six steps.

Gage (1994) compressed files by replacing the most frequent pair of bytes with an unused byte, again
and again. Sennrich, Haddow and Birch (2016, section 3.2) keep the pairs as a vocabulary instead.
All words are counted again for every merge, so 4,000 merges on a book of 1 MB take many minutes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TypeVar

__all__ = ["count_pairs", "merge_pair", "train_merges_naive"]

S = TypeVar("S", bytes, str)  # a symbol, which is a piece of text in bytes or characters
H = TypeVar("H", bound=Hashable)  # anything that can represent a symbol, such as its id


def count_pairs(
    words: Mapping[tuple[H, ...], int],
) -> Counter[tuple[H, H]]:
    """Count how often each pair of adjacent symbols occurs.

    Pairs may overlap: "aaa" contains the pair ("a", "a") twice, although
    only one of the two can be merged. Each word is a tuple of symbols.

    >>> count_pairs({("c", "a", "t"): 2, ("c", "a", "r"): 1})
    Counter({('c', 'a'): 3, ('a', 't'): 2, ('a', 'r'): 1})
    """
    counts: Counter[tuple[H, H]] = Counter()
    for symbols, times in words.items():
        for pair in pairwise(symbols):
            counts[pair] += times
    return counts


def merge_pair(
    symbols: Sequence[H],
    pair: tuple[H, H],
    new: H,
) -> tuple[H, ...]:
    """Replace every occurrence of a pair by one new symbol, left to right.

    >>> merge_pair("banana", ("a", "n"), "an")
    ('b', 'an', 'an', 'a')
    >>> merge_pair("aaa", ("a", "a"), "aa")
    ('aa', 'a')
    """
    first, second = pair
    merged = []
    i, last = 0, len(symbols) - 1
    while i <= last:
        if i < last and symbols[i] == first and symbols[i + 1] == second:
            merged.append(new)
            i += 2
        else:
            merged.append(symbols[i])
            i += 1
    return tuple(merged)


def train_merges_naive(
    words: Mapping[tuple[S, ...], int],
    alphabet: Sequence[S],
    n_merges: int,
) -> Iterator[tuple[tuple[S, S], int]]:
    """Learn merges, the most frequent pair first, in the six steps.

    Each is yielded with the count of its pair. The words say how often each
    tuple of symbols occurs. The order of the alphabet, which contains all
    symbols, settles ties between pairs that occur equally often: the pair
    with the older first symbol is merged, and if that is the same, the pair
    with the older second symbol. There are fewer merges than `n_merges` if
    every word has become a single symbol before that.

    >>> words = {("c", "a", "t"): 2, ("c", "a", "r"): 1, ("a", "t"): 1}
    >>> list(train_merges_naive(words, ["a", "c", "r", "t"], 2))
    [(('a', 't'), 3), (('c', 'at'), 2)]
    """
    # 1. Start with single symbols.
    vocab = {symbol: id_ for id_, symbol in enumerate(alphabet)}
    for _ in range(n_merges):
        # 2. Count every pair of adjacent symbols.
        counts = count_pairs(words)
        if not counts:
            return
        # 3. Choose the most frequent pair; the older symbols win a tie.
        most = max(counts.values())
        ties = [pair for pair in counts if counts[pair] == most]
        pair = min(ties, key=lambda pair: (vocab[pair[0]], vocab[pair[1]]))
        new = pair[0] + pair[1]
        vocab.setdefault(new, len(vocab))  # unless it exists already
        yield pair, most
        # 4. Merge it everywhere. (5 and 6: count again, and repeat.)
        merged: Counter[tuple[S, ...]] = Counter()
        for word, times in words.items():  # two words may become one
            merged[merge_pair(word, pair, new)] += times
        words = merged

"""Learn the same merges without ever counting twice.

A merge changes only the words that contain its pair. So keep, beside the counts, a note of which
words each pair occurs in, and a queue of pairs with the most frequent first. Counts in the queue
grow old; a pair that comes out with an old count goes back in with the right one.

Sennrich, Haddow and Birch (2016, section 3.2) mention the index of words; the queue that is put
right late is how the `tokenizers` library does it.

The merges are those of `tokenizers`' `BpeTrainer`, ties included.

But:
- A word that contains the pair is gone through from end to end. That is nothing for words and slow
  for a "word" of a megabyte: train with a pattern that cuts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise

from plainformer.inputs.tokenization.bpe_steps import S, merge_pair

__all__ = ["train_merges"]


def train_merges(
    words: Mapping[tuple[S, ...], int],
    alphabet: Sequence[S],
    n_merges: int,
    *,
    never: Collection[S] = (),
) -> Iterator[tuple[tuple[S, S], int]]:
    """Learn merges, most frequent pair first, and keep the counts right.

    Args:
        words: each word, cut into symbols of the alphabet, and how often
            it occurs.
        alphabet: every symbol that occurs. Its order settles ties, as in
            `train_by_recounting`.
        n_merges: how many merges to learn. There may be fewer: at the end
            each word is one symbol.
        never: symbols that no merge may make.

    Yields:
        Each merge, and how often its pair occurred when it was merged.
        Every merge makes a symbol that no earlier one made.

    >>> words = {("c", "a", "t"): 2, ("c", "a", "r"): 1, ("a", "t"): 1}
    >>> list(train_merges(words, ["a", "c", "r", "t"], 2))
    [(('a', 't'), 3), (('c', 'at'), 2)]
    """
    # A symbol's id is its place in this list: ids are quick to compare.
    symbols = list(alphabet)
    id_of = {symbol: id_ for id_, symbol in enumerate(symbols)}
    spellings = [tuple(map(id_of.__getitem__, word)) for word in words]
    times = list(words.values())

    counts: defaultdict[tuple[int, int], int] = defaultdict(int)
    # The words in which each pair stands, by their places in the list.
    places: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
    for place, spelling in enumerate(spellings):
        for pair in pairwise(spelling):
            counts[pair] += times[place]
            places[pair].add(place)
    # A heap gives the smallest first, so the counts are negative there.
    queue = [(-count, pair) for pair, count in counts.items()]
    heapify(queue)

    while queue and n_merges > 0:
        negative, pair = heappop(queue)
        count = counts[pair]
        if count != -negative:  # an old count
            if count:
                heappush(queue, (-count, pair))
            continue
        first, second = symbols[pair[0]], symbols[pair[1]]
        if first + second in never:
            continue
        yield (first, second), count
        n_merges -= 1
        new = len(symbols)
        symbols.append(first + second)

        born = set()  # the pairs that the new symbol is part of
        for place in places.pop(pair):
            spelling = spellings[place]
            for old in pairwise(spelling):
                counts[old] -= times[place]
            spelling = spellings[place] = merge_pair(spelling, pair, new)
            for kept in pairwise(spelling):
                counts[kept] += times[place]
                if new in kept:
                    places[kept].add(place)
                    born.add(kept)
        for fresh in born:
            heappush(queue, (-counts[fresh], fresh))

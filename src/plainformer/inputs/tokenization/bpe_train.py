"""Learn the same merges as `bpe_steps.py` without counting anything twice.

A merge changes only the words that contain its pair, and in them only the counts of neighbouring
pairs. So besides the counts we keep a list of the words in which each pair occurs (Sennrich, Haddow
and Birch 2016, section 3.2, mention it), and a queue that returns the most frequent pair first. A
pair that leaves the queue with an outdated count goes back in with the right one, as in the
`BpeTrainer` of `tokenizers`, which learns the same merges, ties included.

Each merge scans every word that contains its pair from end to end, which is slow for a "word" of a
megabyte, so train with a pattern that splits the text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise

from plainformer.inputs.tokenization.bpe_steps import S

__all__ = ["train_merges"]


def train_merges(
    words: Mapping[tuple[S, ...], int],
    alphabet: Sequence[S],
    n_merges: int,
    *,
    never: Collection[S] = (),
) -> Iterator[tuple[tuple[S, S], int]]:
    """Learn merges, the most frequent pair first, and update the counts.

    Arguments and results are those of `train_merges_naive`, and no merge
    creates a symbol that is in `never`.

    >>> words = {("c", "a", "t"): 2, ("c", "a", "r"): 1, ("a", "t"): 1}
    >>> list(train_merges(words, ["a", "c", "r", "t"], 2))
    [(('a', 't'), 3), (('c', 'at'), 2)]
    """
    # A symbol's id is its index in this list: integers compare quickly.
    symbols = list(alphabet)
    id_of = {symbol: id_ for id_, symbol in enumerate(symbols)}
    spellings = [[id_of[symbol] for symbol in word] for word in words]
    times = list(words.values())

    counts: defaultdict[tuple[int, int], int] = defaultdict(int)
    # The words in which a pair occurs or occurred, each of them once, as
    # the keys of a dictionary, which keeps them in order.
    words_with: defaultdict[tuple[int, int], dict[int, None]]
    words_with = defaultdict(dict)
    for word, spelling in enumerate(spellings):
        for pair in pairwise(spelling):
            counts[pair] += times[word]
            words_with[pair][word] = None
    # A heap returns the smallest item first, so its counts are negative.
    queue = [(-count, pair) for pair, count in counts.items()]
    heapify(queue)

    while queue and n_merges > 0:
        negative, pair = heappop(queue)
        count = counts[pair]
        if count == 0:  # other merges have used up this pair
            continue
        if count != -negative:  # the count was outdated
            heappush(queue, (-count, pair))
            continue
        first, second = pair
        made = symbols[first] + symbols[second]
        if made in never:
            continue
        yield (symbols[first], symbols[second]), count
        n_merges -= 1
        if made not in id_of:  # the alphabet may contain it already
            id_of[made] = len(symbols)
            symbols.append(made)
        new = id_of[made]

        # Only pairs that contain a neighbour of the merged pair get new
        # counts. The same few neighbours recur, so they are counted first.
        before: defaultdict[int, int] = defaultdict(int)  # on the left
        after: defaultdict[int, int] = defaultdict(int)  # on the right
        for word in words_with.pop(pair):
            spelling, n = spellings[word], times[word]
            merged: list[int] = []
            i, end = 0, len(spelling)
            while i < end:
                symbol = spelling[i]
                i += 1
                if symbol == first and i < end and spelling[i] == second:
                    symbol = new
                    i += 1
                    if merged:
                        before[merged[-1]] += n
                        words_with[merged[-1], new][word] = None
                    if i < end:
                        after[spelling[i]] += n
                        words_with[new, spelling[i]][word] = None
                merged.append(symbol)
            spellings[word] = merged

        for left, n in before.items():
            counts[left, first] -= n
            counts[left, new] += n
        for right, n in after.items():
            counts[second, right] -= n
            counts[new, right] += n
        counts[pair] = 0  # last, because a pair may be its own neighbour
        for left in before:
            heappush(queue, (-counts[left, new], (left, new)))
        for right in after:
            heappush(queue, (-counts[new, right], (new, right)))

"""Apply learned merges to a word, in the order in which they were learned.

Encoding does not take the longest token that fits. The merge with the lowest rank is applied first,
and its result decides which merges are possible next, just as in training.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from heapq import heapify, heappop, heappush
from itertools import pairwise

from plainformer.inputs.tokenization.bpe_steps import S

__all__ = ["apply_merges", "apply_merges_naive"]


def apply_merges_naive(
    symbols: Iterable[S],
    ranks: Mapping[tuple[S, S], int],
) -> list[S]:
    """Merge the pair of lowest rank, leftmost first, until none has a rank.

    Each merge examines every pair, so the time grows with the square of the
    number of symbols. That is fine for a word and far too slow for a "word"
    of a million symbols. `apply_merges` gives the same result.

    >>> ranks = {("e", "r"): 0, ("l", "o"): 1, ("lo", "w"): 2}
    >>> apply_merges_naive("lower", ranks)
    ['low', 'er']
    """
    parts = list(symbols)
    while True:
        pairs = enumerate(pairwise(parts))
        ranked = [(ranks[pair], i) for i, pair in pairs if pair in ranks]
        if not ranked:
            return parts
        _, i = min(ranked)
        parts[i : i + 2] = [parts[i] + parts[i + 1]]


def apply_merges(symbols: Iterable[S], ranks: Mapping[tuple[S, S], int]) -> list[S]:
    """Merge the pair of lowest rank, the leftmost first, until no pair has a rank.

    The parts form a linked list, and a priority queue contains every pair that can be merged, with
    the lowest rank first. A merge changes two links of the list and adds at most two pairs to the
    queue, so the time grows with n log n.

    >>> list(apply_merges("lower", {("e", "r"): 0, ("l", "o"): 1, ("lo", "w"): 2}))
    ['low', 'er']
    """
    parts = list(symbols)
    if not parts:
        return parts
    n: int = len(parts)
    gone = parts[0][:0]  # the empty symbol marks a part that was merged into its left neighbour;
    parts.append(gone)  # here, a sentinel after the last part and, as parts[-1], before the first
    right = [*range(1, n + 1), n]
    left = [*range(-1, n)]
    queue = [(ranks[pair], i) for i, pair in enumerate(pairwise(parts)) if pair in ranks]
    heapify(queue)

    while queue:
        rank, i = heappop(queue)
        j = right[i]
        if ranks.get((parts[i], parts[j])) != rank:
            continue  # another merge has changed this pair in the meantime
        parts[i] += parts[j]
        parts[j] = gone
        right[i] = right[j]
        left[right[i]] = i
        for k in (left[i], i):
            pair = parts[k], parts[right[k]]
            if pair in ranks:
                heappush(queue, (ranks[pair], k))
    return [part for part in parts if part]

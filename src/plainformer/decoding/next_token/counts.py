"""How often each token followed each history: counted by sorting, found by halving.

Histories of length m are numbered 0, 1, … One of length m + 1 is one of length m with a token put
in *front* of it: "your cat" comes from "cat". So a table for each length, of pairs (number of the
shorter history, token in front), numbers all histories, with no number above (histories · V). To
look one up, begin with the last token and walk to the left. Where the walk ends is the longest
history that was seen.

A second table for each length holds pairs (number of the history, token that followed) with their
counts. Both are sorted, so a binary search finds a pair, and the followers of a history stand side
by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from plainformer.arrays import Array

__all__ = ["Level", "count_followers", "find_pairs"]


@dataclass(frozen=True)
class Level:
    """All histories of one length, and what followed them. H of them, R different pairs.

    Attributes:
        parents: (H,) sorted: (number of the history without its first token) · V + first token.
        followers: (R,) sorted: (number of the history) · V + the token that followed.
        counts: (R,) how often.
        starts: (H + 1,) where each history's followers begin, and where the last one's end.
    """

    parents: Array
    followers: Array
    counts: Array
    starts: Array

    @property
    def nbytes(self) -> int:
        """How much memory the four arrays take, in bytes."""
        return sum(a.nbytes for a in (self.parents, self.followers, self.counts, self.starts))


def count_followers(sequences: Sequence[Array], order: int, vocab_size: int) -> list[Level]:
    """Count which token followed which history, for histories of 0 to order - 1 tokens.

    A history never reaches back beyond the start of its sequence: the first token of each counts
    after the empty history alone, the second after that and after one token, and so on.

    Args:
        sequences: (T,) ids each, all below `vocab_size`.
        order: how long a history may be, plus 1.
        vocab_size: V; the number of tokens times V must be below 2⁶³.

    Returns:
        `order` levels, or fewer if no sequence is that long.

    >>> your, cat = 0, 1
    >>> levels = count_followers([np.array([your, cat, your, cat])], order=2, vocab_size=2)
    >>> levels[0].counts.tolist()  # your, cat
    [2, 2]
    >>> levels[1].followers.tolist(), levels[1].counts.tolist()  # your → cat, cat → your
    ([1, 2], [2, 1])
    """
    tokens = np.concatenate(sequences).astype(np.int64)
    place = np.concatenate([np.arange(len(each)) for each in sequences])
    at = np.arange(len(tokens))  # where a token stands that has so long a history
    history = np.zeros(len(tokens), dtype=np.int64)  # number of that history, for each of them
    parents = np.zeros(1, dtype=np.int64)  # the empty history is the only one of its length
    levels = []
    for length in range(order):
        followers, counts = np.unique(history * vocab_size + tokens[at], return_counts=True)
        starts = np.searchsorted(followers, np.arange(len(parents) + 1) * vocab_size)
        levels.append(Level(parents, followers, counts, starts))
        longer = place[at] > length
        at, history = at[longer], history[longer]
        if len(at) == 0:
            break
        keys = history * vocab_size + tokens[at - length - 1]
        parents, history = np.unique(keys, return_inverse=True)
    return levels


def find_pairs(table: Array, keys: Array) -> tuple[Array, Array]:
    """Where keys stand in a sorted table, and which of them do.

    Args:
        table: (R,) sorted, 1 or more.
        keys: (N,).

    Returns:
        (N,) places, of use only where the other, (N,) booleans, is true.

    >>> found = find_pairs(np.array([2, 5]), np.array([5, 3]))
    >>> [each.tolist() for each in found]
    [[1, 1], [True, False]]
    """
    places = np.minimum(np.searchsorted(table, keys), len(table) - 1)
    return places, table[places] == keys

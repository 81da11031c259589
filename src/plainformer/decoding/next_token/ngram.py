"""`NGramModel`: what comes next is what came next before, after the same few tokens.

The oldest language model there is, and no straw man: it learns from a text in a second, every
number in it can be checked by counting, and it is a `LogitsFn` like any other.

But: it knows nothing of what stands further back than order - 1 tokens, nor that two tokens mean
nearly the same.
"""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np

from plainformer.arrays import Array, check_size
from plainformer.decoding.ids import check_range, check_sequences, check_table
from plainformer.decoding.next_token.counts import Level, count_followers, find_pairs
from plainformer.decoding.next_token.smoothing import witten_bell

__all__ = ["NGramModel"]

KEPT = 2**21  # how many probabilities are kept, of rows that others are made of: 16 MiB
BEYOND = 2**63


class NGramModel:
    """Predicts a token from the order - 1 tokens before it, by counts.

    Counts are mixed with those of ever shorter histories, down to
    1 / V each (see `witten_bell`). A history that was never seen
    gets the row of the longest of its ends that was.

    Args:
        order: n of the n-grams counted: 1 looks at no history, 2 at
            one token, and so on.
        vocab_size: V; None takes the largest id met in `fit`, plus 1.

    Memory: the counts of N tokens take at most 32 · N · order
    bytes, and far less where histories repeat. For a million random
    ids at order 4 it is 82 MB, and 172 MB while `fit` runs; for a
    million tokens of Python's manual, read over and over, 5 MB and
    87 MB. Besides, a copy of the texts (1 to 4 bytes a token), and
    up to 16 MiB for rows that others are made of.

    >>> your, cat, a = 0, 1, 2
    >>> model = NGramModel(order=2).fit([your, cat, a, cat])
    >>> np.exp(model([[your]])).round(4).tolist()  # your, cat, a
    [[0.1429, 0.7143, 0.1429]]
    >>> [each.tolist() for each in model.followers([your])]
    [[1], [1]]
    """

    def __init__(self, order: int, *, vocab_size: int | None = None) -> None:
        self.order = check_size(order, "order")
        self._asked = None if vocab_size is None else check_size(vocab_size, "vocab_size")
        self._vocab_size = 0
        self._levels: list[Level] = []
        self._sequences: list[Array] = []
        self._rows: dict[tuple[int, int], Array] = {}

    # Learning

    def fit(self, ids: Any) -> Self:
        """Count a text, or several. What was counted before is forgotten.

        Args:
            ids: (N,) token ids; or several such sequences, each of
                its own length. No history crosses from one to the
                next.

        Raises:
            TypeError: no whole numbers.
            ValueError: nothing to count, or an id outside the
                vocabulary.
        """
        sequences = check_sequences(ids)
        largest = max(int(each.max()) for each in sequences)
        size = largest + 1 if self._asked is None else self._asked
        for each in sequences:
            check_range(each, size)
        if sum(map(len, sequences)) * size >= BEYOND:
            raise ValueError(f"vocab_size must be smaller for so long a text; got {size}")
        self._levels = count_followers(sequences, self.order, size)
        self._sequences = [each.astype(np.min_scalar_type(size - 1)) for each in sequences]
        self._vocab_size = size
        self._rows = {}
        return self

    @property
    def vocab_size(self) -> int:
        """V, the number of tokens."""
        self._check_fitted()
        return self._vocab_size

    @property
    def nbytes(self) -> int:
        """How much memory the counts take, in bytes."""
        return sum(level.nbytes for level in self._levels)

    # Asking

    def __call__(self, ids: Array) -> Array:
        """Log-probabilities of the next token, as logits.

        Args:
            ids: (B, T) token ids; only the last order - 1 matter.

        Returns:
            (B, V), finite; softmax of it gives the probabilities.

        Raises:
            TypeError, ValueError: `ids` are no (B, T) ids of the
                vocabulary, or T is 0; or `fit` was not called.
        """
        size = self.vocab_size
        ids = check_table(ids, ndim=2)
        check_range(ids, size)
        p, history = self._short_rows(ids[:, -1])  # (B, V), (B,)
        at = np.flatnonzero(history >= 0)  # whose is known
        history = history[at]
        tails = ids[:, -self.order :].astype(np.int64)
        longest = min(tails.shape[1], len(self._levels) - 1)
        for length in range(2, longest + 1):
            level = self._levels[length]
            keys = history * size + tails[at, -length]
            history, seen = find_pairs(level.parents, keys)
            at, history = at[seen], history[seen]
            if len(at) == 0:
                break
            _mix(p, at, level, history)
        return np.log(p)

    def log_probs(self, ids: Array) -> Array:
        """log P of each token of a text, given those before it.

        The first tokens have short histories, or none; each takes
        what it has.

        Args:
            ids: (N,) token ids.

        Returns:
            (N,) in nats. Without a row of V numbers for any of
            them, so a long text is done in no time.
        """
        size = self.vocab_size
        ids = check_table(ids, ndim=1)
        check_range(ids, size)
        ids = ids.astype(np.int64)
        p = np.full(len(ids), 1 / size)
        at, history = np.arange(len(ids)), np.zeros(len(ids), dtype=np.int64)
        for length, level in enumerate(self._levels):
            kinds = level.starts[history + 1] - level.starts[history]
            total = self._totals(length)[history]
            places, seen = find_pairs(level.followers, history * size + ids[at])
            count = np.where(seen, level.counts[places], 0)
            p[at] = (count + kinds * p[at]) / (total + kinds)
            if length + 1 == len(self._levels):
                break
            longer = at > length
            at, history = at[longer], history[longer]
            keys = history * size + ids[at - length - 1]
            history, seen = find_pairs(self._levels[length + 1].parents, keys)
            at, history = at[seen], history[seen]
        return np.log(p)

    def perplexity(self, ids: Array) -> float:
        """How many tokens the model wavers between, on average.

        exp of the mean of -log P(token | those before it), over all
        tokens of the text: 1 if each was certain, V if all V were
        equally likely. The first tokens count, with the histories
        they have; so a text cut in two has another perplexity.

        Args:
            ids: (N,) token ids.
        """
        return math.exp(-float(self.log_probs(ids).mean()))

    # What was counted: enough to compute the same elsewhere

    def followers(self, history: Any) -> tuple[Array, Array]:
        """Which tokens followed a history, and how often.

        Args:
            history: token ids, order - 1 or fewer; [] for none, so
                for the counts of all tokens.

        Returns:
            ids, (kinds,), rising, and counts, (kinds,); both empty
            if the history was never followed by anything.
        """
        size = self.vocab_size
        tokens = [check_size(each, "history", least=0) for each in history]
        if len(tokens) >= self.order:
            raise ValueError(
                f"history must hold fewer than order = {self.order} ids; got {len(tokens)}"
            )
        if tokens and max(tokens) >= size:
            raise ValueError(f"history must hold ids from 0 to {size - 1}; got {max(tokens)}")
        length, number = self._longest(tokens)
        if length < len(tokens):
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        return self._followers(length, number)

    @property
    def sequences(self) -> list[Array]:
        """The texts that were counted, (N,) ids each: all counts follow from them.

        They pack better than the counts do, so a page carries them.
        """
        self._check_fitted()
        return [each.copy() for each in self._sequences]

    def histories(self, length: int) -> Array:
        """All histories of a length that were followed by something.

        Args:
            length: 0 to order - 1.

        Returns:
            (H, length) token ids, in no promised order, though
            always the same.
        """
        size = self.vocab_size
        if check_size(length, "length", least=0) >= self.order:
            raise ValueError(f"length must be below order = {self.order}; got {length}")
        if length >= len(self._levels):
            return np.zeros((0, length), dtype=np.int64)
        numbers = np.arange(len(self._levels[length].parents))
        columns = []
        for level in reversed(self._levels[1 : length + 1]):
            numbers, first = np.divmod(level.parents[numbers], size)
            columns.append(first)
        return np.stack(columns, axis=1) if columns else np.zeros((1, 0), dtype=np.int64)

    # How it finds its way

    def _longest(self, tokens: list[int]) -> tuple[int, int]:
        """The longest end of these tokens that is a known history: its length and number."""
        number = 0
        for length, token in enumerate(reversed(tokens)):
            if length + 1 == len(self._levels):
                return length, number
            parents, key = self._levels[length + 1].parents, number * self._vocab_size + token
            place = int(parents.searchsorted(key))
            if place == len(parents) or parents[place] != key:
                return length, number
            number = place
        return len(tokens), number

    def _followers(self, length: int, number: int) -> tuple[Array, Array]:
        level = self._levels[length]
        here = slice(*level.starts[number : number + 2].tolist())
        return level.followers[here] - number * self._vocab_size, level.counts[here]

    def _short_rows(self, tokens: Array) -> tuple[Array, Array]:
        """Probabilities after one token each, and the numbers of these histories.

        Args:
            tokens: (B,), the last of each text.

        Returns:
            (B, V), to write into; and (B,), -1 where nothing ever followed the token, whose row is
            that of no history.
        """
        if len(self._levels) == 1:
            numbers = np.full(len(tokens), -1)
        else:
            places, seen = find_pairs(self._levels[1].parents, tokens)
            numbers = np.where(seen, places, -1)
        rows = np.empty((len(tokens), self._vocab_size))
        for row, number in zip(rows, numbers.tolist(), strict=True):
            row[:] = self._row(0, 0) if number < 0 else self._row(1, number)
        return rows, numbers

    def _row(self, length: int, number: int) -> Array:
        """(V,) probabilities after a history of one token, or none. These rows are the beginning of
        all others, so they are kept."""
        row = self._rows.get((length, number))
        if row is not None:
            return row
        size = self._vocab_size
        shorter = self._row(0, 0) if length else np.full(size, 1 / size)
        row = witten_bell.formula(shorter, *self._followers(length, number))
        if (len(self._rows) + 1) * size <= KEPT:
            self._rows[length, number] = row
        return row

    def _totals(self, length: int) -> Array:
        """(H,) how often each history of a length was followed by anything."""
        level = self._levels[length]
        return np.add.reduceat(level.counts, level.starts[:-1])

    def _check_fitted(self) -> None:
        if not self._levels:
            raise ValueError("the model must be fitted before it is asked: call fit(ids) first")


def _mix(p: Array, at: Array, level: Level, history: Array) -> None:
    """What `witten_bell` does, to many rows at once and in their place: a call of NumPy for a batch
    costs little more than one for a row.

    Args:
        p: (B, V) probabilities after the shorter histories, which is written to.
        at: (b,) the rows to change.
        level: the counts for histories of this length.
        history: (b,) their numbers.
    """
    start = level.starts[history]  # (b,)
    kinds = level.starts[history + 1] - start
    ends = np.cumsum(kinds)
    i = np.repeat(np.arange(len(at)), kinds)  # (R,) whose follower each is
    places = np.arange(len(i)) + (start - ends + kinds)[i]
    counts = level.counts[places]
    total = np.add.reduceat(counts, ends - kinds)  # (b,)
    share = np.ones(len(p))
    share[at] = kinds / (total + kinds)
    p *= share[:, None]
    tokens = level.followers[places] - history[i] * p.shape[1]
    p[at[i], tokens] += counts / (total + kinds)[i]

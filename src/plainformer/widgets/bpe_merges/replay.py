"""The merges that a BPE tokenizer applies to one text, as steps that can be gone through.

``encode`` treats each pre-token on its own and keeps only the result. Here all pre-tokens advance
together: a step takes the merge of lowest rank that is next anywhere in the text and applies it
everywhere. Each pre-token still sees its own merges in its own order, so the last step is what
``encode`` returns.

It examines every pair of a pre-token again after each merge, so it suits a short text and not a
corpus.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

from plainformer.inputs import BPETokenizer
from plainformer.inputs.tokenization import pre_tokenize, split_bytes
from plainformer.inputs.tokenization.pretokenize import with_prefix_space

__all__ = ["Replay", "Step"]


@dataclass(frozen=True)
class Step:
    """One merge rule applied everywhere: its rank, its pair, and how many tokens are left."""

    rank: int
    left: Any
    right: Any
    tokens: int


@dataclass
class Word:
    """A pre-token: how often it occurs, its symbols, and its merges as (rank, place) in order."""

    times: int
    symbols: list[Any]
    merges: list[tuple[int, int]]
    steps: list[int] = field(default_factory=list)  # the step of the text that each merge is in


class Replay:
    """The steps from single symbols to tokens for one text.

    >>> vocab = {"a": 0, "c": 1, "t": 2, " ": 3, "at": 4, "cat": 5}
    >>> tokenizer = BPETokenizer(vocab, [("a", "t"), ("c", "at")], byte_level=False)
    >>> replay = Replay(tokenizer, "cat at")
    >>> [(step.rank, step.left + step.right, step.tokens) for step in replay.steps]
    [(0, 'at', 4), (1, 'cat', 3)]
    >>> replay.symbols(0), replay.symbols(2)
    (['c', 'a', 't', ' ', 'a', 't'], ['cat', ' ', 'at'])
    """

    def __init__(self, tokenizer: BPETokenizer, text: str) -> None:
        self.text = text
        self._merges = tokenizer.merges
        self._ranks = {pair: rank for rank, pair in enumerate(tokenizer.merges)}
        spaced = with_prefix_space(text) if tokenizer.add_prefix_space else text
        self._pieces = list(pre_tokenize(spaced, tokenizer.pattern))
        split: Any = split_bytes if tokenizer.byte_level else tuple
        self._words = {
            piece: Word(times, list(split(piece)), self._find_merges(list(split(piece))))
            for piece, times in Counter(self._pieces).items()
        }

    @cached_property
    def steps(self) -> list[Step]:
        """The merges of the text in the order in which they apply, each rule once."""
        words = list(self._words.values())
        tokens = sum(word.times * len(word.symbols) for word in words)
        steps: list[Step] = []
        while words := [word for word in words if len(word.steps) < len(word.merges)]:
            rank = min(word.merges[len(word.steps)][0] for word in words)
            for word in words:
                while (
                    len(word.steps) < len(word.merges) and word.merges[len(word.steps)][0] == rank
                ):
                    word.steps.append(len(steps))
                    tokens -= word.times
            steps.append(Step(rank, *self._merges[rank], tokens))
        return steps

    def symbols(self, step: int) -> list[Any]:
        """Return the symbols of the text after the given number of steps, first to last."""
        if step > len(self.steps):
            raise ValueError(f"step must be at most {len(self.steps)}; got {step}")
        after = {piece: self._apply(word, step) for piece, word in self._words.items()}
        return [symbol for piece in self._pieces for symbol in after[piece]]

    def _find_merges(self, parts: list[Any]) -> list[tuple[int, int]]:
        """The merges of a pre-token: again and again the pair of lowest rank, leftmost first."""
        found: list[tuple[int, int]] = []
        while True:
            pairs = enumerate(pairwise(parts))
            ranked = [(self._ranks[pair], i) for i, pair in pairs if pair in self._ranks]
            if not ranked:
                return found
            found.append(min(ranked))
            _merge_at(parts, found[-1][1])

    def _apply(self, word: Word, step: int) -> list[Any]:
        """The symbols of a pre-token after the given number of steps of the text."""
        parts = list(word.symbols)
        for (_, place), done in zip(word.merges, word.steps, strict=True):
            if done >= step:
                break
            _merge_at(parts, place)
        return parts


def _merge_at(parts: list[Any], place: int) -> None:
    """Make one of the symbol at a place and the next."""
    parts[place : place + 2] = [parts[place] + parts[place + 1]]

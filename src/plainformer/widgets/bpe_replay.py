"""The merges that a BPE tokenizer applies to one text, as steps that can be gone through.

``encode`` treats each pre-token on its own and keeps only the result. Here all pre-tokens advance
together: a step takes the merge of lowest rank that is possible anywhere in the text and applies it
everywhere. Each pre-token still sees its own merges in its own order, so the last step is what
``encode`` returns.

But: it looks at every pair again after each step; for a text to look at, not for a corpus.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import regex

__all__ = ["Replay", "Step", "readable"]


@dataclass(frozen=True)
class Step:
    """One merge rule applied everywhere: its rank, its pair, and how many tokens are left."""

    rank: int
    left: Any
    right: Any
    tokens: int


class Replay:
    """The steps from single symbols to tokens for one text.

    >>> class Toy:
    ...     merges, byte_level, pattern = [("a", "t"), ("c", "at")], False, r"\\p{L}+|\\s+"
    >>> replay = Replay(Toy(), "cat at")
    >>> [(step.rank, step.left + step.right, step.tokens) for step in replay.steps]
    [(0, 'at', 4), (1, 'cat', 3)]
    >>> replay.symbols(0), replay.symbols(2)
    (['c', 'a', 't', ' ', 'a', 't'], ['cat', ' ', 'at'])
    """

    def __init__(self, tokenizer: Any, text: str) -> None:
        self.text = text
        self._merges = tokenizer.merges
        self._ranks = {pair: rank for rank, pair in enumerate(tokenizer.merges)}
        self._pieces = regex.findall(tokenizer.pattern, text)
        self._byte_level = tokenizer.byte_level

    @cached_property
    def steps(self) -> list[Step]:
        """The merges that apply to the text, in the order in which they do."""
        return self._run()[0]

    def symbols(self, step: int) -> list[Any]:
        """Return the symbols of the text after so many merges, first to last."""
        words = self._run(step)[1]
        return [symbol for piece in self._pieces for symbol in words[piece]]

    def _run(self, most: int | None = None) -> tuple[list[Step], dict[str, list[Any]]]:
        """Apply at most so many merges; return them and the symbols of each pre-token."""
        words = {piece: self._split(piece) for piece in self._pieces}
        times = dict.fromkeys(words, 0)
        for piece in self._pieces:
            times[piece] += 1
        total = sum(len(symbols) * times[piece] for piece, symbols in words.items())
        heads: dict[str, int] = {}  # the next merge of each pre-token that has one
        for piece, symbols in words.items():
            if (rank := self._lowest_rank(symbols)) is not None:
                heads[piece] = rank
        steps: list[Step] = []
        while heads and (most is None or len(steps) < most):
            rank = min(heads.values())
            left, right = self._merges[rank]
            for piece in [piece for piece, head in heads.items() if head == rank]:
                before = len(words[piece])
                words[piece] = _merge(words[piece], left, right)
                total -= (before - len(words[piece])) * times[piece]
                head = self._lowest_rank(words[piece])
                if head is None:
                    del heads[piece]
                else:
                    heads[piece] = head
            steps.append(Step(rank, left, right, total))
        return steps, words

    def _split(self, piece: str) -> list[Any]:
        """The symbols that a pre-token starts from: its bytes or its characters."""
        if not self._byte_level:
            return list(piece)
        return [bytes([value]) for value in piece.encode("utf-8")]

    def _lowest_rank(self, symbols: list[Any]) -> int | None:
        """The lowest rank among the pairs of a pre-token; None when no pair can be merged."""
        pairs = pairwise(symbols)
        return min((self._ranks[pair] for pair in pairs if pair in self._ranks), default=None)


def _merge(symbols: list[Any], left: Any, right: Any) -> list[Any]:
    """Return the symbols with every (left, right), from the left, made one."""
    merged: list[Any] = []
    for symbol in symbols:
        if merged and symbol == right and merged[-1] == left:
            merged[-1] = left + right
        else:
            merged.append(symbol)
    return merged


def readable(symbol: bytes | str) -> str:
    """Return the text of a symbol; bytes that are not whole characters show as ``<0xE2>``.

    >>> readable(b" cat"), readable("é".encode()[:1])
    (' cat', '<0xC3>')
    """
    if isinstance(symbol, str):
        return symbol
    try:
        return symbol.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(f"<0x{value:02X}>" for value in symbol)

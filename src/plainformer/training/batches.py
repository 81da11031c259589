"""Batches for a training run: random pieces of one long text, or examples of similar length.

A batch is a tuple of tensors whose last member contains the targets. An object that makes batches
has a `state_dict()`, as in PyTorch, so a run can stop and later continue with exactly the batch
that would have come next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from plainformer.arrays import as_integers, as_numpy, check_number, check_size

__all__ = ["Batches", "ExampleBatches", "TextBatches", "pad_batch"]

POOL = 50  # how many batches' worth of examples are sorted by length at a time


class Batches(Protocol):
    """An endless supply of batches whose position can be saved and restored."""

    batch_size: int

    def next_batch(self) -> tuple[Tensor, ...]:
        """Return the next batch, whose last member contains the targets."""

    def state_dict(self) -> dict[str, Any]:
        """Return the current position, as data that JSON can represent."""

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from a position that `state_dict` returned."""


class TextBatches:
    """Pieces of one long text, each beginning at a random position.

    The positions are drawn with replacement, either from `starts`, such as the beginnings of
    documents, or from all that leave room for T + 1 ids. Because of the replacement, about a third
    of the text is still unread after as many tokens as it has.

    A share of the pieces may be replaced by `repetitions`: a short run of tokens, over and over,
    that is taken from the text or, half of the time, drawn at random from its vocabulary. Ordinary
    text repeats itself too rarely for a small model to learn how to continue a repetition, which is
    what induction heads do (Olsson et al. 2022).

    >>> batches = TextBatches([5, 6, 7, 8, 9], context_length=3, batch_size=2, seed=0)
    >>> inputs, targets = batches.next_batch()
    >>> inputs.shape, bool((targets[:, :-1] == inputs[:, 1:]).all())
    (torch.Size([2, 3]), True)
    """

    def __init__(
        self,
        ids: Any,
        context_length: int,
        batch_size: int,
        seed: int = 0,
        *,
        starts: Any = None,
        repetitions: float = 0.0,
    ) -> None:
        self.ids = torch.from_numpy(as_numpy(as_integers(ids, "ids")).astype(np.int64))
        self.context_length = check_size(context_length, "context_length")
        self.batch_size = check_size(batch_size, "batch_size")
        if self.ids.ndim != 1 or len(self.ids) <= self.context_length:
            raise ValueError(
                f"ids must be (N,), more than context_length={self.context_length} tokens; "
                f"got {tuple(self.ids.shape)}"
            )
        last = len(self.ids) - self.context_length  # one after the last start
        self.starts = np.arange(last) if starts is None else as_numpy(as_integers(starts, "starts"))
        in_text = (self.starts >= 0) & (self.starts < last)
        if self.starts.ndim != 1 or not len(self.starts) or not in_text.all():
            raise ValueError(
                f"starts must be (S,) positions from 0 to {last - 1}, which leave T + 1 tokens; "
                f"got {self.starts}"
            )
        self.repetitions = check_number(repetitions, "repetitions")
        if not 0 <= self.repetitions <= 1:
            raise ValueError(f"repetitions must be from 0 to 1; got {repetitions}")
        self.vocab_size = int(self.ids.max()) + 1
        self.rng = np.random.default_rng(seed)

    def next_batch(self) -> tuple[Tensor, Tensor]:
        """Return (B, T) inputs, and (B, T) targets, which are the inputs shifted by one token."""
        starts = self.starts[self.rng.integers(len(self.starts), size=self.batch_size)]
        texts = self.ids[torch.from_numpy(starts)[:, None] + torch.arange(self.context_length + 1)]
        if self.repetitions:
            for row in np.flatnonzero(self.rng.random(self.batch_size) < self.repetitions):
                texts[row] = self._repeat(texts[row])
        return texts[:, :-1], texts[:, 1:]

    def _repeat(self, text: Tensor) -> Tensor:
        """Repeat the beginning of a text, or random tokens, up to the length of the text, T + 1."""
        longest = max(1, self.context_length // 2)
        period = int(self.rng.integers(min(8, longest), longest, endpoint=True))
        once = text[:period]
        if self.rng.random() < 0.5:
            once = torch.from_numpy(self.rng.integers(self.vocab_size, size=period))
        return once.repeat(-(-len(text) // period))[: len(text)]

    def state_dict(self) -> dict[str, Any]:
        """Return the state of the random generator."""
        return {"rng": dict(self.rng.bit_generator.state)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from the state of a random generator."""
        if state.keys() != {"rng"}:
            raise ValueError(f"state must be of TextBatches; got one with {sorted(state)}")
        self.rng.bit_generator.state = state["rng"]


class ExampleBatches:
    """Examples in a new random order in each epoch, with those of similar length together.

    The examples of a batch are padded to the longest of them, and computing with padding is wasted
    work. The shuffled examples are therefore sorted by length, a few batches' worth at a time,
    after which the batches are shuffled again. Without `length_of`, they are only shuffled. The
    last batch of an epoch may have fewer examples. `collate` turns a list of examples into a batch.

    >>> batches = ExampleBatches("abc", 2, collate=lambda letters: tuple(letters))
    >>> sorted(batches.next_batch() + batches.next_batch())
    ['a', 'b', 'c']
    """

    def __init__(
        self,
        examples: Sequence[Any],
        batch_size: int,
        *,
        collate: Callable[[list[Any]], tuple[Any, ...]],
        length_of: Callable[[Any], int] | None = None,
        seed: int = 0,
    ) -> None:
        if len(examples) == 0:
            raise ValueError("examples must hold one or more; got none")
        self.examples = examples
        self.batch_size = check_size(batch_size, "batch_size")
        self.collate, self.length_of = collate, length_of
        self.rng = np.random.default_rng(seed)
        self._begin_epoch()

    def next_batch(self) -> tuple[Any, ...]:
        """Return the next batch, which belongs to a new epoch if the last one has ended."""
        if self.position == len(self.order):
            self._begin_epoch()
        self.position += 1
        return self.collate([self.examples[i] for i in self.order[self.position - 1]])

    def state_dict(self) -> dict[str, Any]:
        """Return the generator's state when the epoch began, the position, and the epoch's size."""
        return {"rng": self.epoch_rng, "place": self.position, "batches": len(self.order)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Begin that epoch again, and skip the batches that it had already returned."""
        if state.get("batches") != len(self.order):
            raise ValueError(
                f"state must be of epochs of {len(self.order)} batches; got {state.get('batches')}"
            )
        self.rng.bit_generator.state = state["rng"]
        self._begin_epoch()
        self.position = state["place"]

    def _begin_epoch(self) -> None:
        self.epoch_rng, self.position = dict(self.rng.bit_generator.state), 0
        order = self.rng.permutation(len(self.examples)).tolist()
        B, length_of = self.batch_size, self.length_of
        if length_of is not None:
            pools = [order[i : i + POOL * B] for i in range(0, len(order), POOL * B)]
            lengths = [length_of(each) for each in self.examples]
            order = [i for pool in pools for i in sorted(pool, key=lengths.__getitem__)]
        self.order: list[list[int]] = [order[i : i + B] for i in range(0, len(order), B)]
        if length_of is not None:
            self.rng.shuffle(self.order)


def pad_batch(sequences: Sequence[Sequence[int]], pad_id: int) -> tuple[Tensor, Tensor]:
    """Pad B sequences of ids, none of them empty, to (B, T), where T is the longest length.

    The second result is a mask (B, T), which is True for tokens and False for padding.

    >>> ids, mask = pad_batch([[5, 6, 7], [8]], pad_id=0)
    >>> ids.tolist(), mask.tolist()
    ([[5, 6, 7], [8, 0, 0]], [[True, True, True], [True, False, False]])
    """
    if not sequences or not all(map(len, sequences)):
        raise ValueError("sequences must hold one or more, none of them empty")
    lengths = torch.tensor([len(each) for each in sequences])
    mask = torch.arange(int(lengths.max())) < lengths[:, None]  # (B, T)
    ids = torch.full(mask.shape, check_size(pad_id, "pad_id", least=0))
    ids[mask] = torch.tensor([int(i) for each in sequences for i in each])
    return ids, mask

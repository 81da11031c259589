"""What a step reads: places of one long text, or examples of like length.

A batch is a tuple of tensors, and its last member holds what the model is to say. Batches come
from an object that knows where it stands: `state_dict()` tells it in numbers and words, so a run
can stop, and go on with the very batch that would have come.

But: texts are drawn with replacement. After as many tokens as the text has, about a third of it has
not been read yet.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from plainformer.arrays import as_integers, as_numpy, check_size

__all__ = ["Batches", "ExampleBatches", "TextBatches", "pad_batch"]

POOL = 50  # so many batches' examples are sorted by length at a time


class Batches(Protocol):
    """An endless supply of batches that knows where it stands."""

    batch_size: int

    def next_batch(self) -> tuple[Tensor, ...]:
        """The next batch; its last member holds the targets."""
        ...

    def state_dict(self) -> dict[str, Any]:
        """Where it stands, in what JSON can hold."""
        ...

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Stand there again."""
        ...


class TextBatches:
    """B places of one long text, drawn at random: T tokens to read, and those that follow.

    Args:
        ids: (N,) the text, more than T tokens.
        length: T, how many tokens of it a model reads at once.
        batch_size: B.
        seed: of the places.

    >>> batches = TextBatches([5, 6, 7, 8, 9], length=3, batch_size=2, seed=0)
    >>> inputs, targets = batches.next_batch()
    >>> inputs.shape, bool((targets[:, :-1] == inputs[:, 1:]).all())
    (torch.Size([2, 3]), True)
    """

    def __init__(self, ids: Any, length: int, batch_size: int, seed: int = 0) -> None:
        self.ids = _as_text(ids)
        self.length = check_size(length, "length")
        self.batch_size = check_size(batch_size, "batch_size")
        if len(self.ids) <= self.length:
            raise ValueError(
                f"ids must hold more than length={self.length} tokens; got {len(self.ids)}"
            )
        self.rng = np.random.default_rng(seed)

    def next_batch(self) -> tuple[Tensor, Tensor]:
        """(B, T) inputs, and (B, T) targets: the same text, one token on."""
        starts = self.rng.integers(len(self.ids) - self.length, size=self.batch_size)
        texts = self.ids[torch.from_numpy(starts)[:, None] + torch.arange(self.length + 1)]
        return texts[:, :-1], texts[:, 1:]

    def state_dict(self) -> dict[str, Any]:
        """Where the generator stands."""
        return {"rng": dict(self.rng.bit_generator.state)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Draw from there on.

        Raises:
            ValueError: the state is of batches of another kind.
        """
        if state.keys() != {"rng"}:
            raise ValueError(f"state must be of TextBatches; got one with {sorted(state)}")
        self.rng.bit_generator.state = state["rng"]


class ExampleBatches:
    """Examples in a new order in each epoch, those of like length together.

    What stands together is padded to the longest, and padding is work for nothing. So the
    shuffled examples are sorted by length, some batches' worth at a time, then the batches are
    shuffled again.

    Args:
        examples: anything; each comes once in an epoch.
        batch_size: how many a batch holds; the last of an epoch may hold fewer.
        collate: makes a batch of a list of examples.
        length_of: an example's length; None: they stay as shuffled.
        seed: of the order.

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
        """The next batch, of a new epoch if this one has ended."""
        if self.place == len(self.order):
            self._begin_epoch()
        self.place += 1
        return self.collate([self.examples[i] for i in self.order[self.place - 1]])

    def state_dict(self) -> dict[str, Any]:
        """The generator as this epoch began, the batches given since, and how many it has."""
        return {"rng": self.began, "place": self.place, "batches": len(self.order)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Begin that epoch again, and skip what it gave.

        Raises:
            ValueError: the state is not of batches of as many examples.
        """
        if state.get("batches") != len(self.order):
            raise ValueError(
                f"state must be of epochs of {len(self.order)} batches; got {state.get('batches')}"
            )
        self.rng.bit_generator.state = state["rng"]
        self._begin_epoch()
        self.place = state["place"]

    def _begin_epoch(self) -> None:
        self.began, self.place = dict(self.rng.bit_generator.state), 0
        order = self.rng.permutation(len(self.examples)).tolist()
        B, length_of = self.batch_size, self.length_of
        if length_of is not None:
            pools = [order[i : i + POOL * B] for i in range(0, len(order), POOL * B)]
            order = [i for pool in pools for i in sorted(pool, key=self._length)]
        self.order: list[list[int]] = [order[i : i + B] for i in range(0, len(order), B)]
        if length_of is not None:
            self.rng.shuffle(self.order)

    def _length(self, index: int) -> int:
        assert self.length_of is not None
        return self.length_of(self.examples[index])


def pad_batch(sequences: Sequence[Sequence[int]], pad_id: int) -> tuple[Tensor, Tensor]:
    """Texts of several lengths as one rectangle, filled up on the right.

    Args:
        sequences: B texts of ids, none of them empty.
        pad_id: what fills.

    Returns:
        ids (B, T), T the longest; mask (B, T), True where a text is, False where it is filled.

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


def _as_text(ids: Any) -> Tensor:
    """(N,) ids as a tensor of int64."""
    array = as_integers(ids, "ids")
    if array.ndim != 1 or len(array) == 0:
        raise ValueError(f"ids must be (N,), N 1 or more; got shape {tuple(array.shape)}")
    return torch.from_numpy(as_numpy(array).astype(np.int64))

"""What the capstone's checks pass to an answer: small weights, and
models made of one table.

The repr of each is the call that creates it, so that a reader can
create it again::

    from plainformer.exercises.training.capstone.examples import *
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

__all__ = [
    "Batches",
    "Bigram",
    "Halving",
    "Weights",
    "averaging",
    "block_weights",
    "draw_batches",
    "gpt_weights",
    "one_batch",
]


class Weights(dict[str, Tensor]):
    """Named tensors whose repr is the call that creates them."""

    def __init__(self, made_by: str, tensors: dict[str, Tensor]) -> None:
        super().__init__(tensors)
        self.made_by = made_by

    def __repr__(self) -> str:
        return self.made_by

    def __reduce__(self) -> Any:  # copied as what it is
        return Weights, (self.made_by, dict(self))


def block_weights(D: int, seed: int) -> Weights:
    """A block's four matrices, drawn at random, in double precision."""
    g = torch.Generator().manual_seed(seed)
    shapes = {"qkv": (D, 3 * D), "out": (D, D), "up": (D, 4 * D), "down": (4 * D, D)}
    tensors = {name: torch.randn(shape, generator=g).double() for name, shape in shapes.items()}
    return Weights(f"block_weights({D}, seed={seed})", tensors)


def averaging(D: int, up: float = 0.0, down: float = 0.0) -> Weights:
    """A block that attends to all tokens equally: q = k = 0, v = x, and
    `out` is the identity.

    All of `up` is one number, and so is all of `down`.
    """
    eye, none = torch.eye(D).double(), torch.zeros(D, 2 * D).double()
    tensors = {
        "qkv": torch.cat([none, eye], dim=1),
        "out": eye,
        "up": torch.full((D, 4 * D), up).double(),
        "down": torch.full((4 * D, D), down).double(),
    }
    return Weights(f"averaging({D}, up={up}, down={down})", tensors)


def gpt_weights(V: int, D: int, L: int, T: int, seed: int) -> Weights:
    """The six tensors of a GPT, drawn at random, in double precision."""
    g = torch.Generator().manual_seed(seed)
    shapes = {
        "tokens": (V, D),
        "positions": (T, D),
        "qkv": (L, D, 3 * D),
        "out": (L, D, D),
        "up": (L, D, 4 * D),
        "down": (L, 4 * D, D),
    }
    tensors = {name: torch.randn(shape, generator=g).double() for name, shape in shapes.items()}
    return Weights(f"gpt_weights({V}, {D}, {L}, {T}, seed={seed})", tensors)


class Batches(list[tuple[Tensor, Tensor]]):
    """Pairs of inputs and targets whose repr is the call that creates them."""

    made_by = "Batches"

    def __repr__(self) -> str:
        return self.made_by


def draw_batches(V: int, B: int, T: int, count: int, seed: int) -> Batches:
    """`count` batches of random text; inputs and targets are (B, T) each."""
    texts = torch.randint(V, (count, B, T + 1), generator=torch.Generator().manual_seed(seed))
    batches = Batches((text[:, :-1], text[:, 1:]) for text in texts)
    batches.made_by = f"draw_batches({V}, {B}, {T}, {count}, seed={seed})"
    return batches


def one_batch(V: int, B: int, T: int, count: int, seed: int) -> Batches:
    """The same batch `count` times, so that it can be memorised."""
    batches = Batches(draw_batches(V, B, T, 1, seed) * count)
    batches.made_by = f"one_batch({V}, {B}, {T}, {count}, seed={seed})"
    return batches


class Bigram(nn.Module):
    """The smallest language model: a table with a row of V logits for each token.

    Args:
        table: V rows of V logits; or V, and all of them are 0.
        seed: draws them at random instead.
    """

    def __init__(self, table: int | list[list[float]], seed: int | None = None) -> None:
        super().__init__()
        rows = torch.zeros(table, table) if isinstance(table, int) else torch.tensor(table)
        if seed is not None:
            g = torch.Generator().manual_seed(seed)
            rows = 2 * torch.randn(rows.shape, generator=g)
        self.table = nn.Parameter(rows.double())
        said = table if isinstance(table, int) else [[round(x, 3) for x in row] for row in table]
        self.made_by = f"({said}{'' if seed is None else f', seed={seed}'})"

    def forward(self, ids: Tensor) -> Tensor:
        """(B, T) ids to (B, T, V) logits."""
        return self.table[ids]

    def __repr__(self) -> str:
        return type(self).__name__ + self.made_by


class Halving(Bigram):
    """A bigram model whose logits are halved in training mode, as a
    deterministic substitute for dropout.

    It starts in evaluation mode, until its train() is called.
    """

    def __init__(self, table: int | list[list[float]], seed: int | None = None) -> None:
        super().__init__(table, seed)
        self.eval()

    def forward(self, ids: Tensor) -> Tensor:
        """(B, T) ids to (B, T, V) logits."""
        return super().forward(ids) / (2 if self.training else 1)

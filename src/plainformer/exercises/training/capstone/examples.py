"""What the capstone's checks hand to an answer: small weights, and models of one table.

Each shows itself as the call that makes it, so that a reader can make it again::

    from plainformer.exercises.training.capstone.examples import *
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

__all__ = ["Bigram", "Forgetful", "Weights", "averaging", "block_weights", "gpt_weights"]


class Weights(dict[str, Tensor]):
    """Named tensors that show themselves as the call that makes them."""

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
    """A block that looks at all tokens alike: q = k = 0, v = x, and `out` is the identity.

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


class Bigram(nn.Module):
    """The smallest language model: a table with a row of V logits for each token.

    With a seed its numbers are random; without one they are 0.
    """

    def __init__(self, V: int, seed: int | None = None) -> None:
        super().__init__()
        table = torch.zeros(V, V).double()
        if seed is not None:
            table = torch.randn(V, V, generator=torch.Generator().manual_seed(seed)).double()
        self.table = nn.Parameter(table)
        self.made_by = f"Bigram({V}{'' if seed is None else f', seed={seed}'})"

    def forward(self, ids: Tensor) -> Tensor:
        """(B, T) ids to (B, T, V) logits."""
        return self.table[ids]

    def __repr__(self) -> str:
        return self.made_by


class Forgetful(Bigram):
    """A bigram with an extreme dropout: while it is in training mode, it forgets everything.

    It also counts what it is used for: `longest` is the longest text that it was given.
    """

    def __init__(self, V: int, seed: int | None = None) -> None:
        super().__init__(V, seed)
        self.made_by = self.made_by.replace("Bigram", "Forgetful")

    def forward(self, ids: Tensor) -> Tensor:
        """(B, T) ids to (B, T, V) logits, all 0 in training mode."""
        return super().forward(ids) * (0.0 if self.training else 1.0)

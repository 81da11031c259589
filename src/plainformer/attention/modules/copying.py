"""What a model learns if it is allowed to see the next letter: to copy it.

The model reads eight letters. Its queries and keys depend on the position alone, and its values
come from a table with a score for every pair of a letter and one that might follow it.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from plainformer.attention.self_attention import attention

__all__ = ["LETTERS", "N_READ", "guess", "letters_of", "train", "windows"]

LETTERS = " abcdefghijklmnopqrstuvwxyz"
N_READ = 8  # positions


def letters_of(text: str) -> Tensor:
    """The letters of a text as (N,) ids; any run of other characters becomes one space.

    >>> letters_of("A cat, 2").tolist()
    [1, 0, 3, 1, 20]
    """
    words = "".join(c if c in LETTERS else " " for c in text.lower()).split()
    return torch.tensor([LETTERS.index(c) for c in " ".join(words)])


def windows(text: Tensor, seed: int, count: int) -> Tensor:
    """(count, 9) random pieces of a text, each one letter longer than the model's input."""
    generator = torch.Generator().manual_seed(seed)
    start = torch.randint(len(text) - N_READ, (count, 1), generator=generator)
    return text[start + torch.arange(N_READ + 1)]


def guess(
    model: list[Tensor],
    read: Tensor,
    mask: Tensor | None,
) -> tuple[Tensor, Tensor]:
    """Predict what follows each of eight letters, and return where each position attended.

    The model consists of queries (8, 8), keys (8, 8), and a score for each pair of letters (27,
    27). From (count, 8) letters it computes logits (count, 8, 27) and weights (8, 8), which are the
    same for every text.
    """
    queries, keys, scores = model
    logits, weights = attention(queries, keys, scores[read], mask=mask)
    return logits, weights


def train(
    text: Tensor,
    mask: Tensor | None,
    steps: int = 400,
) -> list[Tensor]:
    """Train a model to predict the next letter at each position, and return it."""
    generator = torch.Generator().manual_seed(0)
    tables = 0.1 * torch.randn(2, N_READ, N_READ, generator=generator)
    model = [*tables, torch.zeros(len(LETTERS), len(LETTERS))]
    for part in model:
        part.requires_grad_()
    optimizer = torch.optim.Adam(model, lr=0.1)
    for step in range(steps):
        batch = windows(text, seed=step, count=128)
        logits, _ = guess(model, batch[:, :-1], mask)
        loss = cross_entropy(logits.mT, batch[:, 1:])
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    return [part.detach() for part in model]

"""The smallest model with an embedding, in torch: it predicts the next token from one token.

Its scores come from one table or several, the first of which is the embedding. Since the same pairs
of tokens occur again and again, the loss is a mean over the different pairs, weighted by how often
each occurs. These frequencies form a (V, V) matrix, so this is for small vocabularies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

__all__ = ["count_pairs", "least_loss", "train_tables"]


def count_pairs(ids: Tensor, vocab_size: int) -> Tensor:
    """How often token j follows token i in a text: (V, V) whole numbers.

    >>> count_pairs(torch.tensor([0, 1, 0, 1, 1]), vocab_size=2).tolist()
    [[0, 2], [1, 1]]
    """
    pair = ids[:-1] * vocab_size + ids[1:]  # a number for each pair (i, j)
    counts = torch.bincount(pair, minlength=vocab_size**2)
    return counts.reshape(vocab_size, vocab_size)


def train_tables(
    share: Tensor,
    D: int,
    seed: int,
    rows: Sequence[int] | None = None,
    scores: Callable[..., Tensor] = lambda E, U: E @ U.mT,
    steps: int = 60,
) -> tuple[Tensor, list[Tensor], float]:
    """Train tables of width D so that their scores predict the next token.

    `share` is the relative frequency of each pair (i, j), (V, V), and row i
    of the (V, V) scores contains one for each token that may follow token i.
    `rows` lists the number of rows in each table, by default two tables of V
    rows. The result is the first table before training, all tables after it,
    and the last loss, in nats per token.

    >>> share = torch.tensor([[0.0, 0.5], [0.5, 0.0]])  # 0 1 0 1 …
    >>> before, (E, U), loss = train_tables(share, D=4, seed=0)
    >>> E.shape, loss < 0.1
    (torch.Size([2, 4]), True)
    """
    generator = torch.Generator().manual_seed(seed)
    heights = [len(share)] * 2 if rows is None else rows
    drawn = (torch.randn(n, D, generator=generator) for n in heights)
    tables = [table / D**0.5 for table in drawn]
    start = tables[0].clone()
    for each in tables:
        each.requires_grad_()
    optimizer = torch.optim.Adam(tables, lr=0.05)
    for _ in range(steps):
        guess = scores(*tables).log_softmax(dim=1)  # (V, V)
        loss = -(share * guess).sum()
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    return start, [table.detach() for table in tables], loss.item()


def least_loss(share: Tensor) -> float:
    """The lowest loss that a model can reach if it sees one token and knows the pair frequencies.

    >>> round(least_loss(torch.full((2, 2), 0.25)), 4)  # ln 2
    0.6931
    """
    entropy = torch.special.entr  # entr(p) = -p ln p
    return float(entropy(share).sum() - entropy(share.sum(dim=1)).sum())

"""The loss of a language model, in training and on held-out text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from plainformer.arrays import check_size

__all__ = ["evaluation_mode", "held_out_loss", "next_token_loss"]


@contextmanager
def evaluation_mode(model: nn.Module) -> Iterator[None]:
    """Switch a model's dropout and its gradients off inside a `with` block."""
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        model.train(was_training)


def next_token_loss(model: Callable[[Tensor], Tensor], batch: tuple[Tensor, ...]) -> Tensor:
    """Compute the mean cross-entropy of the next tokens with torch's fused kernel.

    The model maps (B, T) ids to (B, T, V) logits, and the batch consists of inputs and targets,
    both (B, T). The result is that of `plainformer.training.cross_entropy`, which is slower.
    """
    inputs, targets = batch
    logits = model(inputs)  # (B, T, V)
    loss: Tensor = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
    return loss


def held_out_loss(
    model: nn.Module,
    ids: Tensor,
    context_length: int,
    batch_size: int = 16,
    max_batches: int | None = None,
) -> float:
    """Compute the mean loss in nats per token on a text that is read in consecutive pieces.

    The first tokens of each piece are predicted from little context, so a longer context length
    lowers the loss. The text, (N,) ids, has to be longer than one piece, and an incomplete piece
    at its end is ignored. With `max_batches`, at most that many batches are read, so that the time
    does not grow with the text. Their pieces are spread evenly over it and never change.

    >>> model = nn.Embedding.from_pretrained(torch.zeros(9, 9))  # all tokens are equally likely
    >>> round(held_out_loss(model, torch.arange(90) % 9, context_length=8), 4)  # ln 9
    2.1972
    """
    T = check_size(context_length, "context_length")
    check_size(batch_size, "batch_size")
    if len(ids) <= T:
        raise ValueError(f"ids must hold more than context_length={T} tokens; got {len(ids)}")
    count = (len(ids) - 1) // T
    inputs, targets = (ids[i : i + count * T].reshape(count, T) for i in (0, 1))
    if max_batches is not None:
        most = min(count, check_size(max_batches, "max_batches") * batch_size)
        chosen = torch.from_numpy(np.linspace(0, count - 1, most).round().astype(np.int64))
        inputs, targets, count = inputs[chosen], targets[chosen], most
    total = 0.0
    with evaluation_mode(model):
        for i in range(0, count, batch_size):
            batch = inputs[i : i + batch_size], targets[i : i + batch_size]
            total += next_token_loss(model, batch).item() * len(batch[0])
    return total / count

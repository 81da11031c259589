"""The loss of a language model, in training and on held-out text."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from plainformer.arrays import check_size

__all__ = ["held_out_loss", "next_token_loss"]


def next_token_loss(model: Callable[[Tensor], Tensor], batch: tuple[Tensor, ...]) -> Tensor:
    """Compute the mean cross-entropy of the next tokens with torch's fused kernel.

    The result is that of `plainformer.training.cross_entropy`, which is slower.

    Args:
        model: maps (B, T) ids to (B, T, V) logits.
        batch: (B, T) inputs and (B, T) targets.
    """
    inputs, targets = batch
    logits = model(inputs)  # (B, T, V)
    loss: Tensor = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
    return loss


@torch.no_grad()
def held_out_loss(
    model: nn.Module,
    ids: Tensor,
    context_length: int,
    batch_size: int = 16,
    max_batches: int | None = None,
) -> float:
    """Compute the mean loss in nats per token on a text that is read in consecutive pieces.

    The first tokens of each piece are predicted from little context, so a longer context length
    lowers the loss.

    Args:
        model: maps (B, T) ids to (B, T, V) logits. Its training mode is restored afterwards.
        ids: (N,), more than T tokens. An incomplete piece at the end is ignored.
        context_length: T, the length of a piece.
        batch_size: B, how many pieces are read at once.
        max_batches: read at most this many batches, of pieces that are spread evenly over the
            text and always the same, so that the time does not grow with the text. None reads
            all of it.

    Raises:
        ValueError: the text is too short.

    >>> from plainformer.blocks import DecoderOnly, TransformerConfig
    >>> config = TransformerConfig(
    ...     family="decoder", vocab_size=9, d_model=8, n_layers=1, n_heads=2, d_ff=32
    ... )
    >>> model = DecoderOnly(config, rng=torch.Generator().manual_seed(0))
    >>> loss = held_out_loss(model, torch.arange(90) % 9, context_length=8)
    >>> 2 < loss < 4  # untrained, so no better than ln 9 = 2.2
    True
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
    was_training, total = model.training, 0.0
    model.eval()
    try:
        for i in range(0, count, batch_size):
            batch = inputs[i : i + batch_size], targets[i : i + batch_size]
            total += next_token_loss(model, batch).item() * len(batch[0])
    finally:
        model.train(was_training)
    return total / count

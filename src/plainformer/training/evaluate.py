"""How good a model is on what it was never trained on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from plainformer.arrays import check_size

__all__ = ["held_out_loss", "next_token_loss"]


def next_token_loss(model: Callable[[Tensor], Tensor], batch: tuple[Tensor, ...]) -> Tensor:
    """`cross_entropy` of a model's logits, by torch's fused kernel: the same number, sooner.

    Args:
        model: (B, T) ids to (B, T, V) logits.
        batch: (B, T) inputs and (B, T) targets.
    """
    inputs, targets = batch
    logits = model(inputs)  # (B, T, V)
    loss: Tensor = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
    return loss


@torch.no_grad()
def held_out_loss(model: nn.Module, ids: Tensor, length: int, batch_size: int = 16) -> float:
    """Nats per token of a text, read in pieces of T tokens one after the other.

    A token at the beginning of its piece is predicted from little, so a longer T lowers the loss.

    Args:
        model: (B, T) ids to (B, T, V) logits. It is in training mode again afterwards, if it was.
        ids: (N,), more than T tokens. What is left over at the end is not read.
        length: T.
        batch_size: how many pieces at once.

    Raises:
        ValueError: the text is too short.

    >>> from plainformer.blocks import DecoderOnly, TransformerConfig
    >>> config = TransformerConfig(
    ...     family="decoder", vocab_size=9, d_model=8, n_layers=1, n_heads=2, d_ff=32
    ... )
    >>> loss = held_out_loss(DecoderOnly(config), torch.arange(90) % 9, length=8)
    >>> 1.5 < loss < 3  # untrained: about ln 9
    True
    """
    T = check_size(length, "length")
    check_size(batch_size, "batch_size")
    if len(ids) <= T:
        raise ValueError(f"ids must hold more than length={T} tokens; got {len(ids)}")
    count = (len(ids) - 1) // T
    inputs, targets = (ids[i : i + count * T].reshape(count, T) for i in (0, 1))
    was_training, total = model.training, 0.0
    model.eval()
    try:
        for i in range(0, count, batch_size):
            batch: Any = inputs[i : i + batch_size], targets[i : i + batch_size]
            total += next_token_loss(model, batch).item() * len(batch[0])
    finally:
        model.train(was_training)
    return total / count

"""Masked language modelling: hide some tokens of a text and let the model predict them.

A model that attends to both sides cannot learn by predicting the next token, because it can already
see that token. Since only about one token in seven is hidden at a time, it needs to read more text.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from plainformer.shapes import Array, Count, Int, Size, checked
from plainformer.training.batches import TextBatches

__all__ = ["IGNORED", "MaskedBatches", "mask_tokens"]

IGNORED = -100  # the target of tokens that were not chosen, as in torch


@checked
def mask_tokens(
    ids: Int[Array, "..."],
    rng: np.random.Generator,
    *,
    mask_id: Count,
    vocab_size: Size,
    share: float = 0.15,
) -> tuple[Int[Array, "..."], Int[Array, "..."]]:
    """Choose tokens and hide them as BERT does.

    A share of the tokens is chosen. Of these, 80 % become the mask, 10 % become a random token, and
    10 % stay as they are, so that the model cannot trust any token that it sees. The results are
    the ids that the model reads, and the targets, `IGNORED` where no token was chosen.

    Source: Devlin et al. 2019, section 3.1 and appendix A.1.

    >>> inputs, targets = mask_tokens([5, 6, 7], np.random.default_rng(3),
    ...                               mask_id=9, vocab_size=9, share=0.5)
    >>> inputs.tolist(), targets.tolist()
    ([9, 9, 7], [5, 6, -100])
    """
    if not 0 < share <= 1:
        raise ValueError(f"share must be above 0 and at most 1; got {share}")
    ids = np.asarray(ids)
    chance, fate = rng.random(ids.shape), rng.random(ids.shape)
    others = rng.integers(vocab_size, size=ids.shape)
    chosen = chance < share
    shown = np.where(fate < 0.8, mask_id, np.where(fate < 0.9, others, ids))
    return np.where(chosen, shown, ids), np.where(chosen, ids, IGNORED)


class MaskedBatches(TextBatches):
    """Random pieces of one long text, as in `TextBatches`, with newly chosen masks each time.

    >>> batches = MaskedBatches(range(9), 4, 2, mask_id=9, vocab_size=9)
    >>> [part.shape for part in batches.next_batch()]
    [torch.Size([2, 4]), torch.Size([2, 4])]
    """

    def __init__(
        self,
        ids: Any,
        context_length: int,
        batch_size: int,
        seed: int = 0,
        *,
        mask_id: int,
        vocab_size: int,
        share: float = 0.15,
    ) -> None:
        super().__init__(ids, context_length, batch_size, seed)
        self.options: Any = {"mask_id": mask_id, "vocab_size": vocab_size, "share": share}

    def next_batch(self) -> tuple[Tensor, Tensor]:
        """Return (B, T) ids with masks, and (B, T) targets."""
        texts, _ = super().next_batch()
        inputs, targets = mask_tokens(texts.numpy(), self.rng, **self.options)
        return torch.from_numpy(inputs), torch.from_numpy(targets)

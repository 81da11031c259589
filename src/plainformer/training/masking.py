"""The other objective: tokens are hidden in the middle of a text, and the model says which.

A model that reads on both sides cannot learn from the next token: it sees it. So some tokens are
chosen, most of them are replaced by a mask, and the loss counts at the chosen places alone.

But: each text is masked anew whenever it is read, and only one token in seven teaches something.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from plainformer.arrays import Array, as_integers, check_number, check_size
from plainformer.training.batches import TextBatches

__all__ = ["IGNORED", "MaskedBatches", "mask_formula", "mask_tokens"]

IGNORED = -100  # the target where the model is not asked, as torch has it


def mask_formula(
    ids: Array,
    chance: Array,
    fate: Array,
    others: Array,
    mask_id: int,
    share: float,
) -> tuple[Array, Array]:
    """Which tokens are asked for, and what stands there instead."""
    chosen = chance < share
    seen = np.where(fate < 0.8, mask_id, np.where(fate < 0.9, others, ids))
    return np.where(chosen, seen, ids), np.where(chosen, ids, IGNORED)


def mask_tokens(
    ids: Any,
    rng: np.random.Generator,
    *,
    mask_id: int,
    vocab_size: int,
    share: float = 0.15,
) -> tuple[Array, Array]:
    """Hide tokens as BERT does: of those chosen, 80 % masked, 10 % another token, 10 % as it was.

    Args:
        ids: (...), integers.
        rng: draws what is chosen, and what becomes of it.
        mask_id: the token that hides another.
        vocab_size: V; a wrong token is drawn from 0 to V - 1.
        share: of the tokens, to be chosen.

    Returns:
        What the model reads, and what it is to say: `IGNORED` where it is not asked.

    Source: Devlin et al. 2019, section 3.1 and appendix A.1.

    >>> inputs, targets = mask_tokens([5, 6, 7], np.random.default_rng(3),
    ...                               mask_id=9, vocab_size=9, share=0.5)
    >>> inputs.tolist(), targets.tolist()
    ([9, 9, 7], [5, 6, -100])
    """
    given: Array = np.asarray(as_integers(ids, "ids"))
    if not 0 < check_number(share, "share") <= 1:
        raise ValueError(f"share must be above 0 and at most 1; got {share}")
    check_size(mask_id, "mask_id", least=0)
    size = given.shape
    chance, fate = rng.random(size), rng.random(size)
    others = rng.integers(check_size(vocab_size, "vocab_size"), size=size)
    return mask_formula(given, chance, fate, others, mask_id, share)


class MaskedBatches(TextBatches):
    """Pieces of one long text, drawn at random, and masked anew each time.

    Args:
        ids, length, batch_size, seed: as of `TextBatches`.
        mask_id, vocab_size, share: as of `mask_tokens`.

    >>> batches = MaskedBatches(range(9), 4, 2, mask_id=9, vocab_size=9)
    >>> [part.shape for part in batches.next_batch()]
    [torch.Size([2, 4]), torch.Size([2, 4])]
    """

    def __init__(
        self,
        ids: Any,
        length: int,
        batch_size: int,
        seed: int = 0,
        *,
        mask_id: int,
        vocab_size: int,
        share: float = 0.15,
    ) -> None:
        super().__init__(ids, length, batch_size, seed)
        self.mask_id, self.vocab_size, self.share = mask_id, vocab_size, share

    def next_batch(self) -> tuple[Tensor, Tensor]:
        """(B, T) ids with masks, and (B, T) targets."""
        texts, _ = super().next_batch()
        inputs, targets = mask_tokens(
            texts.numpy(),
            self.rng,
            mask_id=self.mask_id,
            vocab_size=self.vocab_size,
            share=self.share,
        )
        return torch.from_numpy(inputs), torch.from_numpy(targets)

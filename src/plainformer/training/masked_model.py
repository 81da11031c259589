"""What the section *The other objective* measures: a small masked model that has to generate text.

It is as wide as the chapter's small GPT and reads the same text. It has a single layer, so that it
can read more of the text while the page is being built. It has to read more because only one token
in seven counts in its loss.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from plainformer.arrays import check_size
from plainformer.blocks import DecoderOnly, EncoderOnly
from plainformer.training.evaluate import evaluation_mode
from plainformer.training.experiment import SMALL, Curve, trained_curve
from plainformer.training.loop import Run, limit_threads
from plainformer.training.loss import perplexity
from plainformer.training.masking import IGNORED, MaskedBatches, mask_tokens
from plainformer.training.optimizers import adamw
from plainformer.training.tasks.language_model import Corpus

__all__ = [
    "MASKED", "continuation_perplexity", "fill_independently", "masked_loss",
    "sample_continuations", "train_masked",
]  # fmt: skip

MASKED = replace(SMALL, name="masked", n_layers=1, batch_size=24, steps=700, peak=1.5e-2)


def masked_loss(model: EncoderOnly, batch: tuple[Tensor, ...]) -> Tensor:
    """Compute the cross-entropy of the chosen tokens; the head is applied only to those."""
    inputs, targets = batch
    chosen = targets != IGNORED  # (B, T)
    if not chosen.any():
        raise ValueError(f"targets must have at least one chosen token; all of them are {IGNORED}")
    logits = model.head(model.encode(inputs)[chosen])  # (N, V + 1)
    loss: Tensor = F.cross_entropy(logits, targets[chosen])
    return loss


def train_masked(corpus: Corpus, steps: int = MASKED.steps, every: int = 100) -> Curve:
    """Train an encoder on one core, and record the held-out loss at intervals of `every` steps.

    Its embedding table has one more row than the tokenizer has tokens, for the mask.
    """
    settings, V = replace(MASKED, steps=steps), corpus.tokenizer.vocab_size
    T = settings.context_length
    pages = corpus.held_out[: 4000 // T * T].reshape(-1, T)
    hidden = mask_tokens(pages.numpy(), np.random.default_rng(0), mask_id=V, vocab_size=V)
    probe = tuple(map(torch.from_numpy, hidden))
    config = replace(settings.model_config(V + 1), family="encoder")
    model = EncoderOnly(config, impl="sdpa", rng=torch.Generator().manual_seed(settings.seed))
    batches = MaskedBatches(
        corpus.train, T, settings.batch_size, settings.seed, mask_id=V, vocab_size=V
    )
    optimizer = adamw(model, weight_decay=settings.weight_decay)
    run = Run(model, optimizer, settings.schedule(), batches, masked_loss)

    def evaluate() -> float:
        with evaluation_mode(model):
            return masked_loss(model, probe).item()

    with limit_threads(1):
        return trained_curve(run, steps, every, evaluate)


@torch.no_grad()
def fill_independently(model: Callable[..., Any], start: Tensor, n: int, mask_id: int) -> Tensor:
    """Append n masks to (B, T) texts and sample a token for each independently: (B, T + n)."""
    texts = F.pad(start, (0, check_size(n, "n")), value=mask_id)
    shares = model(texts)[:, -n:, :mask_id].softmax(-1)  # (B, n, V)
    g = torch.Generator().manual_seed(0)
    drawn = torch.multinomial(shares.flatten(0, 1), 1, generator=g)
    return torch.cat([start, drawn.reshape(len(start), n)], dim=1)


@torch.no_grad()
def sample_continuations(next_logits: Callable[[Tensor], Tensor], start: Tensor, n: int) -> Tensor:
    """Sample n more tokens for (B, T) texts, one after the other: (B, T + n).

    `next_logits` maps (B, T) ids to the (B, V) logits of the next token.
    """
    g, texts = torch.Generator().manual_seed(0), start
    for _ in range(check_size(n, "n")):
        drawn = torch.multinomial(next_logits(texts).softmax(-1), 1, generator=g)
        texts = torch.cat([texts, drawn], dim=1)
    return texts


@torch.no_grad()
def continuation_perplexity(judge: DecoderOnly, texts: Tensor, after: int) -> float:
    """Compute the perplexity of a language model on (B, T) texts, after their first tokens."""
    logits = judge(texts[:, :-1])[:, after - 1 :]
    return perplexity(F.cross_entropy(logits.flatten(0, 1), texts[:, after:].flatten()).item())

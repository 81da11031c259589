"""What the section *The other objective* measures: a small masked model, which then has to write.

It is as wide as the chapter's small GPT, and reads the same text. With one layer it learns within
a page's time; it needs more text for that, for only one token in seven teaches it something.
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
from plainformer.training.experiment import SMALL, Curve
from plainformer.training.loop import Progress, Run, train
from plainformer.training.loss import perplexity
from plainformer.training.masking import IGNORED, MaskedBatches, mask_tokens
from plainformer.training.optimizers import adamw
from plainformer.training.tasks.language_model import Corpus
from plainformer.training.tasks.running import threads_for_a_while

__all__ = ["MASKED", "fill_at_once", "learn_masked", "masked_loss", "surprise", "write_on"]

MASKED = replace(SMALL, name="masked", n_layers=1, batch_size=24, steps=700, peak=1.5e-2)


def masked_loss(model: EncoderOnly, batch: tuple[Tensor, ...]) -> Tensor:
    """Cross-entropy at the places that were chosen.

    The head, the costly part, reads these places alone.

    Raises:
        ValueError: no place was chosen; a mean of nothing is no number.
    """
    inputs, targets = batch
    asked = targets != IGNORED  # (B, T)
    if not asked.any():
        raise ValueError(f"targets must ask for one token or more; all of them are {IGNORED}")
    logits = model.head(model.encode(inputs)[asked])  # (N, V + 1)
    loss: Tensor = F.cross_entropy(logits, targets[asked])
    return loss


def learn_masked(corpus: Corpus, steps: int = MASKED.steps, every: int = 100) -> Curve:
    """Train an encoder on one core; ask for its loss on held-out text now and then.

    Its table has a row more than the tokenizer has tokens: the last one is the mask.
    """
    settings, V = replace(MASKED, steps=steps), corpus.tokenizer.vocab_size
    T = settings.length
    pages = corpus.held_out[: 4000 // T * T].reshape(-1, T)
    hidden = mask_tokens(pages.numpy(), np.random.default_rng(0), mask_id=V, vocab_size=V)
    asked = tuple(map(torch.from_numpy, hidden))
    config = replace(settings.model_config(V + 1), family="encoder")
    model = EncoderOnly(config, impl="sdpa", rng=torch.Generator().manual_seed(settings.seed))
    batches = MaskedBatches(
        corpus.read, T, settings.batch_size, settings.seed, mask_id=V, vocab_size=V
    )
    run = Run(
        model,
        adamw(model, weight_decay=settings.weight_decay),
        settings.schedule(),
        batches,
        masked_loss,
    )
    losses: list[float] = []
    held_out: list[tuple[int, float]] = []

    def report(progress: Progress) -> None:
        losses.append(progress.loss)
        if progress.step % every == 0:
            model.eval()
            with torch.no_grad():
                held_out.append((progress.step, masked_loss(model, asked).item()))
            model.train()

    with threads_for_a_while(1):
        train(run, steps, report=report)
    return Curve(model.eval(), losses, held_out)


@torch.no_grad()
def fill_at_once(model: Callable[..., Any], start: Tensor, n: int, mask_id: int) -> Tensor:
    """(B, T) beginnings and n masks, each mask filled by a draw of its own: (B, T + n)."""
    texts = F.pad(start, (0, check_size(n, "n")), value=mask_id)
    shares = model(texts)[:, -n:, :mask_id].softmax(-1)  # (B, n, V)
    g = torch.Generator().manual_seed(0)
    drawn = torch.multinomial(shares.flatten(0, 1), 1, generator=g)
    return torch.cat([start, drawn.reshape(len(start), n)], dim=1)


@torch.no_grad()
def write_on(next_logits: Callable[[Tensor], Tensor], start: Tensor, n: int) -> Tensor:
    """(B, T) beginnings, and n tokens more, drawn one by one: (B, T + n).

    Args:
        next_logits: (B, T) ids to the (B, V) logits of the next.
        start: (B, T).
        n: how many to add.
    """
    g, texts = torch.Generator().manual_seed(0), start
    for _ in range(check_size(n, "n")):
        drawn = torch.multinomial(next_logits(texts).softmax(-1), 1, generator=g)
        texts = torch.cat([texts, drawn], dim=1)
    return texts


@torch.no_grad()
def surprise(judge: DecoderOnly, texts: Tensor, after: int) -> float:
    """The perplexity of a language model on (B, T) texts, from a place on."""
    logits = judge(texts[:, :-1])[:, after - 1 :]
    return perplexity(F.cross_entropy(logits.flatten(0, 1), texts[:, after:].flatten()).item())

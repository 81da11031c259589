"""What the chapter *Language model* measures: a small run, an overfed one, and plain counts."""

from __future__ import annotations

from dataclasses import dataclass, replace

from torch import nn

from plainformer.decoding import NGramModel, sequence_log_prob
from plainformer.training.evaluate import held_out_loss
from plainformer.training.loop import Progress, train
from plainformer.training.tasks.language_model import (
    Corpus,
    LanguageModelSettings,
    new_run,
    read_corpus,
)
from plainformer.training.tasks.running import threads_for_a_while

__all__ = ["SMALL", "Curve", "count_losses", "learn", "small_corpus"]

# Two layers, some 166,000 parameters: it learns within a page's time.
SMALL = LanguageModelSettings(
    name="small",
    n_layers=2,
    d_model=64,
    length=64,
    batch_size=12,
    steps=400,
    peak=5e-3,
)


@dataclass(frozen=True)
class Curve:
    """A run: its model, and the loss by step.

    Attributes:
        model: as it is at the end.
        loss: (N,) of each step's batch, before the step.
        held_out: pairs of a step and the loss on text never read.
    """

    model: nn.Module
    loss: list[float]
    held_out: list[tuple[int, float]]


def small_corpus(part: float = 1.0) -> Corpus:
    """The manual of this Python; `part` of it is trained on."""
    corpus = read_corpus(SMALL)
    return replace(corpus, read=corpus.read[: int(len(corpus.read) * part)])


def learn(
    corpus: Corpus,
    settings: LanguageModelSettings = SMALL,
    every: int = 50,
) -> Curve:
    """Train on one core; ask for the held-out loss now and then."""
    run = new_run(settings, corpus)
    losses: list[float] = []
    held_out = []
    text = corpus.held_out[:4001]

    def report(progress: Progress) -> None:
        losses.append(progress.loss)
        if progress.step % every == 0:
            loss = held_out_loss(run.model, text, settings.length)
            held_out.append((progress.step, loss))

    with threads_for_a_while(1):
        first = held_out_loss(run.model, text, settings.length)
        held_out.append((0, first))
        train(run, settings.steps, report=report)
    return Curve(run.model.eval(), losses, held_out)


def count_losses(corpus: Corpus, orders: tuple[int, ...]) -> dict[int, float]:
    """Nats per token of n-gram models on the same held-out text."""
    text, size = corpus.held_out[:4001].tolist(), corpus.tokenizer.vocab_size
    losses = {}
    for order in orders:
        counts = NGramModel(order, vocab_size=size).fit(corpus.read.tolist())
        losses[order] = -sequence_log_prob(counts, text) / (len(text) - 1)
    return losses

"""What the chapter *Language model* measures: a small run, an overfitted one, and n-gram models."""

from __future__ import annotations

from dataclasses import dataclass, replace

from torch import nn

from plainformer.decoding import NGramModel, sequence_log_prob
from plainformer.training.evaluate import held_out_loss
from plainformer.training.loop import Progress, limit_threads, train
from plainformer.training.tasks.language_model import (
    Corpus,
    LanguageModelSettings,
    new_run,
    read_corpus,
)

__all__ = ["SMALL", "Curve", "count_losses", "small_corpus", "train_small"]

# Two layers with about 166,000 parameters, which learn while a page is being built.
SMALL = LanguageModelSettings(
    name="small",
    n_layers=2,
    d_model=64,
    context_length=64,
    batch_size=12,
    steps=400,
    peak=5e-3,
)


@dataclass(frozen=True)
class Curve:
    """A trained model and its learning curve.

    Attributes:
        model: the model after the last step.
        loss: (N,) the loss of each step's batch, before the step.
        held_out: pairs of a step and the loss on held-out text.
    """

    model: nn.Module
    loss: list[float]
    held_out: list[tuple[int, float]]


def small_corpus(part: float = 1.0) -> Corpus:
    """Return Python's manual as a corpus that trains on only a `part` of its training text."""
    corpus = read_corpus(SMALL)
    return replace(corpus, train=corpus.train[: int(len(corpus.train) * part)])


def train_small(
    corpus: Corpus,
    settings: LanguageModelSettings = SMALL,
    every: int = 50,
) -> Curve:
    """Train a small model on one core, with the held-out loss after every so many steps."""
    run = new_run(settings, corpus)
    losses: list[float] = []
    held_out = []
    text = corpus.held_out[:4001]

    def report(progress: Progress) -> None:
        losses.append(progress.loss)
        if progress.step % every == 0:
            loss = held_out_loss(run.model, text, settings.context_length)
            held_out.append((progress.step, loss))

    with limit_threads(1):
        first = held_out_loss(run.model, text, settings.context_length)
        held_out.append((0, first))
        train(run, settings.steps, report=report)
    return Curve(run.model.eval(), losses, held_out)


def count_losses(corpus: Corpus, orders: tuple[int, ...]) -> dict[int, float]:
    """Return the loss, in nats per token, of n-gram models on the same held-out text."""
    text, size = corpus.held_out[:4001].tolist(), corpus.tokenizer.vocab_size
    losses = {}
    for order in orders:
        counts = NGramModel(order, vocab_size=size).fit(corpus.train.tolist())
        losses[order] = -sequence_log_prob(counts, text) / (len(text) - 1)
    return losses

"""What the chapter *Language model* measures: a small run, an overfitted one, and n-gram models."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from torch import nn

from plainformer.decoding import NGramModel, sequence_log_prob
from plainformer.files import shipped
from plainformer.training.evaluate import held_out_loss
from plainformer.training.history import Progress
from plainformer.training.loop import Run, limit_threads, train
from plainformer.training.tasks.language_model import (
    Corpus,
    LanguageModelSettings,
    new_run,
    read_corpus,
)
from plainformer.training.tasks.saving import CHECKPOINTS

__all__ = [
    "SMALL", "Curve", "count_losses", "recorded_scaling", "small_corpus", "train_small",
    "trained_curve",
]  # fmt: skip

# Two layers with about 166,000 parameters, which can be trained while a page is being built.
SMALL = LanguageModelSettings(name="small", n_layers=2, d_model=64, steps=400, peak=5e-3)


@dataclass(frozen=True)
class Curve:
    """A trained model and its learning curve."""

    model: nn.Module
    loss: list[float]  # of each step's batch, before the step
    held_out: list[tuple[int, float]]  # pairs of a step and the loss on held-out text


def small_corpus(part: float = 1.0) -> Corpus:
    """Return Python's manual as a corpus that trains on only a `part` of its training text."""
    corpus = read_corpus(SMALL)
    return replace(corpus, train=corpus.train[: int(len(corpus.train) * part)])


def train_small(corpus: Corpus, settings: LanguageModelSettings = SMALL, every: int = 50) -> Curve:
    """Train a small model on one core, with the held-out loss at intervals of `every` steps."""
    run, text = new_run(settings, corpus), corpus.held_out[:4001]
    evaluate = partial(held_out_loss, run.model, text, settings.context_length)
    with limit_threads(1):
        first = evaluate()
        curve = trained_curve(run, settings.steps, every, evaluate)
    return replace(curve, held_out=[(0, first), *curve.held_out])


def trained_curve(run: Run, steps: int, every: int, evaluate: Callable[[], float]) -> Curve:
    """Train a model, and evaluate it at intervals of `every` steps."""
    losses: list[float] = []
    held_out: list[tuple[int, float]] = []

    def report(progress: Progress) -> None:
        losses.append(progress.loss)
        if progress.step % every == 0:
            held_out.append((progress.step, evaluate()))

    train(run, steps, report=report)
    return Curve(run.model.eval(), losses, held_out)


def count_losses(corpus: Corpus, orders: tuple[int, ...]) -> dict[int, float]:
    """Return the loss, in nats per token, of n-gram models on the same held-out text."""
    text, size = corpus.held_out[:4001].tolist(), corpus.tokenizer.vocab_size
    losses = {}
    for order in orders:
        counts = NGramModel(order, vocab_size=size).fit(corpus.train.tolist())
        losses[order] = -sequence_log_prob(counts, text) / (len(text) - 1)
    return losses


def recorded_scaling() -> dict[str, Any]:
    """Return what `tools/record_scaling.py` measured on models of several sizes, and on what text.

    >>> sorted(recorded_scaling())
    ['made_by', 'python', 'runs', 'sha256', 'tokens_per_step']
    """
    path = shipped(CHECKPOINTS / "scaling.json")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found

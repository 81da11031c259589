"""What the chapter *Sequence pairs* measures: a translator of short sentences, and a loss that
counts padding."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Literal

from torch import Tensor
from torch.nn import functional as F

from plainformer.blocks import EncoderDecoder
from plainformer.training.loop import limit_threads, train
from plainformer.training.tasks.translation.settings import grammar_pairs, translation_run
from plainformer.training.tasks.translation.translator import PAD, Translator, translation_loss

__all__ = ["TrainedRun", "short_pairs", "small_runs", "train_translator"]

SHORT = 7  # the largest number of Italian words, separated by spaces
EARLY, STEPS = 160, 450  # what a short run does, and the whole of the schedule


@cache
def short_pairs(
    count: int, seed: int = 0, split: Literal["train", "test"] = "train"
) -> tuple[tuple[str, str], ...]:
    """Draw pairs of English and Italian sentences, and return the short ones."""
    pairs = grammar_pairs(count, seed, split)
    return tuple(pair for pair in pairs if len(pair[1].split()) <= SHORT)


@dataclass(frozen=True)
class TrainedRun:
    """A translator and the loss of each training step."""

    translator: Translator
    loss: list[float]


def train_translator(
    pairs: Sequence[tuple[str, str]],
    steps: int,
    *,
    width: int | None = None,
    ignore_padding: bool = True,
    label_smoothing: float = 0.0,
    seed: int = 0,
) -> TrainedRun:
    """Train a translator on one core for some of the `STEPS` steps of its schedule.

    Targets are padded to `width`, or to the longest of their batch if that is longer.
    """
    loss = partial(wide_loss, width=width, ignore_padding=ignore_padding)
    options: Any = {"loss": loss, "label_smoothing": label_smoothing, "seed": seed}
    losses: list[float] = []
    with limit_threads(1):
        run, translator = translation_run(pairs, STEPS, **options)
        train(run, steps, report=lambda progress: losses.append(progress.loss))
    return TrainedRun(translator, losses)


def wide_loss(
    model: EncoderDecoder,
    batch: tuple[Tensor, Tensor, Tensor],
    *,
    width: int | None,
    **options: Any,
) -> Tensor:
    """Compute `translation_loss` with targets that have more padding than necessary."""
    source, inputs, targets = batch
    more = 0 if width is None else max(0, width - inputs.shape[1])
    padded: Any = [F.pad(ids, (0, more), value=PAD) for ids in (inputs, targets)]
    return translation_loss(model, (source, *padded), **options)


@cache
def small_runs() -> tuple[TrainedRun, TrainedRun]:
    """Train the chapter's translator, and return it after `EARLY` steps and after all of them.

    The first is what `train_translator(short_pairs(20_000), EARLY)` returns, for no extra time.
    """
    losses: list[float] = []
    with limit_threads(1):
        run, translator = translation_run(short_pairs(20_000), STEPS)
        train(run, EARLY, report=lambda progress: losses.append(progress.loss))
        early = TrainedRun(copy.deepcopy(translator), losses[:])
        train(run, STEPS, report=lambda progress: losses.append(progress.loss))
    return early, TrainedRun(translator, losses)

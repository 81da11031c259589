"""What the chapter *Sequence pairs* measures: a translator of short sentences, and what padding
does to a loss that counts it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Literal

from torch import Tensor
from torch.nn import functional as F

from plainformer.blocks import EncoderDecoder
from plainformer.data import sentence_pairs
from plainformer.training.loop import train
from plainformer.training.tasks.running import threads_for_a_while
from plainformer.training.tasks.translation.translator import (
    PAD,
    Translator,
    translation_loss,
    translation_run,
)

__all__ = ["Learned", "learn", "short_pairs", "small_translator"]

SHORT = 7  # Italian words of a sentence, spaces counted
STEPS = 700


@cache
def short_pairs(
    count: int, seed: int = 0, split: Literal["train", "test"] = "train"
) -> tuple[tuple[str, str], ...]:
    """The short ones among so many pairs: English and Italian.

    >>> short_pairs(3, seed=1, split="test")[-1]
    ('anna sees that apple because it is beautiful', 'anna vede quella mela perché è bella')
    """
    pairs = ((p.english, p.italian) for p in sentence_pairs(count, seed, split))
    return tuple(pair for pair in pairs if len(pair[1].split()) <= SHORT)


@dataclass(frozen=True)
class Learned:
    """A translator, and what its loss was at each step, as training saw it."""

    translator: Translator
    loss: list[float]


def learn(
    pairs: Sequence[tuple[str, str]],
    steps: int,
    *,
    width: int | None = None,
    ignore_padding: bool = True,
    seed: int = 0,
) -> Learned:
    """Train for some of the `STEPS` steps, on one core.

    Args:
        pairs: what is learned from.
        steps: where to stop. The learning rate is that of a longer run.
        width: targets are padded to so many places; None: to the longest
            of the batch.
        ignore_padding: whether padded targets are left out of the loss.
        seed: of weights and order.
    """
    loss = partial(wide_loss, width=width, ignore_padding=ignore_padding)
    losses: list[float] = []
    with threads_for_a_while(1):
        run, translator = translation_run(pairs, STEPS, loss=loss, seed=seed)
        train(run, steps, report=lambda progress: losses.append(progress.loss))
    return Learned(translator, losses)


def wide_loss(
    model: EncoderDecoder,
    batch: tuple[Tensor, Tensor, Tensor],
    *,
    width: int | None,
    ignore_padding: bool,
) -> Tensor:
    """`translation_loss` with the target padded further than it needs."""
    source, inputs, targets = batch
    more = 0 if width is None else max(0, width - inputs.shape[1])
    padded: Any = [F.pad(ids, (0, more), value=PAD) for ids in (inputs, targets)]
    return translation_loss(model, (source, *padded), ignore_padding=ignore_padding)


@cache
def small_translator() -> Translator:
    """The translator of the chapter: 20,000 pairs, the short ones of them, some 20 seconds."""
    return learn(short_pairs(20_000), STEPS).translator

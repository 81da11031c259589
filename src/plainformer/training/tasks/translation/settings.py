"""The translation task: its settings, the pairs that they name, and the run that they ask for.

From settings to what it can do:

    settings = read_settings(TranslationSettings, GRAMMAR)
    text = read_text(settings)
    run, translator = new_run(settings, text)
    train(run, settings.steps)
    exact_match(translator, text.held_out)
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
import torch

from plainformer.arrays import check_number, check_size
from plainformer.data import clean_pairs, load_pairs, sentence_pairs
from plainformer.training.loop import Run
from plainformer.training.tasks.translation.translator import Translator, translation_run

__all__ = [
    "EXAMPLE", "GRAMMAR", "PairedText", "TranslationSettings", "grammar_pairs", "new_run",
    "read_text",
]  # fmt: skip

GRAMMAR = Path(__file__).with_name("grammar.toml")
EXAMPLE = ("your cat is a lovely cat", "il tuo gatto è un gatto adorabile")

Pair = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class TranslationSettings:
    """Everything that the trained translator depends on, but for the text itself.

    Attributes:
        name: of the run.
        source: "grammar" for the grammar's pairs; or a file with a sentence on each line.
        target: the file of their translations, line by line; "" where `source` is a table.
        pairs: how many sentence pairs there are to learn from; of files, at most.
        held_out: how many the translator is tested on.
        max_words: longer sentences of a file are left out.
        minimum_count: words that occur less often are unknown.
        vocab_size: V, at most.
        n_layers, n_heads, d_model: the sizes of the model; layers are those of each stack.
        dropout: the share set to 0 in training.
        label_smoothing: the share of each target that goes to all words alike.
        steps: how often the weights are moved.
        batch_size: B, pairs in a step.
        peak: the highest learning rate.
        bfloat16: whether products are computed in this format.
        seed: of the pairs, the first weights and the order.
    """

    name: str = "translation"
    source: str = "grammar"
    target: str = ""
    pairs: int = 40_000
    held_out: int = 1000
    max_words: int = 20
    minimum_count: int = 1
    vocab_size: int = 10_000
    n_layers: int = 2
    n_heads: int = 4
    d_model: int = 64
    dropout: float = 0.0
    label_smoothing: float = 0.0
    steps: int = 2400
    batch_size: int = 64
    peak: float = 4e-3
    bfloat16: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        for size in (
            "pairs", "held_out", "max_words", "minimum_count", "vocab_size", "n_layers", "n_heads",
            "d_model", "steps", "batch_size",
        ):  # fmt: skip
            check_size(getattr(self, size), size)
        check_size(self.seed, "seed", least=0)
        if not check_number(self.peak, "peak") > 0:
            raise ValueError(f"peak must be above 0; got {self.peak}")
        if not 0 <= check_number(self.label_smoothing, "label_smoothing") <= 1:
            raise ValueError(f"label_smoothing must be from 0 to 1; got {self.label_smoothing}")
        if self.target and self.source == "grammar":
            raise ValueError("source must be a file where target is one; got 'grammar'")


@dataclass(frozen=True)
class PairedText:
    """Sentence pairs as a task reads them.

    Attributes:
        read: to train on.
        held_out: to test on. None of their sources is trained on.
        sha256: of all pairs; a number that depends on the text holds for these.
        shown: the pair that a history follows.
        dropped: how many pairs of a file were left out, for each reason.
    """

    read: list[Pair]
    held_out: list[Pair]
    sha256: str
    shown: Pair = EXAMPLE
    dropped: dict[str, int] = field(default_factory=dict)


def read_text(settings: TranslationSettings) -> PairedText:
    """The pairs that the settings name, some of them held out.

    Raises:
        FileNotFoundError, ValueError: there is no such file, its lines do not pair, or there are
            too few of them.
    """
    if settings.source == "grammar":
        read = grammar_pairs(settings.pairs, settings.seed)
        held_out = grammar_pairs(settings.held_out, settings.seed + 1, "test")
        return PairedText(read, held_out, _digest([*read, *held_out]))
    given = load_pairs(settings.source, settings.target or None)
    pairs, dropped = clean_pairs(given, max_words=settings.max_words)
    order = np.random.default_rng(settings.seed).permutation(len(pairs)).tolist()
    held_out = [pairs[i] for i in order[: settings.held_out]]
    tested = {source for source, _ in held_out}  # one sentence may have several translations
    read = [pairs[i] for i in order[settings.held_out :] if pairs[i][0] not in tested]
    if not read:
        raise ValueError(
            f"{settings.source} must hold more than held_out={settings.held_out} pairs to learn "
            f"from; it has {len(given)}, and {len(pairs)} are left when it is cleaned "
            f"({dict(dropped) or 'none dropped'})"
        )
    return PairedText(read[: settings.pairs], held_out, _digest(pairs), held_out[0], dict(dropped))


def grammar_pairs(
    count: int, seed: int = 0, split: Literal["train", "test"] = "train"
) -> list[Pair]:
    """English and Italian, as plain pairs of strings.

    >>> grammar_pairs(3, seed=1, split="test")[-1]
    ('anna sees that apple because it is beautiful', 'anna vede quella mela perché è bella')
    """
    return [(pair.english, pair.italian) for pair in sentence_pairs(count, seed, split)]


def new_run(settings: TranslationSettings, text: PairedText) -> tuple[Run, Translator]:
    """A model with its first weights, all that training it takes, and the translator it makes."""
    torch.manual_seed(settings.seed)  # of the dropout; the weights have a generator of their own
    return translation_run(
        text.read,
        settings.steps,
        minimum_count=settings.minimum_count,
        vocab_size=settings.vocab_size,
        d_model=settings.d_model,
        n_layers=settings.n_layers,
        n_heads=settings.n_heads,
        dropout=settings.dropout,
        label_smoothing=settings.label_smoothing,
        batch_size=settings.batch_size,
        peak=settings.peak,
        seed=settings.seed,
    )


def _digest(pairs: list[Pair]) -> str:
    return hashlib.sha256("\n".join(map("\t".join, pairs)).encode()).hexdigest()

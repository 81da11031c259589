"""The settings of the translation task, its sentence pairs, and the untrained model."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
import torch

from plainformer.arrays import check_choice
from plainformer.data import clean_pairs, load_pairs, sentence_pairs
from plainformer.training.loop import Run
from plainformer.training.tasks.settings import Settings
from plainformer.training.tasks.translation.translator import (
    TOKENIZERS,
    Translator,
    translation_run,
)

__all__ = [
    "EXAMPLE", "GRAMMAR", "PairedText", "TranslationSettings", "grammar_pairs", "new_run",
    "read_text",
]  # fmt: skip

GRAMMAR = Path(__file__).with_name("grammar.toml")
EXAMPLE = ("your cat is a lovely cat", "il tuo gatto è un gatto adorabile")

Pair = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class TranslationSettings(Settings):
    """Everything that the trained translator depends on, except the text itself.

    The source is "grammar" for the pairs of the course's grammar, a file with one sentence per
    line, whose translations are in the file `target`, or a table with both. The tokenizer "auto"
    means words for the grammar and "bpe" for files, because subwords can represent every word.
    """

    name: str = "translation"
    source: str = "grammar"
    target: str = ""
    pairs: int = 40_000  # to train on; for files, the largest number
    held_out: int = 1000  # pairs to test on
    max_words: int = 20  # pairs of a file with longer sentences are dropped
    tokenizer: str = "auto"
    minimum_count: int = 1  # with "words", those that occur less often are unknown
    vocab_size: int = 10_000  # the largest
    n_layers: int = 2  # of the encoder, and again of the decoder
    n_heads: int = 4
    d_model: int = 64
    dropout: float = 0.0
    label_smoothing: float = 0.0  # the share of each target that is distributed over all tokens
    steps: int = 2400
    batch_size: int = 64
    peak: float = 4e-3

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.tokenizer, "tokenizer", ("auto", *TOKENIZERS))
        if self.target and self.source == "grammar":
            raise ValueError("source must be a file if target is one; got 'grammar'")

    def resolved_tokenizer(self) -> str:
        """Return "words" or "bpe"."""
        if self.tokenizer != "auto":
            return self.tokenizer
        return "words" if self.source == "grammar" else "bpe"


@dataclass(frozen=True)
class PairedText:
    """Pairs to train on, and pairs to test on, none of whose sources is trained on."""

    train: list[Pair]
    held_out: list[Pair]
    sha256: str  # of all pairs, on which all measured numbers depend
    example: Pair = EXAMPLE  # whose translation is recorded in the history
    dropped: dict[str, int] = field(default_factory=dict)  # how many of a file, for each reason
    found: int = 0  # how many pairs the files contain

    def description(self) -> str:
        """Say how many pairs were read, dropped and held out."""
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in self.dropped.items())
        return (
            f"pairs: {self.found:,} read, {sum(self.dropped.values()):,} dropped"
            f"{f' ({reasons})' if reasons else ''}, {len(self.held_out):,} held out, "
            f"{len(self.train):,} to train on"
        )


def read_text(settings: TranslationSettings) -> PairedText:
    """Read the pairs that the settings name, and hold some of them out."""
    if settings.source == "grammar":
        read = grammar_pairs(settings.pairs, settings.seed)
        held_out = grammar_pairs(settings.held_out, settings.seed + 1, "test")
        pairs = [*read, *held_out]
        return PairedText(read, held_out, _digest(pairs), found=len(pairs))
    given = load_pairs(settings.source, settings.target or None)
    pairs, dropped = clean_pairs(given, max_words=settings.max_words)
    order = np.random.default_rng(settings.seed).permutation(len(pairs)).tolist()
    held_out = [pairs[i] for i in order[: settings.held_out]]
    tested = {source for source, _ in held_out}  # one sentence may have several translations
    read = [pairs[i] for i in order[settings.held_out :] if pairs[i][0] not in tested]
    if not read:
        raise ValueError(
            f"{settings.source} must hold more than held_out={settings.held_out} pairs to learn "
            f"from; it has {len(given)}, of which {len(pairs)} are left after cleaning "
            f"({dict(dropped) or 'none dropped'})"
        )
    train = read[: settings.pairs]
    return PairedText(train, held_out, _digest(pairs), held_out[0], dict(dropped), len(given))


def grammar_pairs(
    count: int, seed: int = 0, split: Literal["train", "test"] = "train"
) -> list[Pair]:
    """Draw English and Italian sentences of the grammar, as pairs of strings.

    >>> grammar_pairs(3, seed=1, split="test")[-1]
    ('anna sees that apple because it is beautiful', 'anna vede quella mela perché è bella')
    """
    return [(pair.english, pair.italian) for pair in sentence_pairs(count, seed, split)]


def new_run(settings: TranslationSettings, text: PairedText) -> tuple[Run, Translator]:
    """Return the untrained model as a run and as a translator that shares its weights."""
    torch.manual_seed(settings.seed)  # for dropout; the weights have their own generator
    shared = (
        "minimum_count", "vocab_size", "d_model", "n_layers", "n_heads", "dropout",
        "label_smoothing", "batch_size", "peak", "seed",
    )  # fmt: skip
    options = {name: getattr(settings, name) for name in shared}
    tokenizer = settings.resolved_tokenizer()
    return translation_run(text.train, settings.steps, tokenizer=tokenizer, **options)


def _digest(pairs: list[Pair]) -> str:
    return hashlib.sha256("\n".join(map("\t".join, pairs)).encode()).hexdigest()

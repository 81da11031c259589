"""The settings of the translation task, its sentence pairs, and the untrained model."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from plainformer.arrays import check_choice
from plainformer.blocks import EncoderDecoder, TransformerConfig
from plainformer.blocks.modules.initialization import initialize_like_torch
from plainformer.data import clean_pairs, load_pairs, sentence_pairs
from plainformer.training.batches import ExampleBatches
from plainformer.training.loop import Run
from plainformer.training.optimizers import adamw
from plainformer.training.schedules import Cosine
from plainformer.training.tasks.settings import Settings
from plainformer.training.tasks.translation.translator import (
    Translator,
    collate,
    count_tokens,
    translation_loss,
)
from plainformer.training.vocabulary import SubwordVocabulary, Vocabulary

__all__ = [
    "EXAMPLE", "GRAMMAR", "PairedText", "TranslationSettings", "grammar_pairs", "new_run",
    "read_text", "translation_run",
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

    On files, the initial weights are drawn as in torch's `nn.Transformer`, and there is dropout
    inside feed-forward networks as well, so that the two can be compared as equals.
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
        check_choice(self.tokenizer, "tokenizer", ("auto", "words", "bpe"))
        if self.target and self.source == "grammar":
            raise ValueError("source must be a file if target is one; got 'grammar'")

    def resolved_tokenizer(self) -> str:
        """Return "words" or "bpe"."""
        if self.tokenizer != "auto":
            return self.tokenizer
        return "words" if self.source == "grammar" else "bpe"


@dataclass(frozen=True)
class PairedText:
    """Pairs to train on, and pairs to test on, whose sources do not occur in training."""

    train: list[Pair]
    held_out: list[Pair]
    sha256: str  # of all pairs, on which all measured numbers depend
    example: Pair = EXAMPLE  # whose translation is recorded in the history
    dropped: dict[str, int] = field(default_factory=dict)  # how many of a file, by reason
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
    return _new_run(settings, text.train, translation_loss)


def translation_run(
    pairs: Sequence[Pair],
    steps: int,
    *,
    loss: Callable[..., Tensor] = translation_loss,
    batch_size: int = 48,
    **options: Any,
) -> tuple[Run, Translator]:
    """Create an untrained translator of some pairs, and the run that trains it.

    The options are those of `TranslationSettings`. The loss maps the model and a batch to a number.

    >>> run, translator = translation_run([("a dog", "un cane")], steps=1)
    >>> translator.vocabulary.vocab_size
    8
    """
    settings = TranslationSettings(steps=steps, batch_size=batch_size, **options)
    return _new_run(settings, pairs, loss)


def _new_run(
    settings: TranslationSettings, pairs: Sequence[Pair], loss: Callable[..., Tensor]
) -> tuple[Run, Translator]:
    seed, steps, peak = settings.seed, settings.steps, settings.peak
    texts = [side for pair in pairs for side in pair]
    vocabulary: Vocabulary | SubwordVocabulary
    if settings.resolved_tokenizer() == "bpe":
        vocabulary = SubwordVocabulary.build(texts, vocab_size=settings.vocab_size)
    else:
        vocabulary = Vocabulary.build(
            texts, minimum_count=settings.minimum_count, maximum_size=settings.vocab_size
        )
    examples = [(vocabulary.encode(a), vocabulary.encode(b)) for a, b in pairs]
    real = settings.source != "grammar"
    config = TransformerConfig(
        family="encoder_decoder", vocab_size=vocabulary.vocab_size, d_model=settings.d_model,
        n_layers=settings.n_layers, n_heads=settings.n_heads, d_ff=4 * settings.d_model,
        dropout=settings.dropout, activation_dropout=settings.dropout if real else 0.0,
        # Sines and cosines are about as large as 1, so the embeddings must not be much smaller.
        scale_embedding=True,
    )  # fmt: skip
    rng = torch.Generator().manual_seed(seed)
    model = EncoderDecoder(config, impl="sdpa", rng=rng)
    if real:
        initialize_like_torch(model, rng)
    batches = ExampleBatches(
        examples, settings.batch_size, collate=collate, seed=seed,
        length_of=lambda example: len(example[1]),
    )  # fmt: skip
    schedule = Cosine(peak, total=max(steps, 2), warmup=min(200, steps // 10), floor=peak / 20)
    if settings.label_smoothing:
        loss = partial(loss, label_smoothing=settings.label_smoothing)
    optimizer = adamw(model, weight_decay=0.01, betas=(0.9, 0.98))
    run = Run(model, optimizer, schedule, batches, loss, count=count_tokens)
    return run, Translator(model, vocabulary)


def _digest(pairs: list[Pair]) -> str:
    return hashlib.sha256("\n".join(map("\t".join, pairs)).encode()).hexdigest()

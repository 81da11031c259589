"""A small language model of one long text, with Llama's architecture: its settings and its run."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from plainformer.arrays import check_choice, check_size
from plainformer.blocks import DecoderOnly, TransformerConfig
from plainformer.data import load, python_manual
from plainformer.decoding import LogitsPipeline, sample
from plainformer.inputs import BPETokenizer
from plainformer.training.batches import TextBatches
from plainformer.training.evaluate import next_token_loss
from plainformer.training.loop import Run
from plainformer.training.optimizers import adamw
from plainformer.training.schedules import Cosine
from plainformer.training.tasks.settings import Settings

__all__ = [
    "Corpus", "LanguageModelSettings", "new_run", "read_corpus", "write_documents",
]  # fmt: skip

SOS = "<sos>"  # the start of a document, and therefore also the end of the one before
BLANK_LINE = "\n\n"


@dataclass(frozen=True, kw_only=True)
class LanguageModelSettings(Settings):
    """Everything that the trained model depends on, except the text itself.

    If the text consists of `documents`, such as stories, with a blank line between them, each
    begins with the token `SOS`, and its first word has a leading space, like every other word. A
    run may keep some intermediate checkpoints, at steps that are further and further apart; if it
    is extended, it keeps those of the longer run from then on. Weights are stored in "float16", in
    files that transformers can open, or in "int8", in half the space.
    """

    name: str = "language-model"
    text: str = "python_manual"  # or the name of a corpus, or the path of a text file
    documents: bool = False
    held_out: float = 0.1  # the share of the text, at its end, that is never trained on
    vocab_size: int = 1024  # of a byte-level BPE tokenizer that is trained on the rest
    n_layers: int = 4
    n_heads: int = 4
    d_model: int = 128
    context_length: int = 64  # T, the number of tokens that the model reads at once
    dropout: float = 0.0
    steps: int = 1000
    batch_size: int = 12
    peak: float = 3e-3
    warmup: int = 50  # steps until the peak, from which the rate falls to a tenth along a cosine
    weight_decay: float = 0.1
    repetitions: float = 0.0  # the share of the pieces that repeat themselves; see `TextBatches`
    prompt: str = "The"  # how the samples written during training begin
    intermediate_checkpoints: int = 0  # how many of them, the untrained weights included
    weights_dtype: str = "float16"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_size(self.vocab_size, "vocab_size", least=256)
        check_choice(self.weights_dtype, "weights_dtype", ["float16", "int8"])
        self.model_config(self.vocab_size)  # which checks the sizes

    def model_config(self, vocab_size: int) -> TransformerConfig:
        """Return the configuration of a small Llama with tied embeddings."""
        return TransformerConfig(
            family="decoder", vocab_size=vocab_size, d_model=self.d_model,
            n_layers=self.n_layers, n_heads=self.n_heads,
            d_ff=-(-self.d_model // 3) * 8,  # three matrices, as large as two of 4 D
            max_length=self.context_length, positions="rope", position_layout="half",
            norm="rms", activation="swiglu", attention_bias=False, ff_bias=False,
            dropout=self.dropout,
        )  # fmt: skip

    def schedule(self) -> Cosine:
        """Return a linear warm-up and a cosine that falls to a tenth of the peak."""
        warmup = min(self.warmup, self.steps - 1)
        return Cosine(self.peak, warmup=warmup, total=self.steps, floor=self.peak / 10)

    def checkpoint_steps(self) -> list[int]:
        """Return the steps after which intermediate weights are kept, at a constant ratio.

        >>> LanguageModelSettings(steps=9000, intermediate_checkpoints=8).checkpoint_steps()
        [0, 9, 24, 65, 174, 466, 1251, 3355]
        """
        if not (n := self.intermediate_checkpoints):
            return []
        steps = np.geomspace(max(1, self.steps / 1000), self.steps, n)[:-1]
        return sorted({0, *(round(step) for step in steps)})


@dataclass(frozen=True)
class Corpus:
    """A text as a model reads it: a tokenizer, ids (N,) to train on, and held-out ids (M,)."""

    tokenizer: BPETokenizer
    train: Tensor
    held_out: Tensor
    held_out_bytes: int  # of UTF-8, which the held-out ids encode
    sha256: str  # of the whole text, on which all measured numbers depend
    characters: int  # of the whole text


def read_corpus(settings: LanguageModelSettings) -> Corpus:
    """Read a text, hold out its end, and train a tokenizer on the rest."""
    text = python_manual() if settings.text == "python_manual" else load(settings.text)
    pieces: str | list[str] = text
    special: Any = {}
    if settings.documents:
        special = {"special_tokens": [SOS], "bos_token": SOS, "add_prefix_space": True}
        text = text.replace("\r\n", "\n")
        pieces = [each for each in re.split(r"\n(?:[ \t]*\n)+", text) if each.strip()]
    cut = len(pieces) - round(len(pieces) * settings.held_out)
    if not 0 < cut < len(pieces):
        unit = "documents, with a blank line between them," if settings.documents else "characters"
        raise ValueError(
            f"text must have {unit} to train on and to hold out; got {len(pieces)} of them and "
            f"held_out={settings.held_out}"
        )
    front, end = (
        [part] if isinstance(part, str) else part for part in (pieces[:cut], pieces[cut:])
    )
    tokenizer = BPETokenizer.train(front, settings.vocab_size, **special)
    train, held_out = (
        torch.tensor([i for document in part for i in tokenizer.encode(document)])
        for part in (front, end)
    )
    T = settings.context_length
    for name, ids in (("the text", train), ("its end, which is held out,", held_out)):
        if len(ids) <= T:
            raise ValueError(f"{name} needs more than context_length={T} tokens; got {len(ids)}")
    digest = hashlib.sha256(text.encode()).hexdigest()
    end_bytes = BLANK_LINE.join(end).encode()
    return Corpus(tokenizer, train, held_out, len(end_bytes), digest, len(text))


def new_run(settings: LanguageModelSettings, corpus: Corpus) -> Run:
    """Return the untrained model, and everything that training needs."""
    torch.manual_seed(settings.seed)  # for dropout; the weights have their own generator
    config = settings.model_config(corpus.tokenizer.vocab_size)
    rng = torch.Generator().manual_seed(settings.seed)
    model = DecoderOnly(config, impl="sdpa", rng=rng)
    optimizer = adamw(model, weight_decay=settings.weight_decay)
    T = settings.context_length
    starts = _document_starts(corpus, T) if settings.documents else None
    sizes, repetitions = (T, settings.batch_size, settings.seed), settings.repetitions
    batches = TextBatches(corpus.train, *sizes, starts=starts, repetitions=repetitions)
    return Run(model, optimizer, settings.schedule(), batches, next_token_loss)


def _document_starts(corpus: Corpus, context_length: int) -> NDArray[np.int64]:
    """Return where each document begins, and where the next T tokens of a longer one begin."""
    ids = corpus.train.numpy()
    begins = np.flatnonzero(ids == corpus.tokenizer.special_tokens[SOS])
    ends = np.append(begins[1:], len(ids))
    starts = np.concatenate(
        [np.arange(a, b, context_length) for a, b in zip(begins, ends, strict=True)]
    )
    return starts[starts < len(ids) - context_length]


def write_documents(model: DecoderOnly, tokenizer: BPETokenizer, count: int = 64) -> list[str]:
    """Sample documents from the start token to their end, or as far as the model's context goes.

    Document n has seed n, and none is left out, so that they show what the model is like.
    """
    start = tokenizer.encode("")
    texts = sample(
        model,
        [start] * count,
        max_new_tokens=check_size(model.config.max_length, "max_length") - len(start),
        pipeline=LogitsPipeline.standard(temperature=0.8),
        rng=[np.random.default_rng(seed) for seed in range(count)],
        eos_token_id=start[0],
    )
    return [tokenizer.decode(ids, skip_special_tokens=True).strip() for ids in texts]

"""The first task: to say what comes next, on one long text. The model is Llama, made small.

corpus = read_corpus(settings)      the text as ids, its end held out
run = new_run(settings, corpus)     a model, and all that training it takes
train(run, settings.steps)
write(run.model, corpus, "The")     what it has learned
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from plainformer.arrays import check_number, check_size
from plainformer.blocks import DecoderOnly, TransformerConfig, trace
from plainformer.data import load, python_manual
from plainformer.decoding import LogitsPipeline, sample
from plainformer.inputs import BPETokenizer
from plainformer.training.batches import TextBatches
from plainformer.training.evaluate import held_out_loss, next_token_loss
from plainformer.training.history import History
from plainformer.training.loop import Run
from plainformer.training.optimizers import adamw
from plainformer.training.schedules import Cosine

__all__ = [
    "Corpus",
    "LanguageModelSettings",
    "look",
    "new_run",
    "read_corpus",
    "write",
]

PROMPT = "The"
SHOWN = 24  # tokens of an attention map


@dataclass(frozen=True, kw_only=True)
class LanguageModelSettings:
    """Everything that the trained model depends on, but for the text itself.

    Attributes:
        name: of the run.
        text: "python_manual", the name of a corpus, or a file of the reader's.
        held_out: the part of it, at its end, that is never trained on.
        vocab_size: V, of a byte-level BPE trained on the rest.
        n_layers, n_heads, d_model: the sizes of the model; F is 8/3 D, in steps of 8.
        length: T, how many tokens it reads at once.
        dropout: the share set to 0 in training.
        steps: how often the weights are moved.
        batch_size: B, texts of T tokens in a step.
        peak, warmup: the highest learning rate, and the steps until it is reached; from there it
            falls to a tenth by a cosine.
        weight_decay: of the matrices.
        bfloat16: whether products are computed in this format.
        seed: of the first weights, the dropout and the places that are read.
    """

    name: str = "language-model"
    text: str = "python_manual"
    held_out: float = 0.1
    vocab_size: int = 1024
    n_layers: int = 4
    n_heads: int = 4
    d_model: int = 128
    length: int = 64
    dropout: float = 0.0
    steps: int = 1000
    batch_size: int = 12
    peak: float = 3e-3
    warmup: int = 50
    weight_decay: float = 0.1
    bfloat16: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        check_size(self.steps, "steps")
        check_size(self.vocab_size, "vocab_size", least=256)
        if not 0 < check_number(self.held_out, "held_out") < 1:
            raise ValueError(f"held_out must be above 0 and below 1; got {self.held_out}")
        self.model_config(self.vocab_size)
        self.schedule()

    def model_config(self, vocab_size: int) -> TransformerConfig:
        """The model: Llama's choices, in these sizes, with one table of tokens for both ends."""
        return TransformerConfig(
            family="decoder",
            vocab_size=vocab_size,
            d_model=self.d_model,
            n_layers=self.n_layers,
            n_heads=self.n_heads,
            d_ff=-(-self.d_model // 3) * 8,  # three matrices, as large as two of 4 D
            max_length=self.length,
            positions="rope",
            pair_layout="half",
            norm="rms",
            activation="swiglu",
            attention_bias=False,
            ff_bias=False,
            dropout=self.dropout,
        )

    def schedule(self) -> Cosine:
        """Up in a line, and down by a cosine to a tenth of the peak."""
        warmup = min(self.warmup, self.steps - 1)
        return Cosine(self.peak, warmup=warmup, total=self.steps, floor=self.peak / 10)


@dataclass(frozen=True)
class Corpus:
    """A text as a model reads it.

    Attributes:
        tokenizer: trained on the part that is read.
        read: (N,) ids to train on.
        held_out: (M,) ids of the end.
        held_out_bytes: how many bytes of UTF-8 they stand for.
        sha256: of the whole text; a number that depends on the text holds for this one.
    """

    tokenizer: BPETokenizer
    read: Tensor
    held_out: Tensor
    held_out_bytes: int
    sha256: str


def read_corpus(settings: LanguageModelSettings) -> Corpus:
    """The text of the settings, its end held out, as ids of a tokenizer of its own.

    Raises:
        FileNotFoundError, ValueError: there is no such text, or it is too short.
    """
    whole = python_manual() if settings.text == "python_manual" else load(settings.text)
    cut = len(whole) - round(len(whole) * settings.held_out)
    front, end = whole[:cut], whole[cut:]
    if not front or not end:
        raise ValueError(f"text must be long enough to be cut in two; got {len(whole)} characters")
    tokenizer = BPETokenizer.train(front, settings.vocab_size)
    read, held_out = (torch.tensor(tokenizer.encode(part)) for part in (front, end))
    for name, ids in (("the text", read), ("its end, which is held out,", held_out)):
        if len(ids) <= settings.length:
            raise ValueError(
                f"{name} must have more than length={settings.length} tokens; got {len(ids)}"
            )
    digest = hashlib.sha256(whole.encode()).hexdigest()
    return Corpus(tokenizer, read, held_out, len(end.encode()), digest)


def new_run(settings: LanguageModelSettings, corpus: Corpus) -> Run:
    """A model with its first weights, and all that training it takes."""
    torch.manual_seed(settings.seed)  # of the dropout; the weights have a generator of their own
    config = settings.model_config(corpus.tokenizer.vocab_size)
    rng = torch.Generator().manual_seed(settings.seed)
    model = DecoderOnly(config, impl="sdpa", rng=rng)
    optimizer = adamw(model, weight_decay=settings.weight_decay)
    batches = TextBatches(corpus.read, settings.length, settings.batch_size, settings.seed)
    return Run(model, optimizer, settings.schedule(), batches, next_token_loss)


def write(
    model: DecoderOnly, corpus: Corpus, prompt: str = PROMPT, tokens: int = 60, seed: int = 0
) -> str:
    """What a model writes after a prompt, drawn at temperature 0.8 from the nucleus of 0.95."""
    ids = corpus.tokenizer.encode(prompt)
    room = check_size(model.config.max_length, "max_length") - len(ids)
    text = sample(
        model,
        ids,
        max_new_tokens=min(tokens, room),
        pipeline=LogitsPipeline.standard(temperature=0.8, top_p=0.95),
        rng=np.random.default_rng(seed),
    )
    said: str = corpus.tokenizer.decode(text)
    return said


def look(run: Run, corpus: Corpus, history: History) -> None:
    """Add to the history what the model does as it stands: its loss, a sample, and one head.

    The head is the one that looks most at the token before; which it is may change.
    """
    model: Any = run.model
    model.eval()
    loss = held_out_loss(model, corpus.held_out, model.config.max_length)
    history.add_held_out(run.step, loss)
    ids = corpus.held_out[: min(SHOWN, model.config.max_length)]
    tokens = [corpus.tokenizer.decode([i]) for i in ids.tolist()]
    seen = trace(model, ids[None])
    heads = torch.cat(
        [seen[f"layers.{i}.attention.weights"][0] for i in range(model.config.n_layers)]
    )  # (n_layers H, T, T)
    before = heads.diagonal(-1, dim1=-2, dim2=-1).mean(-1)  # how much each head looks one back
    history.add_moment(run.step, write(model, corpus), tokens, heads[before.argmax()])
    model.train()

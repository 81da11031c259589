"""Train a language model with the command line's settings, save it in a folder, and open it again.

Besides what `saving.py` lists, the folder contains the tokenizer (tokenizer.json) and, for a model
of documents, 64 documents that it wrote (written.txt) and where in them each of its units and heads
is strongest (strongest.json). If the weights are in float16, transformers can open it.
"""

from __future__ import annotations

import copy
import json
import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch

from plainformer.arrays import Array, check_size
from plainformer.blocks import DecoderOnly, from_pretrained, save_pretrained, trace
from plainformer.data import CORPORA
from plainformer.decoding import LogitsPipeline, sample
from plainformer.files import atomic_write, shipped
from plainformer.inputs import BPETokenizer
from plainformer.training.evaluate import evaluation_mode, held_out_loss
from plainformer.training.history import History
from plainformer.training.loss import bits_per_byte, perplexity
from plainformer.training.strongest import strongest_places
from plainformer.training.tasks.language_model import (
    BLANK_LINE,
    SOS,
    LanguageModelSettings,
    new_run,
    read_corpus,
    write_documents,
)
from plainformer.training.tasks.running import Task
from plainformer.training.tasks.saving import CHECKPOINTS, load_weights, open_metadata, save_int8

__all__ = [
    "LanguageModel", "LanguageModelTask", "course_lm", "course_lm_steps", "course_lm_stories",
    "course_lm_strongest", "open_language_model", "recorded_capstone",
]  # fmt: skip

MAP_TOKENS = 24  # tokens of an attention map
MAX_BATCHES = 20  # of held-out text in one evaluation, so that long texts do not slow training
LICENCES = {
    "python_manual": "MIT; of its text, the PSF's",
    "stories": "MIT; of its text, CDLA-Sharing-1.0, which puts no obligations on results",
}


@dataclass(frozen=True)
class LanguageModel:
    """A trained language model in evaluation mode, its tokenizer, its history, and its card."""

    model: DecoderOnly
    tokenizer: BPETokenizer
    history: History
    card: dict[str, Any]

    def generate(
        self,
        prompt: str,
        max_new_tokens: int = 60,
        *,
        temperature: float = 0.8,
        top_p: float = 0.95,
        seed: int = 0,
    ) -> str:
        """Continue a prompt with sampled tokens, as `LogitsPipeline.standard` draws them.

        There are fewer than `max_new_tokens` if the model's context is full or the text ends first.
        A prompt that is empty or fills the context is refused.

        >>> course_lm().generate("The", 20, seed=1).startswith("The")
        True
        """
        ids = self.tokenizer.encode(prompt)
        most = check_size(self.model.config.max_length, "max_length")
        if not 0 < len(ids) < most:
            raise ValueError(
                f"prompt must have from 1 to {most - 1} tokens, because the model reads at most "
                f"{most} in all; got {len(ids)}"
            )
        text = sample(
            self.model,
            ids,
            max_new_tokens=min(check_size(max_new_tokens, "max_new_tokens"), most - len(ids)),
            pipeline=LogitsPipeline.standard(temperature=temperature, top_p=top_p),
            rng=np.random.default_rng(check_size(seed, "seed", least=0)),
            eos_token_id=self.tokenizer.special_tokens.get(SOS),
        )
        return prompt + self.tokenizer.decode(text[len(ids) :], skip_special_tokens=True)

    def next_logits(self, text: str) -> Array:
        """Return the logits of the token that follows a text: (V,), a NumPy array in float64.

        They are rounded to four decimals, because further digits differ from one CPU to another.

        >>> lm = course_lm()
        >>> lm.words[int(lm.next_logits("your cat is a").argmax())]
        'little'
        """
        with torch.no_grad():
            logits: Any = self.model(torch.tensor([self.tokenizer.encode(text)]))
        found: Array = logits[0, -1].double().numpy().round(4)
        return found

    @cached_property
    def words(self) -> list[str]:
        """The text of each token, V strings, without the space that most of them begin with.

        A token that is part of a character is shown as □.
        """
        each = range(self.tokenizer.vocab_size)
        return [self.tokenizer.decode([i]).replace("\ufffd", "□").removeprefix(" ") for i in each]


def open_language_model(folder: str | os.PathLike[str]) -> LanguageModel:
    """Open a language model that a run saved; an error names a file that is missing or damaged."""
    place = Path(folder)
    history, data = open_metadata(place)
    card = data["card"]
    tokenizer = BPETokenizer.load(place / "tokenizer.json")
    if card["settings"].get("weights_dtype") == "int8":
        settings = LanguageModelSettings(**card["settings"])
        model: Any = DecoderOnly(settings.model_config(tokenizer.vocab_size), impl="sdpa")
        load_weights(place / "model.safetensors", model)
    else:
        model = from_pretrained(place)
    return LanguageModel(model.float().eval(), tokenizer, history, card)


def course_lm(step: int | None = None) -> LanguageModel:
    """Return the language model of the course, which was trained on little stories.

    With `step`, one of `course_lm_steps`, it has the weights from that step of its training, but
    the history and the card of the whole run.

    >>> trained = course_lm()
    >>> trained.model.config.n_layers, sum(p.numel() for p in trained.model.parameters())
    (4, 1098880)
    >>> trained.tokenizer.tokens("your cat is a lovely cat")
    ['<sos>', ' your', ' cat', ' is', ' a', ' lovely', ' cat']
    """
    folder = shipped(CHECKPOINTS / "course_lm")
    trained = open_language_model(folder)
    if step is not None:
        if step not in course_lm_steps():
            raise ValueError(f"step must be one of {course_lm_steps()}; got {step}")
        load_weights(folder / "checkpoints" / f"step-{step:06}.safetensors", trained.model)
    return trained


def course_lm_steps() -> list[int]:
    """Return the training steps after which the weights of `course_lm` were kept.

    >>> course_lm_steps()[:3]
    [0, 8, 21]
    """
    folder = shipped(CHECKPOINTS / "course_lm" / "checkpoints")
    return sorted(int(path.stem.removeprefix("step-")) for path in folder.glob("*.safetensors"))


def course_lm_stories() -> list[str]:
    """Return 64 stories that `course_lm` wrote at temperature 0.8, none of them selected.

    >>> len(course_lm_stories())
    64
    """
    path = shipped(CHECKPOINTS / "course_lm" / "written.txt")
    return path.read_text(encoding="utf-8").rstrip("\n").split(BLANK_LINE)


def course_lm_strongest() -> str:
    """Return where in `course_lm_stories` each unit and each head of `course_lm` is strongest.

    The JSON is that of `plainformer.training.strongest`.

    >>> course_lm_strongest()[:10]
    '{"texts":['
    """
    path = shipped(CHECKPOINTS / "course_lm" / "strongest.json")
    return path.read_text(encoding="utf-8").rstrip("\n")


def recorded_capstone() -> History:
    """Return the recorded run of the chapter *Capstone* on the manual of Python 3.11.

    >>> recorded_capstone().snapshots[-1].step
    800
    """
    recorded = shipped(CHECKPOINTS / "capstone.json")
    return History.from_json(recorded.read_text(encoding="utf-8"))


class LanguageModelTask(Task):
    """Train a language model and save its weights in the dtype that the settings name."""

    settings_type = LanguageModelSettings
    command, data_setting = "language-model", "text"

    def __init__(self, settings: LanguageModelSettings) -> None:
        self.settings = settings
        self.corpus = corpus = read_corpus(settings)
        self.run = new_run(settings, corpus)
        self.model: Any = self.run.model
        self.description = (
            f"text: {settings.text}, {corpus.characters:,} characters\n"
            f"tokens: {len(corpus.train):,} to train on, {len(corpus.held_out):,} held out, from a "
            f"vocabulary of {corpus.tokenizer.vocab_size:,}"
        )
        self.dataset = {"characters": corpus.characters, "sha256": corpus.sha256}
        self.kept_steps = frozenset(settings.checkpoint_steps())

    def evaluate(self, history: History) -> None:
        model, corpus, settings = self.model, self.corpus, self.settings
        T = settings.context_length
        ids = corpus.held_out[: min(MAP_TOKENS, T)]
        with evaluation_mode(model):
            loss = held_out_loss(model, corpus.held_out, T, max_batches=MAX_BATCHES)
            steps = trace(model, ids[None])
            text = LanguageModel(model, corpus.tokenizer, history, {}).generate(settings.prompt)
        layers = range(model.config.n_layers)
        heads = torch.cat([steps[f"layers.{i}.attention.weights"][0] for i in layers])
        # The map is of the head that attends most to the previous token, not always the same one.
        previous = heads.diagonal(-1, dim1=-2, dim2=-1).mean(-1)  # (n_layers H,)
        tokens = [corpus.tokenizer.decode([i]) for i in ids.tolist()]
        history.add_held_out(self.run.step, loss)
        history.add_snapshot(self.run.step, text, tokens, heads[previous.argmax()])

    def card(self) -> dict[str, Any]:
        settings, corpus = self.settings, self.corpus
        loss = held_out_loss(self.model, corpus.held_out, settings.context_length)  # on all of it
        known, size = CORPORA.get(settings.text), len(corpus.held_out)
        return {
            "what": "A small language model, trained by the course Transformers, Plainly.",
            "licence": LICENCES.get(settings.text, "that of its text"),
            "text": {
                "name": settings.text,
                "about": known.about if known else None,
                "sha256": corpus.sha256,
                "tokens_to_train_on": len(corpus.train),
                "tokens_held_out": size,
                "bytes_held_out": corpus.held_out_bytes,
            },
            **({"made_by": "make checkpoints"} if settings.text == "stories" else {}),
            "tokens_seen": settings.steps * settings.batch_size * settings.context_length,
            "held_out": {
                "nats_per_token": round(loss, 4),
                "perplexity": round(perplexity(loss), 2),
                "bits_per_byte": round(bits_per_byte(loss, size, corpus.held_out_bytes), 4),
            },
        }

    def save(self, folder: Path) -> None:
        model, tokenizer = self.model, self.corpus.tokenizer
        if self.settings.weights_dtype == "int8":
            save_int8(folder / "model.safetensors", model)
            load_weights(folder / "model.safetensors", model)  # which write the documents
        else:
            save_pretrained(copy.deepcopy(model).half(), folder, "llama")
        tokenizer.save(folder / "tokenizer.json")
        if self.settings.documents:
            written = write_documents(model, tokenizer)
            text = BLANK_LINE.join(re.sub(r"\s*\n\s*", "\n", each) for each in written)
            atomic_write(folder / "written.txt", text + "\n")
            most = model.config.max_length
            read = [tokenizer.encode(each)[:most] for each in text.split(BLANK_LINE)]
            strongest = strongest_places(model, [ids for ids in read if len(ids) > 2])
            packed = json.dumps(strongest, separators=(",", ":"))
            atomic_write(folder / "strongest.json", packed + "\n")

    def keep(self, folder: Path) -> None:
        save_int8(folder / f"step-{self.run.step:06}.safetensors", self.model)

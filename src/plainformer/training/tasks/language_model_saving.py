"""Train a language model with the command line's settings, save it in a folder, and open it again.

Besides what `saving.py` lists, the folder contains the tokenizer (tokenizer.json) and, for a model
of documents, 64 documents that it wrote (written.txt) and where in them each of its units and heads
is strongest (strongest.json). If the weights are in float16, transformers can open it.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save

from plainformer.arrays import Array
from plainformer.blocks import DecoderOnly, from_pretrained, save_pretrained
from plainformer.data import CORPORA
from plainformer.files import atomic_write, shipped
from plainformer.inputs import BPETokenizer
from plainformer.training.evaluate import held_out_loss
from plainformer.training.history import History
from plainformer.training.loss import bits_per_byte, perplexity
from plainformer.training.strongest import pack_strongest
from plainformer.training.tasks.int8 import save_int8
from plainformer.training.tasks.language_model import (
    BLANK_LINE,
    Corpus,
    LanguageModelSettings,
    add_evaluation,
    generate_text,
    new_run,
    read_corpus,
    write_documents,
)
from plainformer.training.tasks.running import Task, run_task
from plainformer.training.tasks.saving import (
    CHECKPOINTS,
    load_weights,
    new_card,
    new_folder,
    open_metadata,
    save_metadata,
)

__all__ = [
    "LanguageModel", "course_lm", "course_lm_steps", "course_lm_stories", "course_lm_strongest",
    "open_language_model", "recorded_capstone", "run_language_model", "save_language_model",
]  # fmt: skip

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

    def generate(self, prompt: str, max_new_tokens: int = 60, **options: Any) -> str:
        """Continue a prompt; the options are those of `generate_text`.

        >>> course_lm().generate("The", 20, seed=1).startswith("The")
        True
        """
        return generate_text(self.model, self.tokenizer, prompt, max_new_tokens, **options)

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


def save_language_model(folder: str | os.PathLike[str], trained: LanguageModel) -> None:
    """Save a trained model in a new folder, with the weights in the dtype that its card names.

    The model writes its documents with the weights as they are stored.
    """
    place = new_folder(folder)
    weights = place / "model.safetensors"
    if trained.card["settings"].get("weights_dtype") == "int8":
        save_int8(weights, trained.model)
        load_weights(weights, trained.model)
    else:
        save_pretrained(trained.model, place, "llama")
        half = {name: tensor.half() for name, tensor in load_file(weights).items()}
        atomic_write(weights, save(half, {"format": "pt"}))
    trained.tokenizer.save(place / "tokenizer.json")
    if trained.card["settings"].get("documents"):
        written = write_documents(trained.model, trained.tokenizer)
        text = BLANK_LINE.join(re.sub(r"\s*\n\s*", "\n", each) for each in written)
        atomic_write(place / "written.txt", text + "\n")
        read = _as_read(trained, text.split(BLANK_LINE))
        atomic_write(place / "strongest.json", pack_strongest(trained.model, read) + "\n")
    save_metadata(place, trained.history, trained.card)


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


def run_language_model(config: Path, out: Path, **options: Any) -> Path:
    """Train a model from a file of `LanguageModelSettings`, with the options of `run_task`."""
    if options.get("text") is not None:  # then it is not the model that the file describes
        options["name"] = "language-model"
    return run_task(LanguageModelSettings, _begin, config, out, **options)


def _as_read(trained: LanguageModel, documents: list[str]) -> list[list[int]]:
    """The tokens of documents as far as the model can read them; of some words at least."""
    most = trained.model.config.max_length
    read = [trained.tokenizer.encode(each)[:most] for each in documents]
    return [each for each in read if len(each) > 2]


def _begin(settings: LanguageModelSettings) -> Task:
    corpus = read_corpus(settings)
    run = new_run(settings, corpus)

    def save(folder: Path, history: History) -> dict[str, Any]:
        model: Any = run.model
        card = _card(settings, corpus, model.eval())
        save_language_model(folder, LanguageModel(model, corpus.tokenizer, history, card))
        return card

    return Task(
        run,
        {"characters": corpus.characters, "sha256": corpus.sha256},
        f"text: {settings.text}, {corpus.characters:,} characters\n"
        f"tokens: {len(corpus.train):,} to train on, {len(corpus.held_out):,} held out, from a "
        f"vocabulary of {corpus.tokenizer.vocab_size:,}",
        lambda history: add_evaluation(run, corpus, history, settings.prompt),
        save,
        lambda folder: save_int8(folder / f"step-{run.step:06}.safetensors", run.model),
        frozenset(settings.checkpoint_steps()),
    )


def _card(settings: LanguageModelSettings, corpus: Corpus, model: DecoderOnly) -> dict[str, Any]:
    """Describe a trained model, with its loss on the whole of the held-out text."""
    loss = held_out_loss(model, corpus.held_out, settings.context_length)
    known = CORPORA.get(settings.text)
    text: dict[str, Any] = {
        "name": settings.text,
        "about": known.about if known else None,
        "sha256": corpus.sha256,
        "tokens_to_train_on": len(corpus.train),
        "tokens_held_out": len(corpus.held_out),
        "bytes_held_out": corpus.held_out_bytes,
    }
    scores = {
        "nats_per_token": round(loss, 4),
        "perplexity": round(perplexity(loss), 2),
        "bits_per_byte": round(
            bits_per_byte(loss, text["tokens_held_out"], text["bytes_held_out"]), 4
        ),
    }
    stories = settings.text == "stories"
    return new_card(
        settings,
        text,
        scores,
        what="A small language model, trained by the course Transformers, Plainly.",
        licence=LICENCES.get(settings.text, "that of its text"),
        made_by="make checkpoints" if stories else "python -m plainformer.training language-model",
        tokens_seen=settings.steps * settings.batch_size * settings.context_length,
    )

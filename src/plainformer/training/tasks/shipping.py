"""A trained language model as a folder: what others can open, what it is, and how it came to be.

config.json, model.safetensors    Llama's layout, in float16: transformers opens it, too
tokenizer.json                    its tokens
history.json                      losses, samples and attention maps along the way
card.json                         text, settings, losses, and how to make it again
"""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save

from plainformer.blocks import DecoderOnly, from_pretrained, save_pretrained
from plainformer.files import atomic_write, shipped
from plainformer.inputs import BPETokenizer
from plainformer.training.history import History
from plainformer.training.loss import bits_per_byte, perplexity
from plainformer.training.tasks.language_model import (
    Corpus,
    LanguageModelSettings,
    look,
    new_run,
    read_corpus,
)
from plainformer.training.tasks.running import Sharing, Task, run_task
from plainformer.training.tasks.settings import read_settings

__all__ = [
    "CHECKPOINTS", "LanguageModel", "course_lm", "open_language_model", "recorded_capstone",
    "run_language_model", "ship", "write_notes",
]  # fmt: skip

CHECKPOINTS = Path(__file__).parents[2] / "checkpoints"


@dataclass(frozen=True)
class LanguageModel:
    """A trained language model and what belongs to it.

    Attributes:
        model: in evaluation mode, in float32.
        tokenizer: of the text that it read.
        history: of its training.
        card: what it is, as plain data.
    """

    model: DecoderOnly
    tokenizer: BPETokenizer
    history: History
    card: dict[str, Any]


def ship(folder: str | os.PathLike[str], trained: LanguageModel) -> None:
    """Write a trained model into a folder, its weights in float16.

    Raises:
        FileExistsError: there is something in the folder already.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    if any(place.iterdir()):
        raise FileExistsError(f"folder must be empty or new; {place} is not")
    save_pretrained(trained.model, place, "llama")
    weights = {name: t.half() for name, t in load_file(place / "model.safetensors").items()}
    atomic_write(place / "model.safetensors", save(weights, {"format": "pt"}))
    trained.tokenizer.save(place / "tokenizer.json")
    write_notes(place, trained.history, trained.card)


def write_notes(folder: Path, history: History, card: dict[str, Any]) -> None:
    """Write what every trained model carries along: its history and its card."""
    atomic_write(folder / "history.json", history.to_json() + "\n")
    atomic_write(folder / "card.json", json.dumps(card, indent=2, ensure_ascii=False) + "\n")


def open_language_model(folder: str | os.PathLike[str]) -> LanguageModel:
    """Open what `ship` wrote.

    Raises:
        FileNotFoundError, ValueError: it is no such folder, or a file of it is damaged.
    """
    place = Path(folder)
    model: Any = from_pretrained(place)
    return LanguageModel(
        model.float().eval(),
        BPETokenizer.load(place / "tokenizer.json"),
        History.from_json((place / "history.json").read_text(encoding="utf-8")),
        json.loads((place / "card.json").read_text(encoding="utf-8")),
    )


def course_lm() -> LanguageModel:
    """The language model that the course ships: trained on the manual of Python 3.11.

    >>> trained = course_lm()
    >>> trained.model.config.n_layers, sum(p.numel() for p in trained.model.parameters())
    (4, 724976)
    """
    return open_language_model(shipped(CHECKPOINTS / "course_lm"))


def recorded_capstone() -> History:
    """The run of the chapter *Capstone*, recorded on the manual of Python 3.11: loss and samples.

    >>> recorded_capstone().moments[-1].step
    800
    """
    recorded = shipped(CHECKPOINTS / "capstone.json")
    return History.from_json(recorded.read_text(encoding="utf-8"))


def run_language_model(
    config: Path,
    out: Path,
    *,
    resume: bool = False,
    threads: int = 1,
    sharing: Sharing | None = None,
    **changes: Any,
) -> Path:
    """Train a language model by the settings of a file; return the folder that holds it.

    Args:
        config: TOML, as `LanguageModelSettings` describes it.
        out, resume, threads, sharing: as in `run_task`, which raises what it raises.
        changes: settings that are not as in the file; None leaves one as it is.
    """
    if changes.get("text") is not None:  # it is no longer the model that the file names
        changes["name"] = "language-model"
    settings = read_settings(LanguageModelSettings, config, **changes)
    return run_task(settings, _begin, out, resume=resume, threads=threads, sharing=sharing)


def _begin(settings: LanguageModelSettings) -> Task:
    corpus = read_corpus(settings)
    run = new_run(settings, corpus)

    def ship_it(folder: Path, history: History) -> None:
        model: Any = run.model
        card = new_card(settings, corpus, history)
        ship(folder, LanguageModel(model.eval(), corpus.tokenizer, history, card))

    return Task(run, lambda history: look(run, corpus, history), ship_it)


def new_card(settings: LanguageModelSettings, corpus: Corpus, history: History) -> dict[str, Any]:
    """What a trained model is, as plain data."""
    loss, ours = history.held_out[-1][1], settings.text == "python_manual"
    return {
        "name": settings.name,
        "what": "A small GPT of the course Transformers, Plainly; it writes like its text, badly.",
        "licence": "MIT; of its text, the PSF's" if ours else "that of its text",
        "text": {
            "name": settings.text,
            "python": platform.python_version() if ours else None,
            "sha256": corpus.sha256,
            "tokens_to_train_on": len(corpus.read),
            "tokens_held_out": len(corpus.held_out),
            "bytes_held_out": corpus.held_out_bytes,
        },
        "settings": asdict(settings),
        "tokens_seen": settings.steps * settings.batch_size * settings.length,
        "held_out": {
            "nats_per_token": round(loss, 4),
            "perplexity": round(perplexity(loss), 2),
            "bits_per_byte": round(
                bits_per_byte(loss, len(corpus.held_out), corpus.held_out_bytes), 4
            ),
        },
        "torch": torch.__version__.partition("+")[0],
        "made_by": "python -m plainformer.training language-model",
    }

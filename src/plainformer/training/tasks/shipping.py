"""A trained model as a folder: what others can open, what it is, and how it came to be.

config.json, model.safetensors    Llama's layout, in float16: transformers opens it, too
tokenizer.json                    its tokens
history.json                      losses, samples and attention maps along the way
card.json                         text, settings, losses, and how to make it again
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors.torch import load_file, save

from plainformer.blocks import DecoderOnly, from_pretrained, save_pretrained
from plainformer.files import atomic_write
from plainformer.inputs import BPETokenizer
from plainformer.training.history import History

__all__ = [
    "CHECKPOINTS",
    "LanguageModel",
    "course_lm",
    "open_language_model",
    "recorded_capstone",
    "ship",
]

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
    atomic_write(place / "history.json", trained.history.to_json() + "\n")
    atomic_write(place / "card.json", json.dumps(trained.card, indent=2, ensure_ascii=False) + "\n")


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
    return open_language_model(CHECKPOINTS / "course_lm")


def recorded_capstone() -> History:
    """The run of the chapter *Capstone*, recorded on the manual of Python 3.11: loss and samples.

    >>> recorded_capstone().moments[-1].step
    800
    """
    return History.from_json((CHECKPOINTS / "capstone.json").read_text(encoding="utf-8"))

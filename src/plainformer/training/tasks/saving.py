"""Save a trained model of any task in a folder, and open it again.

config.json, model.safetensors    the configuration, and the weights in float16 or int8
history.json                      losses, samples and attention maps during training
card.json                         the data, the settings, the scores, and how to train it again
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import nn

from plainformer.blocks import TransformerConfig
from plainformer.files import atomic_write
from plainformer.training.checkpoint import check_fit
from plainformer.training.history import History
from plainformer.training.tasks.settings import Settings

__all__ = [
    "CHECKPOINTS", "load_weights", "new_card", "new_folder", "open_metadata", "save_metadata",
    "save_model",
]  # fmt: skip

CHECKPOINTS = Path(__file__).parents[2] / "checkpoints"


def new_folder(folder: str | os.PathLike[str]) -> Path:
    """Create a folder for a model, and refuse one that is not empty."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    if any(place.iterdir()):
        raise FileExistsError(f"folder must be empty or new; {place} is not")
    return place


def save_model(
    folder: str | os.PathLike[str],
    model: nn.Module,
    config: TransformerConfig,
    history: History,
    card: dict[str, Any],
    **words: Sequence[str],
) -> None:
    """Save a model in float16 in a new folder, and each list of words as JSON under its name."""
    place = new_folder(folder)
    weights = {name: p.detach().half() for name, p in model.named_parameters()}
    atomic_write(place / "model.safetensors", save(weights, {"format": "pt"}))
    atomic_write(place / "config.json", json.dumps(asdict(config), indent=2) + "\n")
    for name, each in words.items():
        atomic_write(place / f"{name}.json", json.dumps(each, ensure_ascii=False) + "\n")
    save_metadata(place, history, card)


@torch.no_grad()
def load_weights(path: Path, model: nn.Module) -> None:
    """Fill a model with the weights of a file, in float16 or int8, after checking that they fit.

    Raises:
        ValueError: the file is truncated, or belongs to another model.
    """
    try:
        stored = load_file(path)
    except SafetensorError as error:
        raise ValueError(f"{path} must be whole; {error}") from None
    weights = dict(model.named_parameters())
    wanted = {name: tuple(weight.shape) for name, weight in weights.items()}
    quantized = torch.int8 in {tensor.dtype for tensor in stored.values()}
    if quantized:
        wanted |= {f"{name}.scale": (*shape[:-1], 1) for name, shape in wanted.items()}
    found = {name: tuple(tensor.shape) for name, tensor in stored.items()}
    check_fit(path, wanted, found)
    for name, weight in weights.items():
        weight.copy_(stored[name].float() * (stored[f"{name}.scale"] if quantized else 1))


def new_card(
    settings: Settings,
    text: Mapping[str, Any],
    held_out: Mapping[str, float],
    *,
    what: str,
    licence: str,
    made_by: str,
    **more: Any,
) -> dict[str, Any]:
    """Describe a trained model: what it is, its data, and its scores on what was held out."""
    return {
        "name": settings.name,
        "what": what,
        "licence": licence,
        "text": text,
        "settings": asdict(settings),
        **more,
        "held_out": held_out,
        "torch": torch.__version__.partition("+")[0],
        "made_by": made_by,
    }


def save_metadata(folder: Path, history: History, card: dict[str, Any]) -> None:
    """Save a model's history and card."""
    atomic_write(folder / "history.json", history.to_json() + "\n")
    atomic_write(folder / "card.json", json.dumps(card, indent=2, ensure_ascii=False) + "\n")


def open_metadata(folder: Path, *names: str) -> tuple[History, dict[str, Any]]:
    """Open the history in a folder, its card, and other JSON files with these names."""
    data = {}
    for name in ("card", *names):
        path = folder / f"{name}.json"
        if not path.is_file():
            raise FileNotFoundError(
                f"a trained model must be a folder with a {path.name}; there is none in {folder}. "
                "After training, it is the folder named model in the folder of the run"
            )
        try:
            data[name] = json.loads(path.read_text(encoding="utf-8"))
        except json.JSONDecodeError as error:
            raise ValueError(f"{path} must be JSON; {error}") from None
    return History.from_json((folder / "history.json").read_text(encoding="utf-8")), data

"""Save a trained model of any task in a folder, and open it again.

config.json, model.safetensors    the configuration, and the weights in float16 or int8
history.json                      losses, samples and attention maps during training
card.json                         the data, the settings, the scores, and how to train it again
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import Tensor, nn

from plainformer.blocks import TransformerConfig
from plainformer.files import atomic_write
from plainformer.training.checkpoint import check_fit
from plainformer.training.history import History

__all__ = [
    "CHECKPOINTS", "load_weights", "open_metadata", "quantize_rows", "save_int8", "save_model",
]  # fmt: skip

CHECKPOINTS = Path(__file__).parents[2] / "checkpoints"


def save_model(
    folder: Path, model: nn.Module, config: TransformerConfig, **words: Sequence[str]
) -> None:
    """Save a model in float16 in a folder, and each list of words as JSON under its name."""
    weights = {name: p.detach().half() for name, p in model.named_parameters()}
    atomic_write(folder / "model.safetensors", save(weights, {"format": "pt"}))
    atomic_write(folder / "config.json", json.dumps(asdict(config), indent=2) + "\n")
    for name, each in words.items():
        atomic_write(folder / f"{name}.json", json.dumps(each, ensure_ascii=False) + "\n")


@torch.no_grad()
def save_int8(path: Path, model: nn.Module) -> None:
    """Write a model's weights to a file in int8, with the scales of each "name" as "name.scale"."""
    tensors = {}
    for name, weight in model.named_parameters():
        tensors[name], tensors[f"{name}.scale"] = quantize_rows(weight)
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic_write(path, save(tensors))


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    """Round a weight (..., C) to int8, with one scale in float32 for each row, (..., 1).

    The scale maps the largest weight of its row, in size, to 127. Their product approximates the
    weight, which must be finite, to within 1/254 of that largest one.

    Source: Dettmers et al. 2022, section 3.1, who also use one scale for each row of a matrix.

    >>> quantized, scale = quantize_rows(torch.tensor([[0.5, -1.27], [0.0, 0.0]]))
    >>> quantized.tolist(), round(scale[0].item(), 6)
    ([[50, -127], [0, 0]], 0.01)
    """
    if not weight.isfinite().all():
        raise ValueError("weight must be finite; got NaN or ∞")
    scale = weight.float().abs().amax(-1, keepdim=True) / 127
    scale = torch.where(scale > 0, scale, 1.0)  # a row of zeros needs no scale
    return (weight / scale).round().to(torch.int8), scale


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

"""Weights in one byte each, so that a trained model fits into the package and into a page.

The numbers of a row share a scale, which maps the largest of them to 127. A weight is then off by
at most half a step of its row, which is 1/254 of that row's largest weight.

    model.safetensors    for each parameter "name", an int8 tensor of the same shape, and
                         "name.scale", (R, 1) or (1,), in float32 for its rows

Source: Dettmers et al. (2022), section 3.1, who give a scale to each row of a matrix as well.
"""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import Tensor, nn

from plainformer.files import atomic_write

__all__ = ["dequantize_rows", "load_int8", "quantize_rows", "save_int8"]

LARGEST = 127


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    """Round a weight to integers from -127 to 127, with one scale for each row.

    Args:
        weight: (..., C), floats.

    Returns:
        (..., C) int8 and (..., 1) float32, whose product is about the weight.

    Raises:
        ValueError: a weight is not finite.

    >>> quantized, scale = quantize_rows(torch.tensor([[0.5, -1.27], [0.0, 0.0]]))
    >>> quantized.tolist(), round(scale[0].item(), 6)
    ([[50, -127], [0, 0]], 0.01)
    """
    if not weight.isfinite().all():
        raise ValueError("weight must be finite; got NaN or ∞")
    scale = weight.float().abs().amax(-1, keepdim=True) / LARGEST
    scale = torch.where(scale > 0, scale, 1.0)  # a row of zeros needs no scale
    return (weight / scale).round().to(torch.int8), scale


def dequantize_rows(quantized: Tensor, scale: Tensor) -> Tensor:
    """Return the weights, in float32, that `quantize_rows` rounded.

    >>> dequantize_rows(torch.tensor([[50, -127]], dtype=torch.int8), torch.tensor([[0.01]]))
    tensor([[ 0.5000, -1.2700]])
    """
    return quantized.float() * scale


@torch.no_grad()
def save_int8(path: Path, model: nn.Module) -> None:
    """Write the weights of a model to a file that `load_int8` reads."""
    tensors = {}
    for name, weight in model.named_parameters():
        tensors[name], tensors[f"{name}.scale"] = quantize_rows(weight)
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic_write(path, save(tensors))


@torch.no_grad()
def load_int8(path: Path, model: nn.Module) -> None:
    """Fill a model with the weights of a file, after checking that they fit it.

    Raises:
        ValueError: the file is truncated, or is of another model.
    """
    try:
        stored = load_file(path)
    except SafetensorError as error:
        raise ValueError(f"{path} must be whole; {error}") from None
    weights = dict(model.named_parameters())
    wanted = {name: (tuple(weight.shape), "int8") for name, weight in weights.items()}
    wanted |= {
        f"{name}.scale": ((*weight.shape[:-1], 1), "float32") for name, weight in weights.items()
    }
    found = {name: (tuple(t.shape), str(t.dtype).partition(".")[2]) for name, t in stored.items()}
    for name in sorted(wanted.keys() | found.keys()):
        if wanted.get(name) != found.get(name):
            raise ValueError(
                f"{path} must hold the weights of this model; {name} must be "
                f"{wanted.get(name, 'absent')}, and is {found.get(name, 'absent')}"
            )
    for name, weight in weights.items():
        weight.copy_(dequantize_rows(stored[name], stored[f"{name}.scale"]))

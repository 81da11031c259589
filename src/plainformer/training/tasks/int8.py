"""Weights in one byte each, so that a trained model fits into the package and into a page.

The numbers of a row share a scale, which maps the largest of them to 127. A weight is then off by
at most half a step of its row, which is 1/254 of that row's largest weight.

Source: Dettmers et al. (2022), section 3.1, who also use one scale for each row of a matrix.
"""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors.torch import save
from torch import Tensor, nn

from plainformer.files import atomic_write

__all__ = ["quantize_rows", "save_int8"]

LARGEST = 127


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    """Round a weight (..., C) to int8, with one scale in float32 for each row, (..., 1).

    Their product approximates the weight, which must be finite.

    >>> quantized, scale = quantize_rows(torch.tensor([[0.5, -1.27], [0.0, 0.0]]))
    >>> quantized.tolist(), round(scale[0].item(), 6)
    ([[50, -127], [0, 0]], 0.01)
    """
    if not weight.isfinite().all():
        raise ValueError("weight must be finite; got NaN or ∞")
    scale = weight.float().abs().amax(-1, keepdim=True) / LARGEST
    scale = torch.where(scale > 0, scale, 1.0)  # a row of zeros needs no scale
    return (weight / scale).round().to(torch.int8), scale


@torch.no_grad()
def save_int8(path: Path, model: nn.Module) -> None:
    """Write a model's weights to a file, with the scales of each "name" as "name.scale"."""
    tensors = {}
    for name, weight in model.named_parameters():
        tensors[name], tensors[f"{name}.scale"] = quantize_rows(weight)
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic_write(path, save(tensors))

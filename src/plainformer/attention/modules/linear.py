"""A linear layer whose first values come from the generator that is handed over, and no other."""

from __future__ import annotations

import torch
from torch import nn

__all__ = ["new_linear"]


def new_linear(d_in: int, d_out: int, bias: bool, rng: torch.Generator | None) -> nn.Linear:
    """Weights as Glorot and Bengio 2010 draw them (equation 16), and biases of 0."""
    device = torch.get_default_device()
    with torch.device("meta"):  # its own first values would come from torch's generator
        linear = nn.Linear(d_in, d_out, bias=bias)
    linear.to_empty(device=device)
    nn.init.xavier_uniform_(linear.weight, generator=rng)
    if bias:
        nn.init.zeros_(linear.bias)
    return linear

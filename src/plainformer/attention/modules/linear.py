"""A linear layer whose initial weights are drawn from a given generator."""

from __future__ import annotations

import torch
from torch import nn

__all__ = ["new_linear"]


def new_linear(d_in: int, d_out: int, bias: bool, rng: torch.Generator | None) -> nn.Linear:
    """A linear layer with weights as in Glorot and Bengio 2010 (equation 16), and biases of 0."""
    with torch.device("meta"):  # so that torch's own generator is not used
        linear = nn.Linear(d_in, d_out, bias=bias)
    linear.weight = nn.Parameter(torch.empty(d_out, d_in))
    nn.init.xavier_uniform_(linear.weight, generator=rng)
    if bias:
        linear.bias = nn.Parameter(torch.zeros(d_out))
    return linear

"""A linear layer whose initial weights are drawn from a given generator."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import nn

__all__ = ["new_linear", "scale_as_packed"]


def new_linear(d_in: int, d_out: int, bias: bool, rng: torch.Generator | None) -> nn.Linear:
    """A linear layer with weights as in Glorot and Bengio 2010 (equation 16), and biases of 0."""
    with torch.device("meta"):  # so that torch's own generator is not used
        linear = nn.Linear(d_in, d_out, bias=bias)
    linear.weight = nn.Parameter(torch.empty(d_out, d_in))
    nn.init.xavier_uniform_(linear.weight, generator=rng)
    if bias:
        linear.bias = nn.Parameter(torch.zeros(d_out))
    return linear


@torch.no_grad()
def scale_as_packed(layers: Sequence[nn.Linear]) -> None:
    """Shrink the initial weights of layers to what they would be as the rows of one matrix.

    The layers must have the same input, like the projections to queries, keys and values. Glorot's
    formula divides by the sum of a matrix's height and width, so three projections that are each
    as wide as the input become smaller by √2, and attention begins closer to a plain average, as it
    does in torch's `nn.MultiheadAttention`. The weights are changed in place, and they must be new
    ones from `new_linear`.

    Source: Glorot and Bengio 2010, equation 16.

    >>> layers = [new_linear(8, 8, False, None) for _ in range(3)]
    >>> before = layers[0].weight.clone()
    >>> scale_as_packed(layers)
    >>> round((layers[0].weight / before).mean().item(), 4)
    0.7071
    """
    widths = {layer.in_features for layer in layers}
    if len(widths) != 1:
        raise ValueError(f"layers must have one input width; got {sorted(widths)}")
    d_in, packed = widths.pop(), sum(layer.out_features for layer in layers)
    for layer in layers:
        layer.weight.mul_(math.sqrt((d_in + layer.out_features) / (d_in + packed)))

"""Initial weights as torch's own transformer draws them."""

from __future__ import annotations

import math

import torch
from torch import nn

from plainformer.attention import MultiHeadAttention
from plainformer.blocks.modules.feed_forward import FeedForward

__all__ = ["initialize_like_torch"]


@torch.no_grad()
def initialize_like_torch(model: nn.Module, rng: torch.Generator | None = None) -> None:
    """Give a new model the initial weights that `torch.nn.Transformer` would have.

    Layers of this package draw each matrix by the formula of Glorot and Bengio (2010), which
    divides by the sum of its height and width, and begin with biases of 0. torch does the same
    except for two things, which this function changes in place:

    * `nn.MultiheadAttention` keeps the projections to queries, keys and values as one matrix, three
      times as high, so the formula draws smaller numbers: by √2 if all are as wide as the input.
    * The biases of its feed-forward layers are drawn between -1/√n and 1/√n, for n inputs.

    >>> layer = FeedForward(d_model=4, d_ff=16)
    >>> initialize_like_torch(layer)
    >>> bool(0 < layer.w_up.bias.abs().max() <= 1 / 2)
    True
    """
    for module in model.modules():
        if isinstance(module, MultiHeadAttention):
            projections = (module.w_q, module.w_k, module.w_v)
            D, packed = module.d_model, sum(each.out_features for each in projections)
            for each in projections:
                each.weight.mul_(math.sqrt((D + each.out_features) / (D + packed)))
        elif isinstance(module, FeedForward):
            for layer in (module.w_up, module.w_gate, module.w_down):
                if layer is not None and layer.bias is not None:
                    most = 1 / math.sqrt(layer.in_features)
                    nn.init.uniform_(layer.bias, -most, most, generator=rng)

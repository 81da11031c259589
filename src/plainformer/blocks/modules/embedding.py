"""The two ends of a model: its input layer, and the head that turns vectors into logits."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from plainformer.attention.modules.linear import new_linear
from plainformer.blocks.config import TransformerConfig
from plainformer.blocks.modules.feed_forward import activation_function
from plainformer.blocks.modules.norms import new_norm
from plainformer.inputs.modules.positions import InputEmbedding, new_table

__all__ = ["Head", "new_embedding"]


def new_embedding(
    config: TransformerConfig, fused: bool, rng: torch.Generator | None = None
) -> InputEmbedding:
    """The input layer of a configuration, whose norm uses torch's kernel if `fused`."""
    positions: Any = config.positions if config.positions in ("sinusoidal", "learned") else None
    return InputEmbedding(
        config.vocab_size,
        config.d_model,
        positions=positions,
        max_length=config.max_length,
        n_segments=config.n_segments,
        scale=config.scale_embedding,
        layout=config.position_layout,
        norm=new_norm(config, fused) if config.norm_embedding else None,
        dropout=config.dropout,
        rng=rng,
    )


class Head(nn.Module):
    """The unembedding, which turns vectors, (B, T, D), into logits, (B, T, V).

    The logit of a token is the dot product of a vector with the token's row in a table. If the head
    is *tied*, that table is the token embedding; otherwise it is the parameter `table`. In BERT's
    head, vectors first pass through another layer, whose parameters are `linear` and `norm`.

    Source: Press and Wolf 2017, on tying.
    """

    def __init__(
        self,
        config: TransformerConfig,
        tokens: nn.Parameter,
        fused: bool,
        rng: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        D, V = config.d_model, config.vocab_size
        self.table = tokens if config.tied else new_table(V, D, rng)
        self.bias = nn.Parameter(torch.zeros(V)) if config.head_bias else None
        self.softcap = config.logit_softcap
        self.transform = config.head == "transform"
        if self.transform:
            self.function = activation_function(config.activation, fused)
            self.linear = new_linear(D, D, True, rng)
            self.norm = new_norm(config, fused)

    def forward(self, x: Tensor) -> Tensor:
        if self.transform:
            x = self.norm(self.function(self.linear(x)))
        logits = F.linear(x, self.table, self.bias)
        if self.softcap is None:
            return logits
        return self.softcap * torch.tanh(logits / self.softcap)

"""From the last layer's vectors to logits: the unembedding.

The logit of a token is the dot product of a vector with the token's row in a table, so it says how
similar the two are. If the unembedding is *tied*, that table is the token embedding, which saves a
model of GPT-2's size a third of its parameters. BERT's head has another layer and a norm before the
unembedding.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from plainformer.attention.modules.linear import new_linear
from plainformer.blocks.config import TransformerConfig
from plainformer.blocks.modules.embedding import new_table
from plainformer.blocks.modules.feed_forward import activation_function
from plainformer.blocks.modules.norms import new_norm

__all__ = ["Head"]


class Head(nn.Module):
    """(B, T, D) to (B, T, V).

    Args:
        config: sizes and choices.
        tokens: (V, D), the token embedding, which a tied head uses.
        fused: whether torch's kernels compute its activation and its norm, if there are any.
        rng: draws the initial weights; None uses torch's global generator.

    Its parameters are `table` (V, D), unless it is tied, `bias` (V,) if there is one, and `linear`
    and `norm` if the head is "transform".

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

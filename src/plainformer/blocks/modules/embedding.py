"""The two ends of a model: token ids and positions to vectors, and vectors to logits.

When texts of different lengths are generated together, the padding on their left has positions
below 0. The tables have no rows for those, so padding gets row 0, which does no harm because no
token attends to it.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from plainformer.attention.modules.linear import new_linear
from plainformer.blocks.config import TransformerConfig
from plainformer.blocks.modules.feed_forward import activation_function
from plainformer.blocks.modules.norms import new_norm
from plainformer.inputs.modules.positions import new_table
from plainformer.inputs.positions.angles import frequencies

__all__ = ["Embedding", "Head", "check_ids"]


class Embedding(nn.Module):
    """The sum of the token, position and segment embeddings, as far as a model has them.

    Its parameters are `tokens` (V, D) and, if the configuration has them, `positions`
    (max_length, D), `segments` (n_segments, D) and `norm`, which uses torch's kernel if `fused`.

    Source: Vaswani et al. 2017, sections 3.4 and 3.5; Devlin et al. 2019.
    """

    def __init__(
        self, config: TransformerConfig, fused: bool, rng: torch.Generator | None = None
    ) -> None:
        super().__init__()
        self.config, D = config, config.d_model
        self.scale = math.sqrt(D) if config.scale_embedding else 1.0
        self.tokens = new_table(config.vocab_size, D, rng)
        if config.positions == "learned" and config.max_length is not None:
            self.positions = new_table(config.max_length, D, rng)
        if config.positions == "sinusoidal":
            self.frequencies = frequencies(D)  # (D/2,), NumPy, float64
        if config.n_segments:
            self.segments = new_table(config.n_segments, D, rng)
        if config.norm_embedding:
            self.norm = new_norm(config, fused)
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self,
        ids: Tensor,
        positions: Tensor | None = None,
        segments: Tensor | None = None,
        *,
        offset: int = 0,
    ) -> Tensor:
        """Turn (B, T) ids into vectors, (B, T, D).

        `positions` is (T,) or (B, T), and None means that the ids follow `offset` earlier tokens.
        Without `segments`, every token belongs to the first segment.
        """
        if not isinstance(ids, Tensor) or ids.ndim != 2:
            got = tuple(ids.shape) if isinstance(ids, Tensor) else type(ids).__name__
            raise ValueError(f"ids must be a torch tensor (B, T); got {got}")
        config, end = self.config, offset + ids.shape[1]
        if config.max_length is not None and end > config.max_length:
            raise ValueError(f"a text must have at most {config.max_length} tokens; got {end}")
        if positions is None:
            positions = torch.arange(offset, end, device=ids.device)
        else:
            positions = check_ids(positions, end, "positions")
        x = self.tokens[check_ids(ids, config.vocab_size, "ids")] * self.scale
        if config.positions == "learned":
            x = x + self.positions[positions.clamp(min=0)]
        elif config.positions == "sinusoidal":
            omega = torch.as_tensor(self.frequencies, device=ids.device)
            angles = positions.clamp(min=0)[..., None].double() * omega  # (..., T, D/2)
            pairs = -1 if config.position_layout == "interleaved" else -2
            waves = torch.stack([angles.sin(), angles.cos()], dim=pairs).flatten(-2)
            x = x + waves[..., : config.d_model].to(x.dtype)
        if config.n_segments:
            if segments is None:
                segments = torch.zeros_like(ids)
            if segments.shape != ids.shape:
                got = tuple(segments.shape)
                raise ValueError(f"segments must be {tuple(ids.shape)}, like ids; got {got}")
            x = x + self.segments[check_ids(segments, config.n_segments, "segments")]
        if config.norm_embedding:
            x = self.norm(x)
        y: Tensor = self.dropout(x)
        return y


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


def check_ids(ids: Any, rows: int, name: str) -> Tensor:
    """Return ids as int64, and refuse those outside a table with this many rows.

    They become int64 because torch would treat uint8 indices as a mask. Their values are not
    checked in compiled code, nor on a device other than the CPU, which we would have to wait for.

    >>> check_ids(torch.tensor([[1, 9]]), 8, "ids")
    Traceback (most recent call last):
    ValueError: ids must be from 0 to 7; got 9 at [0, 1]
    """
    if not isinstance(ids, Tensor):
        raise TypeError(f"{name} must be a torch tensor; got {type(ids).__name__}")
    if ids.is_floating_point() or ids.is_complex() or ids.dtype == torch.bool:
        raise TypeError(f"{name} must be whole numbers; got {ids.dtype}")
    whole: Tensor = ids.long()
    if torch.compiler.is_compiling() or type(ids) is not Tensor or ids.device.type != "cpu":
        return whole
    least = -math.inf if name == "positions" else 0  # padding has positions below 0
    wrong = (whole >= rows) | (whole < least)
    if bool(wrong.any()):
        index = wrong.nonzero()[0].tolist()
        got = int(whole[tuple(index)])
        raise ValueError(f"{name} must be from 0 to {rows - 1}; got {got} at {index}")
    return whole

"""From ids to what the first layer reads, and where each token stands.

A model that writes is given positions: where each token stands in its text, below 0 for padding.
The tables have no such rows, so padding reads row 0; no token looks at it.

But: an id or a position that a table lacks is named only where numbers can be looked at without
waiting for them: on a CPU, and not while a model is compiled.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn

from plainformer.blocks.config import TransformerConfig
from plainformer.blocks.modules.norms import new_norm
from plainformer.inputs.positions.angles import angles, frequencies
from plainformer.inputs.positions.sinusoidal_table import sines_and_cosines
from plainformer.inputs.relative_positions import half_layout_order

__all__ = ["Embedding", "check_ids", "new_table"]


class Embedding(nn.Module):
    """What a token is, plus where it stands, plus which part it belongs to.

    Args:
        config: sizes and choices.
        fused: whether torch's kernel computes its norm, if there is one.
        rng: draws the first values; without it, torch's own generator.

    Its parameters: `tokens` (V, D) and, where there are such,
    `positions` (max_length, D), `segments` (n_segments, D) and `norm`.

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

    def forward(self, ids: Tensor, places: Tensor, segments: Tensor | None = None) -> Tensor:
        """(B, T) ids, standing at (T,) or (B, T) places, to (B, T, D)."""
        x = self.tokens[check_ids(ids, self.config.vocab_size, "ids")] * self.scale
        if self.config.positions == "learned":
            places = check_ids(places, len(self.positions), "positions")
            x = x + self.positions[places.clamp(min=0)]
        elif self.config.positions == "sinusoidal":
            x = x + self._waves(places.clamp(min=0))
        if self.config.n_segments:
            x = x + self._parts(ids, segments)
        if self.config.norm_embedding:
            x = self.norm(x)
        y: Tensor = self.dropout(x)
        return y

    def _waves(self, places: Tensor) -> Tensor:
        D = self.config.d_model
        waves = sines_and_cosines(angles(places, self.frequencies))
        table: Tensor = waves[..., :D].to(self.tokens.dtype)
        if self.config.pair_layout == "half":
            table = table[..., torch.as_tensor(half_layout_order(D), device=table.device)]
        return table

    def _parts(self, ids: Tensor, segments: Tensor | None) -> Tensor:
        """The row of each token's part; the first, if nobody says."""
        if segments is None:
            return self.segments[0]
        if segments.shape != ids.shape:
            got = tuple(segments.shape)
            raise ValueError(f"segments must be {tuple(ids.shape)}, as ids are; got {got}")
        return self.segments[check_ids(segments, self.config.n_segments, "segments")]


def check_ids(ids: Any, rows: int, name: str) -> Tensor:
    """Return ids as int64, and refuse what no table of so many rows has, if that needs no waiting.

    As int64, because torch takes uint8 for a mask and cannot index with other small integers.

    >>> check_ids(torch.tensor([[1, 9]]), 8, "ids")
    Traceback (most recent call last):
    ValueError: ids must be from 0 to 7; got 9 at [0, 1]
    """
    if not isinstance(ids, Tensor):
        raise TypeError(f"{name} must be a torch tensor; got {type(ids).__name__}")
    if ids.is_floating_point() or ids.is_complex() or ids.dtype == torch.bool:
        raise TypeError(f"{name} must be whole numbers; got {ids.dtype}")
    ids = ids.long()
    if torch.compiler.is_compiling() or type(ids) is not Tensor or ids.device.type != "cpu":
        return ids
    least = -math.inf if name == "positions" else 0  # those of padding are below 0
    wrong = (ids >= rows) | (ids < least)
    if bool(wrong.any()):
        place = wrong.nonzero()[0].tolist()
        got = int(ids[tuple(place)])
        raise ValueError(f"{name} must be from 0 to {rows - 1}; got {got} at {place}")
    return ids


def new_table(rows: int, d_model: int, rng: torch.Generator | None) -> nn.Parameter:
    """(rows, D), from N(0, 1/D): where the unembedding is the same table, logits start near 1."""
    table = torch.empty(rows, d_model)
    if not table.is_meta:  # there, drawing does nothing, and torch loads its compiler for it
        table.normal_(generator=rng).div_(math.sqrt(d_model))
    return nn.Parameter(table)

"""From token ids and positions to the vectors that the first layer reads.

When texts of different lengths are generated together, the padding on their left has positions
below 0. The tables have no rows for those, so padding gets row 0, which does no harm because no
token attends to it.

Ids and positions outside a table are reported only on a CPU and outside compiled code. Elsewhere
the check would have to wait for the device.
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
    """The sum of a token's embedding, its position and its segment, as far as a model has these.

    Args:
        config: sizes and choices.
        fused: whether torch's kernel computes the norm, if there is one.
        rng: draws the initial weights; None uses torch's global generator.

    Its parameters are `tokens` (V, D) and, if the configuration has them, `positions`
    (max_length, D), `segments` (n_segments, D) and `norm`.

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

    def forward(self, ids: Tensor, positions: Tensor, segments: Tensor | None = None) -> Tensor:
        """(B, T) ids and their positions, (T,) or (B, T), to (B, T, D)."""
        x = self.tokens[check_ids(ids, self.config.vocab_size, "ids")] * self.scale
        if self.config.positions == "learned":
            positions = check_ids(positions, len(self.positions), "positions")
            x = x + self.positions[positions.clamp(min=0)]
        elif self.config.positions == "sinusoidal":
            x = x + self._sinusoids(positions.clamp(min=0))
        if self.config.n_segments:
            x = x + self._segments(ids, segments)
        if self.config.norm_embedding:
            x = self.norm(x)
        y: Tensor = self.dropout(x)
        return y

    def _sinusoids(self, positions: Tensor) -> Tensor:
        D = self.config.d_model
        rows = sines_and_cosines(angles(positions, self.frequencies))
        rows = rows[..., :D].to(self.tokens.dtype)
        if self.config.position_layout == "half":
            rows = rows[..., torch.as_tensor(half_layout_order(D), device=rows.device)]
        found: Tensor = rows
        return found

    def _segments(self, ids: Tensor, segments: Tensor | None) -> Tensor:
        """The vector of each token's segment; without segments, every token is in the first."""
        if segments is None:
            return self.segments[0]
        if segments.shape != ids.shape:
            got = tuple(segments.shape)
            raise ValueError(f"segments must be {tuple(ids.shape)}, like ids; got {got}")
        return self.segments[check_ids(segments, self.config.n_segments, "segments")]


def check_ids(ids: Any, rows: int, name: str) -> Tensor:
    """Return ids as int64, and refuse those outside a table of so many rows.

    Ids on another device than the CPU are not looked at, because that would mean waiting for it.

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
    least = -math.inf if name == "positions" else 0  # padding has positions below 0
    wrong = (ids >= rows) | (ids < least)
    if bool(wrong.any()):
        index = wrong.nonzero()[0].tolist()
        got = int(ids[tuple(index)])
        raise ValueError(f"{name} must be from 0 to {rows - 1}; got {got} at {index}")
    return ids


def new_table(rows: int, d_model: int, rng: torch.Generator | None) -> nn.Parameter:
    """A (rows, D) table drawn from N(0, 1/D), with which logits start near 1 if it is tied."""
    table = torch.empty(rows, d_model)
    if not table.is_meta:  # drawing on the meta device does nothing but load torch's compiler
        table.normal_(generator=rng).div_(math.sqrt(d_model))
    return nn.Parameter(table)

"""The input layer of a transformer, in torch: token embeddings, positions and segments.

A sinusoidal table is computed, whereas the tables here are learned. A learned table has one row for
each position (GPT-2, BERT) or for each segment of the input (BERT's first and second sentence), and
it cannot be used beyond its last row. `InputEmbedding` adds up the vectors of a token, of its
position and, if the model has them, of its segment, and the sum is the input of the first layer.

Sinusoids need a device with float64, which Apple's MPS lacks.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import torch
from torch import Tensor, nn

from plainformer.arrays import (
    as_array,
    broadcasts,
    check_choice,
    check_flag,
    check_length,
    check_number,
    check_size,
)
from plainformer.inputs.checks import as_ids, is_scalar
from plainformer.inputs.positions.sinusoidal_table import sinusoidal

__all__ = ["InputEmbedding", "LearnedPositions", "SegmentEmbedding", "new_table"]


class LearnedPositions(nn.Module):
    """A table with one learned row for each position, up to a maximum length.

    Its only parameter is `table`, (max_length, D), drawn from N(0, 1/D) with `rng` or torch's
    global generator.

    Source: Gehring et al. 2017, section 3.1; GPT-2 and BERT use it.

    >>> LearnedPositions(max_length=16, d_model=4)(3).shape
    torch.Size([3, 4])
    """

    def __init__(
        self, max_length: int, d_model: int, *, rng: torch.Generator | None = None
    ) -> None:
        super().__init__()
        self.table = new_table(max_length, d_model, rng, "max_length")

    def forward(self, length_or_positions: Any, *, offset: int = 0) -> Tensor:
        """The rows of T positions from `offset` on, or of an array of positions.

        A position outside the table raises an error that says where it is.
        """
        positions, offset = length_or_positions, check_size(offset, "offset", least=0)
        if is_scalar(positions):
            end = offset + check_size(positions, "length", least=0)
            positions = torch.arange(offset, end)
        elif offset:
            raise ValueError(f"offset must be 0 when positions are given; got {offset}")
        return _rows(positions, self.table, "positions")


class SegmentEmbedding(nn.Module):
    """A table with one learned row for each segment of an input.

    BERT reads two sentences as one sequence, in which 0 marks the tokens of the first and 1 those
    of the second. The only parameter is `table`, (n_segments, D), drawn from N(0, 1/D).

    Source: Devlin et al. 2019, section 3 and figure 2.

    >>> SegmentEmbedding(n_segments=2, d_model=4)([0, 0, 0, 1, 1]).shape
    torch.Size([5, 4])
    """

    def __init__(
        self, n_segments: int, d_model: int, *, rng: torch.Generator | None = None
    ) -> None:
        super().__init__()
        self.table = new_table(n_segments, d_model, rng, "n_segments")

    def forward(self, segments: Any) -> Tensor:
        """The row of each token's segment: from (...,) numbers to (..., D)."""
        return _rows(segments, self.table, "segments")


class InputEmbedding(nn.Module):
    """The sum of the vectors of a token, of its position and of its segment.

    This is tokens × √D + positions (+ segments), followed by dropout. The entries of a new table
    have variance 1/D, so √D makes a token as large as a sinusoid. BERT and GPT-2 leave the factor
    out (`scale=False`). The parameters are `tokens` (V, D) and, if the model has them,
    `positions.table` and `segments.table`, drawn with `rng` or torch's global generator.

    Args:
        positions: "sinusoidal" (computed), "learned", or None if they enter elsewhere, as with
            RoPE and ALiBi.
        max_length: the longest sequence. "learned" needs it; the others have no limit unless this
            sets one.
        n_segments: the number of segments; 0 for none.
        scale: whether token embeddings are multiplied by √D.
        dropout: the fraction of entries that is set to 0 in training.

    Source: Vaswani et al. 2017, sections 3.4, 3.5 and 5.4; Devlin et al. 2019, figure 2.

    >>> embedding = InputEmbedding(vocab_size=9, d_model=4)
    >>> embedding([[1, 2, 3, 4, 5, 2]]).shape
    torch.Size([1, 6, 4])
    """

    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        *,
        positions: Literal["sinusoidal", "learned"] | None = "sinusoidal",
        max_length: int | None = None,
        n_segments: int = 0,
        scale: bool = True,
        dropout: float = 0.0,
        rng: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        self.kind = check_choice(positions, "positions", ["sinusoidal", "learned", None])
        if max_length is not None:
            check_length(max_length, "max_length", least=1)
        if not 0 <= check_number(dropout, "dropout") < 1:
            raise ValueError(f"dropout must be at least 0 and below 1; got {dropout}")
        self.tokens = new_table(vocab_size, d_model, rng, "vocab_size")
        self.scale = math.sqrt(d_model) if check_flag(scale, "scale") else 1.0
        self.max_length = max_length
        self.positions: LearnedPositions | None = None
        if positions == "learned":
            if max_length is None:
                raise ValueError("max_length must be given if positions are learned; got None")
            self.positions = LearnedPositions(max_length, d_model, rng=rng)
        self.segments: SegmentEmbedding | None = None
        if check_size(n_segments, "n_segments", least=0):
            self.segments = SegmentEmbedding(n_segments, d_model, rng=rng)
        self.dropout: Callable[[Tensor], Tensor] = nn.Dropout(dropout)

    def forward(
        self,
        ids: Any,
        segments: Any = None,
        *,
        offset: int = 0,
        positions: Any = None,
    ) -> Tensor:
        """The input of the first layer, (B, T, D): a vector for each token of a batch.

        Args:
            ids: (B, T) whole numbers from 0 to V - 1.
            segments: (B, T), or (T,) for all texts; required if the model
                has segments, and otherwise None.
            offset: how many tokens of the same text came before, when
                generating token by token.
            positions: (T,) or (B, T), the positions of the tokens if they
                are not consecutive, as in a batch padded on the left. With
                learned positions they are rows of the table, even for
                padding.
        """
        ids, positions = self._check(ids, segments, offset, positions)
        x = self.tokens[ids] * self.scale  # (B, T, D)
        if self.kind == "sinusoidal":
            x = x + sinusoidal(positions, x.shape[-1], like=x)
        elif self.positions is not None:
            x = x + self.positions(positions)
        if self.segments is not None:
            x = x + self.segments(segments)
        return self.dropout(x)

    def _check(self, ids: Any, segments: Any, offset: int, positions: Any) -> tuple[Tensor, Any]:
        """Return the ids and their positions, after checking that all arguments fit."""
        ids = as_ids(ids, len(self.tokens), like=self.tokens)
        shape, limit = tuple(ids.shape), self.max_length
        if not shape:
            raise ValueError("ids must be (B, T); got a single number")
        end = check_size(offset, "offset", least=0) + shape[-1]
        if positions is None:
            positions = torch.arange(offset, end, device=ids.device)
            if limit is not None and end > limit:
                raise ValueError(
                    f"positions must be from 0 to {limit - 1}, because max_length is {limit}; "
                    f"got {shape[-1]} ids after an offset of {offset}"
                )
        elif self.kind is None:
            raise ValueError("positions must be None, because they enter elsewhere here")
        elif offset:
            raise ValueError(f"offset must be 0 when positions are given; got {offset}")
        else:
            got = tuple(as_array(positions, "positions").shape)
            if not got or not broadcasts(got, to=shape):
                needed = f"{shape}, the shape of ids"
                raise ValueError(f"positions must broadcast to {needed}; got shape {got}")
            if limit is not None:
                as_ids(positions, limit, name="positions")
        if (segments is None) != (self.segments is None):
            wanted = "None, because n_segments is 0" if self.segments is None else "given"
            raise ValueError(f"segments must be {wanted}")
        if segments is not None:
            got = tuple(as_array(segments, "segments").shape)
            if got not in (shape, shape[-1:]):
                raise ValueError(f"segments must be {shape}, like ids, or {shape[-1:]}; got {got}")
        return ids, positions


def _rows(ids: Any, table: Tensor, name: str) -> Tensor:
    rows: Tensor = table[as_ids(ids, len(table), name=name, like=table)]
    return rows


def new_table(
    rows: int, d_model: int, rng: torch.Generator | None, name: str = "rows"
) -> nn.Parameter:
    """A (rows, D) table drawn from N(0, 1/D), so that a tied head's logits start near 1 in size."""
    table = torch.empty(
        check_length(rows, name, least=1), check_length(d_model, "d_model", least=1)
    )
    if not table.is_meta:  # drawing on the meta device does nothing but load torch's compiler
        table.normal_(generator=rng).div_(math.sqrt(d_model))
    return nn.Parameter(table)

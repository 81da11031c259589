"""The input layer of a transformer, in torch: token embeddings, positions and segments.

A sinusoidal table is computed, whereas the tables here are learned. A learned table has one row for
each position (GPT-2, BERT) or for each segment of the input (BERT's first and second sentence), and
it cannot be used beyond its last row. `InputEmbedding` adds up the vectors of a token, of its
position and, if the model has them, of its segment, and the sum is the input of the first layer.

Sinusoids need a device with float64, which Apple's MPS lacks.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import torch
from torch import Tensor, nn

from plainformer.arrays import check_choice, check_flag, check_number, check_size
from plainformer.inputs.checks import LAYOUTS, Layout, as_ids, is_scalar
from plainformer.inputs.positions.angles import frequencies

__all__ = ["InputEmbedding", "LearnedPositions", "check_ids", "new_table"]


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
        table = self.table
        rows: Tensor = table[as_ids(positions, len(table), name="positions", like=table)]
        return rows


class InputEmbedding(nn.Module):
    """The sum of the vectors of a token, of its position and of its segment.

    This is tokens × √D + positions (+ segments), followed by a norm, if there is one, and dropout.
    The entries of a new table have variance 1/D, so √D makes a token as large as a sinusoid. BERT
    and GPT-2 leave the factor out (`scale=False`). The parameters are `tokens` (V, D) and, if the
    model has them, `positions` (max_length, D), `segments` (n_segments, D) and `norm`, drawn with
    `rng` or torch's global generator.

    Args:
        positions: "sinusoidal" (computed), "learned", or None if they enter elsewhere, as with
            RoPE and ALiBi.
        max_length: the longest sequence. "learned" needs it; the others have no limit unless this
            sets one.
        n_segments: the number of segments; 0 for none. BERT has two: it reads two sentences as one
            sequence, in which 0 marks the tokens of the first and 1 those of the second.
        scale: whether token embeddings are multiplied by √D.
        layout: whether sine and cosine alternate ("interleaved"), or all sines come first ("half").
        norm: a module that normalises the sum, as in BERT.
        dropout: the fraction of entries that is set to 0 in training.

    Source: Vaswani et al. 2017, sections 3.4, 3.5 and 5.4; Devlin et al. 2019, figure 2.

    >>> embedding = InputEmbedding(vocab_size=9, d_model=4)
    >>> embedding(torch.tensor([[1, 2, 3, 4, 5, 2]])).shape
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
        layout: Layout = "interleaved",
        norm: nn.Module | None = None,
        dropout: float = 0.0,
        rng: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        self.kind = check_choice(positions, "positions", ["sinusoidal", "learned", None])
        if not 0 <= check_number(dropout, "dropout") < 1:
            raise ValueError(f"dropout must be at least 0 and below 1; got {dropout}")
        self.tokens = new_table(vocab_size, d_model, rng, "vocab_size")
        self.scale = math.sqrt(d_model) if check_flag(scale, "scale") else 1.0
        self.max_length = max_length
        self.layout = check_choice(layout, "layout", LAYOUTS)
        if positions == "learned":
            if max_length is None:
                raise ValueError("max_length must be given if positions are learned; got None")
            self.positions = new_table(max_length, d_model, rng, "max_length")
        elif positions == "sinusoidal":
            self.frequencies = frequencies(d_model)  # (D/2,), NumPy, float64
        self.n_segments = check_size(n_segments, "n_segments", least=0)
        if n_segments:
            self.segments = new_table(n_segments, d_model, rng)
        self.norm = norm
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        ids: Tensor,
        segments: Tensor | None = None,
        *,
        offset: int = 0,
        positions: Tensor | None = None,
    ) -> Tensor:
        """The input of the first layer, (B, T, D): a vector for each token.

        Args:
            ids: (B, T) whole numbers from 0 to V - 1.
            segments: (B, T); None means that every token belongs to the
                first segment.
            offset: how many tokens of the same text came before, when
                generating token by token.
            positions: (T,) or (B, T), the positions of the tokens if they
                are not consecutive, as in a batch padded on the left.
                Padding has positions below 0, and gets the vector of
                position 0, because no token attends to it.
        """
        ids = check_ids(ids, len(self.tokens), "ids")
        if ids.ndim != 2:
            raise ValueError(f"ids must be (B, T); got {tuple(ids.shape)}")
        if offset < 0:
            raise ValueError(f"offset must be 0 or more; got {offset}")
        end, longest = offset + ids.shape[1], self.max_length
        if longest is not None and end > longest:
            most = f"at most {longest} tokens"
            raise ValueError(f"a text must have {most}; got {end}")
        if positions is None:
            positions = torch.arange(offset, end, device=ids.device)
        else:
            positions = check_ids(positions, end, "positions").clamp(min=0)
        x = self.tokens[ids] * self.scale
        if self.kind == "learned":
            x = x + self.positions[positions]
        elif self.kind == "sinusoidal":
            omega = torch.as_tensor(self.frequencies, device=ids.device)
            angles = positions[..., None].double() * omega  # (..., T, D/2)
            pairs = -1 if self.layout == "interleaved" else -2
            sin, cos = angles.sin().to(x.dtype), angles.cos().to(x.dtype)
            waves = torch.stack([sin, cos], dim=pairs).flatten(-2)
            x = x + waves[..., : x.shape[-1]]
        if self.n_segments:
            if segments is None:
                segments = torch.zeros_like(ids)
            if segments.shape != ids.shape:
                got, wanted = tuple(segments.shape), tuple(ids.shape)
                said = f"{wanted}, like ids; got {got}"
                raise ValueError(f"segments must be {said}")
            rows = check_ids(segments, self.n_segments, "segments")
            x = x + self.segments[rows]
        elif segments is not None:
            needed = "None, because n_segments is 0"
            raise ValueError(f"segments must be {needed}")
        if self.norm is not None:
            x = self.norm(x)
        y: Tensor = self.dropout(x)
        return y


def new_table(
    rows: int, d_model: int, rng: torch.Generator | None, name: str = "rows"
) -> nn.Parameter:
    """A (rows, D) table drawn from N(0, 1/D), so that a tied head's logits start near 1 in size."""
    table = torch.empty(check_size(rows, name), check_size(d_model, "d_model"))
    if not table.is_meta:  # drawing on the meta device does nothing but load torch's compiler
        table.normal_(generator=rng).div_(math.sqrt(d_model))
    return nn.Parameter(table)


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

"""`FeedForward`: the formula, or SwiGLU's, with parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from plainformer.arrays import check_choice, check_flag, check_length
from plainformer.attention.modules.linear import new_linear
from plainformer.blocks.feed_forward_network import ACTIVATIONS

__all__ = ["FeedForward"]

FUSED: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": F.silu,
}


class FeedForward(nn.Module):
    """A feed-forward network with parameters: every position passes the same one.

    Args:
        d_model: the width D of a token.
        d_ff: the width F inside.
        activation: "relu", "gelu", "gelu_tanh" or "silu"; or "swiglu",
            with a gate.
        bias: whether the products have biases.
        impl: "formula", or "sdpa" for torch's own activations.
        rng: draws the first values; without it, torch's own generator.

    Its parameters are nn.Linear: `w_up` (F, D), `w_down` (D, F) and, for
    "swiglu", `w_gate` (F, D), each the transpose of the formula's.

    Source: Vaswani et al. 2017, section 3.3; Shazeer 2020 (SwiGLU).

    >>> layer = FeedForward(d_model=8, d_ff=32)
    >>> layer(torch.ones(1, 6, 8)).shape
    torch.Size([1, 6, 8])
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        *,
        activation: Literal["relu", "gelu", "gelu_tanh", "silu", "swiglu"] = "relu",
        bias: bool = True,
        impl: Literal["formula", "sdpa"] = "formula",
        rng: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        check_choice(activation, "activation", [*ACTIVATIONS, "swiglu"])
        check_choice(impl, "impl", ["formula", "sdpa"])
        bias = check_flag(bias, "bias")
        D, width = check_length(d_model, "d_model", least=1), check_length(d_ff, "d_ff", least=1)
        bends: dict[str, Any] = ACTIVATIONS if impl == "formula" else FUSED
        self.activation = activation
        self.bend = bends["silu" if activation == "swiglu" else activation]
        self.w_up = new_linear(D, width, bias, rng)
        self.w_gate = new_linear(D, width, bias, rng) if activation == "swiglu" else None
        self.w_down = new_linear(width, D, bias, rng)

    def forward(self, x: Tensor) -> Tensor:
        """(..., D) to (..., D)."""
        if self.w_gate is None:
            wide = self.bend(self.w_up(x))  # (..., F)
        else:
            wide = self.bend(self.w_gate(x)) * self.w_up(x)
        y: Tensor = self.w_down(wide)
        return y

    def extra_repr(self) -> str:
        return f"activation={self.activation!r}"

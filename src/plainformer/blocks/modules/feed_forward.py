"""`FeedForward`: the formula `feed_forward`, or `swiglu`, with parameters."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from plainformer.arrays import check_choice, check_flag, check_size
from plainformer.attention.modules.linear import new_linear
from plainformer.blocks.activations import ACTIVATIONS
from plainformer.blocks.modules.norms import wrong_input

__all__ = ["FeedForward", "activation_function"]

FUSED: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu_tanh": partial(F.gelu, approximate="tanh"),
    "silu": F.silu,
    "swiglu": F.silu,
    "geglu_tanh": partial(F.gelu, approximate="tanh"),
}


def activation_function(name: str, fused: bool) -> Callable[[Tensor], Tensor]:
    """The formula of an activation, or with `fused` torch's kernel for it, if there is one."""
    formula = ACTIVATIONS[name].function
    return FUSED.get(name, formula) if fused else formula


class FeedForward(nn.Module):
    """A feed-forward network with parameters, which are the same for every position.

    Its layers are nn.Linear: `w_up` (F, D), `w_down` (D, F) and, with a gate, `w_gate` (F, D),
    each the transpose of the formula's. With `fused`, torch's kernels compute the activation.
    `dropout` is the probability that one of the F activations is set to 0 during training.

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
        activation: str = "relu",
        bias: bool = True,
        dropout: float = 0.0,
        fused: bool = False,
        rng: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        self.activation = check_choice(activation, "activation", list(ACTIVATIONS))
        self.function = activation_function(activation, check_flag(fused, "fused"))
        bias = check_flag(bias, "bias")
        D, width = check_size(d_model, "d_model"), check_size(d_ff, "d_ff")
        self.w_up = new_linear(D, width, bias, rng)
        gated = ACTIVATIONS[activation].gated
        self.w_gate = new_linear(D, width, bias, rng) if gated else None
        self.w_down = new_linear(width, D, bias, rng)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        if not isinstance(x, Tensor) or x.shape[-1:] != (self.w_up.in_features,):
            raise wrong_input(x, self.w_up.in_features)
        if self.w_gate is None:
            h = self.function(self.w_up(x))  # (..., F)
        else:
            h = self.function(self.w_gate(x)) * self.w_up(x)
        y: Tensor = self.w_down(self.dropout(h))
        return y

    def extra_repr(self) -> str:
        return f"activation={self.activation!r}"

"""`LayerNorm` and `RMSNorm`: the formulas with parameters."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from plainformer.arrays import check_flag, check_number, check_size
from plainformer.blocks.config import TransformerConfig
from plainformer.blocks.normalization import layer_norm, rms_norm

__all__ = ["LayerNorm", "RMSNorm", "new_norm", "wrong_input"]


class LayerNorm(nn.Module):
    """`layer_norm` with a learned γ and β, which start as ones and zeros.

    With `fused`, torch's kernel is used instead of the formula.

    >>> LayerNorm(2, eps=0.0)(torch.tensor([1.0, 3.0])).tolist()
    [-1.0, 1.0]
    """

    def __init__(self, d_model: int, *, eps: float = 1e-5, fused: bool = False) -> None:
        super().__init__()
        self.eps, self.fused = check_number(eps, "eps"), check_flag(fused, "fused")
        self.gamma = nn.Parameter(torch.ones(check_size(d_model, "d_model")))
        self.beta = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        if not isinstance(x, Tensor) or x.shape[-1:] != self.gamma.shape:  # 1 would broadcast
            raise wrong_input(x, len(self.gamma))
        if self.fused:
            return F.layer_norm(x, self.gamma.shape, self.gamma, self.beta, self.eps)
        y: Tensor = layer_norm.unchecked(x, self.gamma, self.beta, eps=self.eps)
        return y


class RMSNorm(nn.Module):
    """`rms_norm` with a learned γ, which starts as ones.

    With `zero_centered_gamma`, the factor is 1 + γ, and γ starts as zeros (Gemma).

    >>> RMSNorm(2, eps=0.0)(torch.tensor([3.0, -3.0])).tolist()
    [1.0, -1.0]
    """

    def __init__(
        self,
        d_model: int,
        *,
        eps: float = 1e-6,
        fused: bool = False,
        zero_centered_gamma: bool = False,
    ) -> None:
        super().__init__()
        self.eps, self.fused = check_number(eps, "eps"), check_flag(fused, "fused")
        self.zero_centered_gamma = check_flag(zero_centered_gamma, "zero_centered_gamma")
        start = torch.zeros if zero_centered_gamma else torch.ones
        self.gamma = nn.Parameter(start(check_size(d_model, "d_model")))

    def forward(self, x: Tensor) -> Tensor:
        if not isinstance(x, Tensor) or x.shape[-1:] != self.gamma.shape:
            raise wrong_input(x, len(self.gamma))
        gamma = self.gamma + 1 if self.zero_centered_gamma else self.gamma
        if self.fused:
            return F.rms_norm(x, gamma.shape, gamma, self.eps)
        y: Tensor = rms_norm.unchecked(x, gamma, eps=self.eps)
        return y


def wrong_input(x: Any, d_model: int) -> Exception:
    """The error for an x that is not a tensor of vectors of this width."""
    if not isinstance(x, Tensor):
        return TypeError(f"x must be a torch tensor; got {type(x).__name__}")
    return ValueError(f"x must be (..., {d_model}), like d_model; got {tuple(x.shape)}")


def new_norm(config: TransformerConfig, fused: bool) -> LayerNorm | RMSNorm:
    """The norm that a configuration describes."""
    if config.norm == "layer":
        return LayerNorm(config.d_model, eps=config.norm_eps, fused=fused)
    return RMSNorm(
        config.d_model, eps=config.norm_eps, fused=fused,
        zero_centered_gamma=config.zero_centered_gamma,
    )  # fmt: skip

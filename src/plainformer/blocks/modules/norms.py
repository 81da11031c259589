"""`LayerNorm` and `RMSNorm`: the formulas with their γ and β."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from plainformer.arrays import check_choice, check_length, check_number
from plainformer.blocks.normalization import layer_norm_formula, rms_norm_formula

__all__ = ["LayerNorm", "RMSNorm", "new_norm"]

Impl = Literal["formula", "sdpa"]


class LayerNorm(nn.Module):
    """`layer_norm` with a learned γ and β, which start as ones and zeros.

    Args:
        d_model: the width D.
        eps: ε.
        impl: "formula", or "sdpa" for torch's own kernel.

    >>> LayerNorm(2, eps=0.0)(torch.tensor([1.0, 3.0])).tolist()
    [-1.0, 1.0]
    """

    def __init__(self, d_model: int, *, eps: float = 1e-5, impl: Impl = "formula") -> None:
        super().__init__()
        d_model = check_length(d_model, "d_model", least=1)
        self.eps, self.impl = check_number(eps, "eps"), _check(impl)
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        """(..., D) to (..., D)."""
        _check_width(x, self.gamma)
        if self.impl == "sdpa":
            return F.layer_norm(x, self.gamma.shape, self.gamma, self.beta, self.eps)
        y: Tensor = layer_norm_formula(x, self.gamma, self.beta, self.eps)
        return y


class RMSNorm(nn.Module):
    """`rms_norm` with a learned γ, which starts as ones.

    Args:
        d_model, eps, impl: as in `LayerNorm`.

    >>> RMSNorm(2, eps=0.0)(torch.tensor([3.0, -3.0])).tolist()
    [1.0, -1.0]
    """

    def __init__(self, d_model: int, *, eps: float = 1e-6, impl: Impl = "formula") -> None:
        super().__init__()
        d_model = check_length(d_model, "d_model", least=1)
        self.eps, self.impl = check_number(eps, "eps"), _check(impl)
        self.gamma = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Tensor) -> Tensor:
        """(..., D) to (..., D)."""
        _check_width(x, self.gamma)
        if self.impl == "sdpa":
            return F.rms_norm(x, self.gamma.shape, self.gamma, self.eps)
        y: Tensor = rms_norm_formula(x, self.gamma, self.eps)
        return y


def new_norm(kind: str, d_model: int, eps: float, impl: Impl) -> LayerNorm | RMSNorm:
    """The norm that a configuration names: "layer" or "rms"."""
    return (LayerNorm if kind == "layer" else RMSNorm)(d_model, eps=eps, impl=impl)


def _check_width(x: Tensor, gamma: Tensor) -> None:
    """Without this, γ would spread a token of one number over all D, and nobody would notice."""
    if not isinstance(x, Tensor):
        raise TypeError(f"x must be a torch tensor; got {type(x).__name__}")
    if x.shape[-1:] != gamma.shape:
        raise ValueError(f"x must be (..., {len(gamma)}), as d_model is; got {tuple(x.shape)}")


def _check(impl: Impl) -> Impl:
    check_choice(impl, "impl", ["formula", "sdpa"])
    return impl

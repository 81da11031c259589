"""LoRA: fine-tune a large matrix by training two narrow ones next to it.

The trained matrix W is frozen. What it should become, W + ΔW, differs from it by a product B A of
rank R, and only A and B are trained. They are few numbers, they can be stored apart from the model,
and they can be added to W afterwards, so that the finished model is as fast as before.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from plainformer.arrays import check_number, check_size
from plainformer.shapes import Array, Float, checked

__all__ = ["LoRALinear", "add_lora", "count_trainable", "lora_linear", "merge_lora"]


@checked
def lora_linear(
    x: Float[Array, "... D_in"],
    w: Float[Array, "D_out D_in"],
    a: Float[Array, "R D_in"],
    b: Float[Array, "D_out R"],
    *,
    alpha: float,
) -> Float[Array, "... D_out"]:
    """The linear map W + (α / R) B A, applied without ever forming the product B A.

    Dividing by R keeps the size of the update about the same when the rank changes, so that a
    learning rate that suits one rank suits the others.

    Source: Hu et al. 2021, section 4.1, equation 3.

    >>> import numpy as np
    >>> x, w, a, b = [[1.0, 2.0]], np.eye(2), [[0.0, 1.0]], [[3.0], [0.0]]
    >>> lora_linear(x, w, a, b, alpha=2.0).tolist()
    [[13.0, 2.0]]
    """
    scale = alpha / a.shape[0]
    return x @ w.T + scale * ((x @ a.T) @ b.T)


class LoRALinear(nn.Module):
    """A frozen nn.Linear with a trained update of rank R, which takes its place in a model.

    Its parameters are `a` (R, D_in), drawn as in torch's own linear layers, and `b` (D_out, R),
    which is 0 at first, so that the model computes what it did before until `b` is trained.

    Source: Hu et al. 2021, section 4.1.

    >>> layer = LoRALinear(nn.Linear(6, 4), rank=2, alpha=4)
    >>> x = torch.ones(1, 6)
    >>> bool((layer(x) == layer.base(x)).all())
    True
    """

    def __init__(
        self,
        base: nn.Linear,
        rank: int,
        alpha: float,
        rng: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        if not isinstance(base, nn.Linear):
            raise TypeError(f"base must be an nn.Linear; got {type(base).__name__}")
        self.rank, self.alpha = _check_rank("base", base, rank), check_number(alpha, "alpha")
        like: Any = {"dtype": base.weight.dtype, "device": base.weight.device}
        self.in_features, self.out_features = base.in_features, base.out_features
        self.base = base.requires_grad_(False)
        self.a = nn.Parameter(torch.empty(rank, base.in_features, **like))
        self.b = nn.Parameter(torch.zeros(base.out_features, rank, **like))
        nn.init.kaiming_uniform_(self.a, a=math.sqrt(5), generator=rng)
        self.merged = False

    def forward(self, x: Tensor) -> Tensor:
        if self.merged:
            merged: Tensor = self.base(x)
            return merged
        y: Tensor = lora_linear.unchecked(x, self.base.weight, self.a, self.b, alpha=self.alpha)
        return y if self.base.bias is None else y + self.base.bias

    @property
    def weight(self) -> Tensor:
        """The frozen matrix, (D_out, D_in), with the update if it is merged."""
        return self.base.weight

    def delta(self) -> Tensor:
        """What merging adds to the frozen matrix: (α / R) B A, (D_out, D_in)."""
        return (self.alpha / self.rank) * (self.b @ self.a)

    @torch.no_grad()
    def merge(self) -> None:
        """Add the update to the frozen matrix, after which the layer costs what it did before."""
        if not self.merged:
            self.base.weight += self.delta()
            self.merged = True

    @torch.no_grad()
    def unmerge(self) -> None:
        """Subtract the update again, to train further or to use another one, up to rounding."""
        if self.merged:
            self.base.weight -= self.delta()
            self.merged = False

    def extra_repr(self) -> str:
        return f"rank={self.rank}, alpha={self.alpha}, merged={self.merged}"


def add_lora(
    model: nn.Module,
    rank: int,
    *,
    alpha: float = 16.0,
    targets: Sequence[str] = ("w_q", "w_v"),
    rng: torch.Generator | None = None,
) -> list[LoRALinear]:
    """Freeze a model, and replace its linear layers called like one of `targets` by LoRA layers.

    A layer's name is the last part of its path, such as "w_q" of "layers.0.attention.w_q". The
    model is changed in place, and the new layers are returned. If a rank is larger than a side of
    one of the matrices, or a target names no linear layer, that is an error, and the model is left
    as it was.

    Source: Hu et al. 2021, section 4.2; the default targets are those of its section 5.

    >>> from plainformer.blocks import FeedForward
    >>> model = FeedForward(d_model=8, d_ff=32)
    >>> before = count_trainable(model)
    >>> layers = add_lora(model, rank=2, targets=["w_up"])
    >>> before, count_trainable(model)
    (552, 80)
    """
    if isinstance(targets, str) or not targets:
        raise TypeError(f"targets must be a list of names of layers; got {targets!r}")
    check_size(rank, "rank")
    check_number(alpha, "alpha")
    found: list[tuple[nn.Module, str, nn.Linear]] = []
    names: set[str] = set()
    for path, parent in model.named_modules():
        if isinstance(parent, LoRALinear):
            raise ValueError(
                f"model must not have LoRA layers yet; {path} is one: merge them first"
            )
        for name, layer in parent.named_children():
            if isinstance(layer, nn.Linear):
                names.add(name)
                if name in targets:
                    _check_rank(f"{path}.{name}", layer, rank)
                    found.append((parent, name, layer))
    if unknown := [name for name in targets if name not in names]:
        raise ValueError(
            f"targets must name linear layers of the model ({', '.join(sorted(names))}); "
            f"got {unknown[0]!r}"
        )
    model.requires_grad_(False)
    layers = []
    for parent, name, layer in found:
        layers.append(LoRALinear(layer, rank, alpha, rng))
        setattr(parent, name, layers[-1])
    return layers


def merge_lora(model: nn.Module) -> nn.Module:
    """Add all updates to their matrices, and put the plain linear layers back, in place.

    The model that this returns has no trace of LoRA: it has the parameters, the names and the speed
    that it had before `add_lora`, and other weights.

    Source: Hu et al. 2021, section 4.1, "No Additional Inference Latency".

    >>> from plainformer.blocks import FeedForward
    >>> model = FeedForward(d_model=8, d_ff=32)
    >>> [layer] = add_lora(model, rank=2, targets=["w_up"])
    >>> type(merge_lora(model).w_up).__name__
    'Linear'
    """
    for parent in list(model.modules()):
        for name, layer in list(parent.named_children()):
            if isinstance(layer, LoRALinear):
                layer.merge()
                setattr(parent, name, layer.base)
    return model


def count_trainable(model: nn.Module) -> int:
    """Count the numbers that training may change, each of them once even if two layers share it.

    >>> count_trainable(nn.Linear(6, 4))
    28
    """
    return sum(p.numel() for p in model.parameters() if p.requires_grad)


def _check_rank(path: str, layer: nn.Linear, rank: int) -> int:
    check_size(rank, "rank")
    most = min(layer.in_features, layer.out_features)
    if rank > most:
        shape = f"{layer.out_features} × {layer.in_features}"
        raise ValueError(
            f"rank must be at most {most}, because {path} is {shape} and a product of higher rank "
            f"would have more numbers than the matrix needs; got {rank}"
        )
    return rank

"""More features than dimensions: the toy model of superposition.

The model squeezes F features into M numbers by a matrix W, and recovers them by its transpose, a
bias and a ReLU. If the features are rarely active together, it stores more of them than it has
numbers, in directions that are not quite orthogonal, and puts up with some interference.
"""

from __future__ import annotations

from dataclasses import dataclass

import array_api_compat
import torch
from torch import Tensor

from plainformer.arrays import check_number, check_size
from plainformer.shapes import Array, Float, checked

__all__ = ["ToyFeatures", "count_stored", "feature_overlaps", "train_superposition"]


@checked
def feature_overlaps(w: Float[Array, "... M F"]) -> Float[Array, "... F F"]:
    """The cosine of the angle between the directions of each two features, (F, F).

    A column of `w` is the direction of a feature. One that is not stored has length 0, and its
    cosines are 0.

    >>> feature_overlaps([[1.0, 0.0, 3.0], [0.0, 2.0, 4.0]]).round(2).tolist()
    [[1.0, 0.0, 0.6], [0.0, 1.0, 0.8], [0.6, 0.8, 1.0]]
    """
    xp = array_api_compat.array_namespace(w)
    length = xp.sqrt(xp.sum(w * w, axis=-2, keepdims=True))
    one = w / xp.where(length > 0, length, xp.ones_like(length))
    overlaps: Array = xp.matmul(xp.matrix_transpose(one), one)
    return overlaps


@dataclass(frozen=True)
class ToyFeatures:
    """Trained toys: `w` (N, M, F), `bias` (N, F), and the loss of each, (N,)."""

    w: Tensor
    bias: Tensor
    loss: Tensor

    def recover(self, x: Tensor) -> Tensor:
        """What each of the N models makes of features (N, B, F): as many again."""
        hidden = torch.einsum("nbf,nmf->nbm", x, self.w)
        scores: Tensor = torch.einsum("nbm,nmf->nbf", hidden, self.w) + self.bias[:, None]
        recovered: Tensor = scores.relu()
        return recovered


def count_stored(w: Tensor, least: float = 0.5) -> Tensor:
    """How many features each of N models stores: those whose direction is at least this long.

    >>> count_stored(torch.tensor([[[1.0, 0.1], [0.0, 0.1]]])).tolist()
    [1]
    """
    lengths: Tensor = w.norm(dim=-2)
    return (lengths >= least).sum(-1)


def train_superposition(
    features: int = 5,
    hidden: int = 2,
    active: float = 0.05,
    *,
    importance: float = 0.8,
    models: int = 5,
    steps: int = 2000,
    batch_size: int = 256,
    rate: float = 1e-2,
    seed: int = 0,
) -> ToyFeatures:
    """Train some toy models at once, which differ in their initial weights and their data.

    Args:
        features: F, how many there are. Each is from 0 to 1 when it is active.
        hidden: M, the numbers that they are squeezed into.
        active: the probability that a feature is active, above 0 and at most 1.
        importance: the weight of each feature's error, divided by that of the feature before it.
        models: N, how many models are trained.
        steps, batch_size, rate: of AdamW, with a rate that falls to 0.
        seed: of the weights and the data.

    Source: Elhage et al. 2022, section 2.

    >>> toys = train_superposition(steps=1, models=2)
    >>> toys.w.shape
    torch.Size([2, 2, 5])
    """
    F, M = check_size(features, "features"), check_size(hidden, "hidden")
    N, B = check_size(models, "models"), check_size(batch_size, "batch_size")
    check_size(steps, "steps")
    if not 0 < check_number(active, "active") <= 1:
        raise ValueError(f"active must be a probability, above 0 and at most 1; got {active}")
    if not 0 < check_number(importance, "importance") <= 1:
        raise ValueError(f"importance must be above 0 and at most 1; got {importance}")
    weight = importance ** torch.arange(F)
    rng = torch.Generator().manual_seed(check_size(seed, "seed", least=0))
    w = torch.randn(N, M, F, generator=rng) / M**0.5
    toys = ToyFeatures(w.requires_grad_(), torch.zeros(N, F, requires_grad=True), torch.zeros(N))
    optimizer = torch.optim.AdamW([toys.w, toys.bias], lr=check_number(rate, "rate"))

    def errors(count: int) -> Tensor:
        drawn = torch.rand(2, N, count, F, generator=rng)
        x = drawn[0] * (drawn[1] < active)
        return (weight * (toys.recover(x) - x).pow(2)).mean((1, 2))

    for step in range(steps):
        optimizer.param_groups[0]["lr"] = rate * (1 - step / steps)
        optimizer.zero_grad()
        torch.autograd.backward(errors(B).sum())
        optimizer.step()
    with torch.no_grad():
        return ToyFeatures(toys.w.detach(), toys.bias.detach(), errors(10_000))

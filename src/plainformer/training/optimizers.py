"""The optimiser that transformers are trained with, its weight decay where it belongs."""

from __future__ import annotations

from torch import nn
from torch.optim import AdamW

__all__ = ["adamw"]


def adamw(
    model: nn.Module,
    *,
    weight_decay: float = 0.1,
    betas: tuple[float, float] = (0.9, 0.95),
) -> AdamW:
    """AdamW over a model's parameters; only matrices decay.

    Its learning rate is 0 until somebody sets it, as `train` does before
    each step from a schedule.

    A matrix that shrinks makes a smoother function. A bias, or a norm's
    γ and β, is one number for each feature: to pull it to 0 would be to
    say that γ should be 0, which nobody means.

    Args:
        model: whose parameters.
        weight_decay: times the learning rate, the share of itself that
            each weight of a matrix loses in a step.
        betas: how slowly the averages of gradient and of its square move.

    Source: Loshchilov and Hutter 2019, algorithm 2; the split as in
    Radford et al. 2018, section 4.1.

    >>> kinds = adamw(nn.Linear(3, 2)).param_groups
    >>> [(group["weight_decay"], len(group["params"])) for group in kinds]
    [(0.1, 1), (0.0, 1)]
    """
    weights = [p for p in model.parameters() if p.requires_grad]
    groups = [
        {"params": [p for p in weights if p.ndim >= 2], "weight_decay": weight_decay},
        {"params": [p for p in weights if p.ndim < 2], "weight_decay": 0.0},
    ]
    return AdamW([group for group in groups if group["params"]], lr=0.0, betas=betas)

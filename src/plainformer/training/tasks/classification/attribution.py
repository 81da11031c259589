"""Which tokens an answer rests on: hide each and look, or ask the gradient.

    without_each            each token is hidden in turn, and the label's
                            logit falls by so much
    gradient_times_input    the same to first order, in one pass: how much
                            would it fall if the vector went to 0?

The first is an experiment, and fair to a model that has met hidden words in training. The second is
an estimate. Of the plain average it is exact, for there the logit is linear in the vectors; of an
encoder it is a hint.

But: two words that say the same can each be hidden without harm, and both together cannot.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from plainformer.training.tasks.classification.models import (
    AverageClassifier,
    EncoderClassifier,
)

__all__ = ["gradient_times_input", "without_each"]

Classifier = AverageClassifier | EncoderClassifier


@torch.no_grad()
def without_each(model: Classifier, ids: Sequence[int], label: int, unk_id: int = 0) -> Tensor:
    """(T,) by how much a label's logit falls when one token after the other is hidden.

    Args:
        model: out of training, so that it gives the same answer twice.
        ids: T tokens of one text.
        label: the number of the label.
        unk_id: what stands there instead.
    """
    text = torch.tensor([list(ids)])
    hidden = text.repeat(len(ids), 1).fill_diagonal_(unk_id)  # (T, T): text t lacks token t
    logits = model(torch.cat([text, hidden]), torch.ones(len(ids) + 1, len(ids)).bool())
    fall: Tensor = logits[0, label] - logits[1:, label]
    return fall


def gradient_times_input(model: Classifier, ids: Sequence[int], label: int) -> Tensor:
    """(T,) the share of each token's vector in a label's logit, to first order.

    Args:
        model: out of training. Of an encoder the vectors are those that
            its first layer reads, so a share is that of a word in its place.
        ids, label: as in `without_each`.

    Source: Shrikumar et al. 2016, who compare it with a method of theirs.
    """
    text = torch.tensor([list(ids)])
    kept: list[Tensor] = []

    def keep(_: nn.Module, __: object, output: Tensor) -> Tensor:
        kept.append(output.detach().requires_grad_())
        return kept[0]

    handle = model.embedding.register_forward_hook(keep)
    try:
        logits = model(text, torch.ones_like(text, dtype=torch.bool))
    finally:
        handle.remove()
    (gradient,) = torch.autograd.grad(logits[0, label], kept[0])
    return (gradient * kept[0])[0].sum(-1).detach()

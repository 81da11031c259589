"""Find the tokens that a prediction depends on, by hiding each in turn or using the gradient.

Occlusion is an experiment, which is fair to a model that has seen hidden words in training.
Gradient times input is exact for the average of word vectors, in which the logit is linear, and a
rough estimate for an encoder. Both look at one token at a time, so if two words have the same
meaning, hiding either of them may change nothing although hiding both would.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from plainformer.training.tasks.classification.models import AverageClassifier, EncoderClassifier

__all__ = ["gradient_times_input", "occlusion"]

Classifier = AverageClassifier | EncoderClassifier


@torch.no_grad()
def occlusion(model: Classifier, ids: Sequence[int], label: int) -> Tensor:
    """Measure how much a label's logit falls if each token in turn is hidden: (T,).

    The model, a classifier, has to be in evaluation mode, and `ids` are the T tokens of one text.

    Source: Zeiler and Fergus 2014, section 4.2, for images.
    """
    text = torch.tensor([list(ids)])
    hidden = text.repeat(len(ids), 1).fill_diagonal_(0)  # (T, T): text t lacks token t
    logits = model(torch.cat([text, hidden]), torch.ones(len(ids) + 1, len(ids)).bool())
    fall: Tensor = logits[0, label] - logits[1:, label]
    return fall


def gradient_times_input(model: Classifier, ids: Sequence[int], label: int) -> Tensor:
    """Estimate to first order how much each token contributes to a label's logit: (T,).

    In an encoder, the tokens' vectors are those that its first layer reads, with their positions.

    Source: Shrikumar et al. 2016, who compare it with their own method.
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

"""How far one token is ahead of another, and which parts of a model wrote that lead.

The stream of a decoder is a sum: the embedding, and what every head and every feed-forward network
adds to it. The logits are a linear function of that sum, once the scale of the last norm is taken
as given, so a difference of two logits can be divided among the parts without a remainder. That is
direct attribution. It counts what a part writes for the logits, and not what later parts make of
it.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from plainformer.blocks import DecoderOnly, Trace, trace
from plainformer.shapes import Array, Float, Int, checked

__all__ = ["direct_attribution", "logit_difference", "mean_and_error"]


@checked
def logit_difference(
    logits: Float[Array, "B V"],
    right: Int[Array, "B"],
    wrong: Int[Array, "B"],
) -> Float[Array, "B"]:
    """How far the logit of one token is above that of another, for each of B texts.

    It is the logarithm of how many times as likely the first token is, so what raises all logits
    alike changes nothing about it.

    Source: Wang et al. 2022 (interpretability), section 3.

    >>> logits = torch.tensor([[3.0, 1.0, 0.0], [0.0, 2.0, 1.0]])
    >>> logit_difference(logits, torch.tensor([0, 1]), torch.tensor([1, 0]))
    tensor([2., 2.])
    """
    rows, V = range(logits.shape[0]), logits.shape[1]
    for ids, name in ((right, "right"), (wrong, "wrong")):
        for token in (int(i) for i in ids):
            if not 0 <= token < V:
                raise ValueError(f"{name} must be tokens from 0 to {V - 1}; got {token}")
    lead: Array = logits[rows, right] - logits[rows, wrong]
    return lead


@torch.no_grad()
def direct_attribution(
    model: DecoderOnly, ids: Tensor, right: Tensor, wrong: Tensor
) -> dict[str, Tensor]:
    """Divide the lead of one next token over another among the parts of a model.

    The parts are "embedding", "layers.0.head.0" and so on for each head, and
    "layers.0.feed_forward" for each network. Their values, (B,) each, add up to the
    `logit_difference` after the last token. The model must have RMSNorm before each sublayer, and
    no biases, as course-lm does; others are an error.

    Args:
        model: a `DecoderOnly`.
        ids: (B, T) texts.
        right, wrong: (B,) the two next tokens that are compared.

    Source: Elhage et al. 2021, section on the residual stream; Wang et al. 2022, appendix.

    >>> from plainformer.training.tasks import course_lm
    >>> lm = course_lm()
    >>> ids = torch.tensor([lm.tokenizer.encode("your cat is a lovely")])
    >>> cat, dog = (torch.tensor([lm.tokenizer.encode(word)[-1]]) for word in ("cat", "dog"))
    >>> parts = direct_attribution(lm.model, ids, cat, dog)
    >>> len(parts), max(parts, key=lambda name: float(parts[name]))
    (21, 'layers.3.head.2')
    """
    check_plain(model)
    steps = trace(model, ids)
    logit_difference(steps["logits"][:, -1], right, wrong)  # which checks the tokens
    n = model.config.n_layers
    last = steps[f"layers.{n - 1}.residual_2"][:, -1]  # (B, D)
    scale = (last.pow(2).mean(-1, keepdim=True) + model.config.norm_eps).rsqrt()
    gamma: Any = model.norm.gamma
    table = model.head.table
    direction = scale * gamma * (table[right] - table[wrong])  # (B, D)

    parts = {"embedding": (steps["embedding"][:, -1] * direction).sum(-1)}
    for i in range(n):
        for head, written in enumerate(_written_by_heads(model, steps, i)):
            parts[f"layers.{i}.head.{head}"] = (written * direction).sum(-1)
        written = steps[f"layers.{i}.feed_forward.output"][:, -1]
        parts[f"layers.{i}.feed_forward"] = (written * direction).sum(-1)
    return parts


def _written_by_heads(model: DecoderOnly, steps: Trace, layer: int) -> list[Tensor]:
    """What each head of a layer adds to the stream of the last token: H of (B, D)."""
    found = steps[f"layers.{layer}.attention.heads"][:, :, -1]  # (B, H, K)
    module: Any = model.layers[layer]
    blocks = module.attention.w_o.weight.split(found.shape[-1], dim=1)  # H of (D, K)
    return [found[:, head] @ block.T for head, block in enumerate(blocks)]


def check_plain(model: DecoderOnly) -> None:
    """Refuse a model in which a part's contribution is not a plain product with the unembedding."""
    if not isinstance(model, DecoderOnly):
        raise TypeError(f"model must be a DecoderOnly; got {type(model).__name__}")
    config = model.config
    wanted = {"norm": "rms", "norm_place": "pre", "attention_bias": False, "ff_bias": False,
              "head_bias": False, "zero_centered_gamma": False, "logit_softcap": None}  # fmt: skip
    for name, value in wanted.items():
        if (got := getattr(config, name)) != value:
            raise ValueError(
                f"model must have {name}={value!r}, so that its parts add up to the logits; "
                f"got {name}={got!r}"
            )


def mean_and_error(values: Tensor) -> tuple[float, float]:
    """The mean of some numbers, (N,), and its standard error: at least 2 of them.

    >>> mean_and_error(torch.tensor([1.0, 3.0]))
    (2.0, 1.0)
    """
    n = len(values)
    if n < 2:
        raise ValueError(f"values must be at least 2 numbers, to say how they vary; got {n}")
    values = torch.as_tensor(values).double()
    return float(values.mean()), float(values.std() / n**0.5)

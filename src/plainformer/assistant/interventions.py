"""Change what one part of a model writes, and see what becomes of the answer.

There are four things that a head may be made to write instead:

| `how` | the head writes | what that asks |
|---|---|---|
| "zero" | nothing | what if the head were not there? |
| "mean" | what it writes on average, over other texts | what if it said nothing about this text? |
| "resample" | what it writes in another of the texts | what if it had read another text? |
| "patch" | what it writes in this text's counterpart | does it carry what the two differ in? |

Each is done for all positions of the text at once, and for one head at a time. The effect of a
replacement is how much of the lead of the right token it costs.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from plainformer.arrays import check_choice, check_size
from plainformer.assistant.attribution import logit_difference
from plainformer.blocks import DecoderOnly, patch, trace

__all__ = ["HOW", "head_effects", "stream_effects", "write_instead"]

HOW = ("zero", "mean", "resample", "patch")
"""The ways to replace what a head writes."""


def write_instead(
    written: Tensor,
    *heads: int,
) -> Callable[[Tensor], Tensor]:
    """A replacement for "….attention.heads": these heads write something else.

    `written` is what each of them writes, and broadcasts to (B, T, K): a
    tensor of zeros (1,) is the same as `ablate`.

    >>> found = write_instead(torch.tensor([7.0]), 1)(torch.zeros(1, 2, 1, 1))
    >>> found.flatten().tolist()
    [0.0, 7.0]
    """
    for head in heads:
        check_size(head, "heads", least=0)

    def replace(found: Tensor) -> Tensor:
        for head in heads:
            if head >= found.shape[1]:
                known = f"from 0 to {found.shape[1] - 1}"
                raise ValueError(f"heads must be {known}; got {head}")
        found = found.clone()
        for head in heads:
            found[:, head] = written
        return found

    return replace


@torch.no_grad()
def head_effects(
    model: DecoderOnly,
    ids: Tensor,
    right: Tensor,
    wrong: Tensor,
    how: str = "zero",
    *,
    other: Tensor | None = None,
) -> Tensor:
    """How much of the lead each head is responsible for, by one of the ways in `HOW`: (L, H, B).

    The effect is the lead as it is minus the lead with the replacement, in nats. It is positive if
    the head helps the right token.

    Args:
        model: a `DecoderOnly`.
        ids: (B, T) texts of one length.
        right, wrong: (B,) the next token that is right, and the one that it is compared with.
        how: "zero", "mean", "resample" or "patch".
        other: for "mean", (N, S) texts whose mean is taken; for "resample" and "patch", (B, T)
            texts, one for each of `ids`. Not for "zero".

    >>> from plainformer.training.tasks import course_lm
    >>> lm = course_lm()
    >>> ids = torch.tensor([lm.tokenizer.encode("your cat is a lovely")])
    >>> cat, dog = (torch.tensor([lm.tokenizer.encode(word)[-1]]) for word in ("cat", "dog"))
    >>> head_effects(lm.model, ids, cat, dog).shape
    torch.Size([4, 4, 1])
    """
    check_choice(how, "how", HOW)
    check_other(ids, how, other)
    config = model.config
    names = [f"layers.{i}.attention.heads" for i in range(config.n_layers)]
    before = logit_difference(trace(model, ids)["logits"][:, -1], right, wrong)
    there = None if other is None else trace(model, other)
    effects = torch.empty(config.n_layers, config.n_heads, len(ids))
    for layer, name in enumerate(names):
        for head in range(config.n_heads):
            if there is None:
                written = torch.zeros(1)
            else:
                written = there[name][:, head]  # (B, T, K)
                written = written.mean((0, 1)) if how == "mean" else written
            steps = patch(model, ids, {name: write_instead(written, head)})
            after = logit_difference(steps["logits"][:, -1], right, wrong)
            effects[layer, head] = before - after
    return effects


@torch.no_grad()
def stream_effects(
    model: DecoderOnly, ids: Tensor, other: Tensor, right: Tensor, wrong: Tensor
) -> Tensor:
    """How much of the lead is lost if one token goes on with another text's stream: (L + 1, T, B).

    Row 0 is the stream before the first layer, and row i the stream after layer i. `other` is
    (B, T), one text for each of `ids`, token by token.

    Source: Meng et al. 2022, section 2.1 (causal tracing), with another text instead of noise.
    """
    check_other(ids, "patch", other)
    names = ["embedding", *(f"layers.{i}.residual_2" for i in range(model.config.n_layers))]
    here, there = trace(model, ids), trace(model, other)
    before = logit_difference(here["logits"][:, -1], right, wrong)
    effects = torch.empty(len(names), ids.shape[1], len(ids))
    for row, name in enumerate(names):
        for token in range(ids.shape[1]):
            mixed = here[name].clone()
            mixed[:, token] = there[name][:, token]
            logits = patch(model, ids, {name: mixed})["logits"][:, -1]
            effects[row, token] = before - logit_difference(logits, right, wrong)
    return effects


def check_other(ids: Tensor, how: str, other: Tensor | None) -> None:
    """Refuse texts to take from that are missing, in the way, empty, or of another shape."""
    if ids.ndim != 2 or 0 in ids.shape:
        raise ValueError(f"ids must be (B, T), with at least one token; got {tuple(ids.shape)}")
    if other is not None and how == "zero":
        raise ValueError("how='zero' takes nothing from other texts, so other must be None")
    if other is None and how != "zero":
        raise ValueError(
            f"how={how!r} takes what a head writes in other texts: other must be given"
        )
    if other is None:
        return
    if other.ndim != 2 or 0 in other.shape:
        raise ValueError(f"other must be (N, S), with at least one token; got {tuple(other.shape)}")
    if how != "mean" and other.shape != ids.shape:
        raise ValueError(
            f"other must have one text for each of ids, token by token, {tuple(ids.shape)}; "
            f"got {tuple(other.shape)}"
        )

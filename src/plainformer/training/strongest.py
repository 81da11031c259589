"""Find where in some texts each unit and each head of a model is strongest.

A unit is strongest where its activation is furthest from 0. A head is strongest where it gives the
largest weight to an earlier token. The first token of a text does not count, because heads that
have nothing to look for look there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from plainformer.blocks import DecoderOnly, trace

__all__ = ["strongest_places"]

KEPT = 4  # places of each unit and head


def strongest_places(model: DecoderOnly, texts: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Return where in the texts each unit and each head is strongest, at most once in each text.

    For each layer and unit, "units" has up to four lists [text, token, activation], the strongest
    first. For each layer and head, "heads" has lists [text, token, token that it looks at, weight].
    "texts" are the texts, each with three tokens or more.

    >>> from plainformer.training.tasks import course_lm
    >>> lm = course_lm()
    >>> found = strongest_places(lm.model, [lm.tokenizer.encode("your cat is a lovely cat")])
    >>> len(found["units"]), len(found["units"][0]), len(found["heads"][0])
    (4, 344, 4)
    >>> found["heads"][1][1][0]  # in text 0, token 5 looks at the token before it
    [0, 5, 4, 0.938]
    """
    layers = range(model.config.n_layers)
    found: list[list[tuple[Tensor, ...]]] = [[] for _ in layers]
    for text in texts:
        with torch.no_grad():
            steps = trace(model, torch.tensor([list(text)]))
        for i in layers:
            activations = steps[f"layers.{i}.feed_forward.activations"][0]  # (T, F)
            place = activations.abs().argmax(dim=0)  # (F,)
            value = activations.gather(0, place[None])[0]
            weights = steps[f"layers.{i}.attention.weights"][0]  # (H, T, T)
            earlier = weights.tril(-1)[:, :, 1:]  # neither the token itself nor the first
            weight, flat = earlier.flatten(1).max(dim=1)  # (H,)
            width = earlier.shape[-1]
            found[i].append((place, value, flat // width, flat % width + 1, weight))
    units, heads = [], []
    for each in found:
        place, value, looks, at, weight = (torch.stack(part) for part in zip(*each, strict=True))
        units.append(_first(value.abs(), place, value))
        heads.append(_first(weight, looks, at, weight))
    return {"texts": [list(text) for text in texts], "units": units, "heads": heads}


def _first(strength: Tensor, *columns: Tensor) -> list[list[list[Any]]]:
    """Return for each column of (N, F) strengths the largest, as lists [n, *columns]."""
    order = strength.argsort(dim=0, descending=True, stable=True)[:KEPT]  # (KEPT, F)
    return [
        [[n, *(_plain(column[n, f]) for column in columns)] for n in order[:, f].tolist()]
        for f in range(strength.shape[1])
    ]


def _plain(number: Tensor) -> float:
    return round(float(number), 3) if number.is_floating_point() else int(number)

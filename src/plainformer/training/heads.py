"""Measure what the attention heads of a trained model attend to.

A head's score for a pattern, such as "the previous token", is the share of its attention that goes
to such keys. Even a head that attends to everything equally gets some score, which `uniform_scores`
computes, so only a score well above that means something.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from plainformer.arrays import Array, check_size
from plainformer.blocks import DecoderOnly, trace

__all__ = [
    "attention_maps", "attention_share", "head_scores", "induction_scores", "uniform_scores",
]  # fmt: skip


def attention_share(weights: Array, wanted: Array) -> Array:
    """Compute the share of attention that goes to the wanted keys.

    The weights of B texts are (..., B, T, T), and `wanted` is (B, T, T) or (1, T, T), True for each
    key that counts. The mean is over the queries that have such a key, and is NaN if none do.

    >>> weights = np.array([[[1.0, 0.0], [0.75, 0.25]]])
    >>> wanted = np.array([[[False, False], [True, False]]])
    >>> float(attention_share(weights, wanted))
    0.75
    """
    has = wanted.any(-1)  # (B, T): not every query has such a key
    found = (weights * wanted).sum(-1)  # (..., B, T)
    count = np.broadcast_to(has, found.shape[-2:]).sum()
    mean: Array = (found * has).sum((-2, -1)) / count
    return mean


def head_scores(model: DecoderOnly, ids: Tensor) -> dict[str, Array]:
    """Measure each head's score for four patterns on (B, T) texts, T at least 3.

    For "itself", "previous" (the token before), "first" (of the text) and "same" (earlier
    occurrences of the same token), there are (n_layers, H) scores.
    """
    maps = attention_maps(model, ids)
    return {name: attention_share(maps, wanted) for name, wanted in _patterns(ids).items()}


def uniform_scores(ids: Tensor) -> dict[str, float]:
    """Compute the same scores for a head that attends equally to every token it may see.

    >>> scores = uniform_scores(torch.tensor([[7, 8, 7]]))
    >>> {pattern: round(score, 3) for pattern, score in scores.items()}
    {'itself': 0.611, 'previous': 0.417, 'first': 0.333, 'same': 0.333}
    """
    T = ids.shape[1]
    maps = np.broadcast_to(np.tri(T) / np.arange(1, T + 1)[:, None], (len(ids), T, T))
    return {name: float(attention_share(maps, wanted)) for name, wanted in _patterns(ids).items()}


def induction_scores(
    model: DecoderOnly, length: int = 50, n_texts: int = 20, seed: int = 0
) -> Array:
    """Measure each head's induction score on random tokens that are repeated once.

    In the second copy, an induction head attends to the token that followed the same token in the
    first copy, because that is the token to predict. The scores are (n_layers, H).
    """
    T = check_size(length, "length", least=2)
    g = torch.Generator().manual_seed(seed)
    size = (check_size(n_texts, "n_texts"), T)
    once = torch.randint(model.config.vocab_size, size, generator=g)
    wanted = np.eye(2 * T, k=1 - T, dtype=bool)  # T - 1 positions back
    wanted[:T] = False  # nothing precedes the first copy
    return attention_share(attention_maps(model, torch.cat([once, once], dim=1)), wanted[None])


@torch.no_grad()
def attention_maps(model: DecoderOnly, ids: Tensor) -> Array:
    """Return the attention weights of all heads, (n_layers, H, B, T, T), for (B, T) ids."""
    steps = trace(model, ids)
    layers = [steps[f"layers.{i}.attention.weights"] for i in range(model.config.n_layers)]
    return torch.stack(layers).transpose(1, 2).numpy()


def _patterns(ids: Tensor) -> dict[str, Array]:
    """Return the mask of each pattern, (1, T, T) or (B, T, T)."""
    T = ids.shape[1]
    if T < 3:
        raise ValueError(f"ids must have at least 3 tokens each; got {T}")
    first = np.zeros((T, T), dtype=bool)
    first[2:, 0] = True  # before that, the first token is "itself" or "previous"
    text = ids.numpy()
    return {
        "itself": np.eye(T, dtype=bool)[None],
        "previous": np.eye(T, k=-1, dtype=bool)[None],
        "first": first[None],
        "same": (text[:, :, None] == text[:, None, :]) & np.tri(T, k=-1, dtype=bool),
    }

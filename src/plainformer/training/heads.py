"""What the heads of a trained model look at, measured: each kind of place, and its share.

A kind of place is a table of yes and no, a row for each query and a column for each key: "the token
before", say. A head's share of it is how much of its attention goes there.

But: a share says where a head looks, not what for. And a head that looks everywhere alike has a
share as well, `blind_shares`: only what is well above that says something.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from plainformer.arrays import Array, check_size
from plainformer.blocks import DecoderOnly, trace

__all__ = ["blind_shares", "head_maps", "head_shares", "induction_shares", "share_formula"]


def share_formula(weights: Array, wanted: Array) -> Array:
    """The share of attention that goes to the wanted keys.

    It is a mean over the queries that have such a key; NaN if none has.

    Args:
        weights: (..., B, T, T), of B texts; each row sums to 1.
        wanted: (B, T, T) or (1, T, T), True for each key that counts.

    >>> weights = np.array([[[1.0, 0.0], [0.75, 0.25]]])
    >>> wanted = np.array([[[False, False], [True, False]]])
    >>> float(share_formula(weights, wanted))
    0.75
    """
    has = wanted.any(-1)  # (B, T): not every query has such a key
    found = (weights * wanted).sum(-1)  # (..., B, T)
    count = np.broadcast_to(has, found.shape[-2:]).sum()
    mean: Array = (found * has).sum((-2, -1)) / count
    return mean


def head_shares(model: DecoderOnly, ids: Tensor) -> dict[str, Array]:
    """Each head's share of four kinds of place, measured on texts.

    Args:
        model: a decoder.
        ids: (B, T), T at least 3.

    Returns:
        For "itself", "previous" (the token before), "first" (of the text) and "same" (earlier
        places with the same token): (n_layers, H).
    """
    maps = head_maps(model, ids)
    return {kind: share_formula(maps, wanted) for kind, wanted in _kinds(ids).items()}


def blind_shares(ids: Tensor) -> dict[str, float]:
    """The same shares, of a head that looks at all that it may see alike.

    >>> shares = blind_shares(torch.tensor([[7, 8, 7]]))
    >>> {kind: round(share, 3) for kind, share in shares.items()}
    {'itself': 0.611, 'previous': 0.417, 'first': 0.333, 'same': 0.333}
    """
    T = ids.shape[1]
    maps = np.broadcast_to(np.tri(T) / np.arange(1, T + 1)[:, None], (len(ids), T, T))
    return {kind: float(share_formula(maps, wanted)) for kind, wanted in _kinds(ids).items()}


def induction_shares(
    model: DecoderOnly, length: int = 50, n_texts: int = 20, seed: int = 0
) -> Array:
    """Each head's share of the place that has the answer, where random tokens come twice.

    In the second copy, an induction head looks at what came after the same token in the first.

    Args:
        model: a decoder that reads 2 `length` tokens.
        length: of each copy.
        n_texts, seed: how many random texts, and which.

    Returns:
        (n_layers, H).
    """
    T = check_size(length, "length", least=2)
    g = torch.Generator().manual_seed(seed)
    size = (check_size(n_texts, "n_texts"), T)
    once = torch.randint(model.config.vocab_size, size, generator=g)
    wanted = np.eye(2 * T, k=1 - T, dtype=bool)  # T - 1 places back
    wanted[:T] = False  # in the first copy, nothing has come before
    return share_formula(head_maps(model, torch.cat([once, once], dim=1)), wanted[None])


@torch.no_grad()
def head_maps(model: DecoderOnly, ids: Tensor) -> Array:
    """The attention weights of all heads, (n_layers, H, B, T, T), for (B, T) ids."""
    steps = trace(model, ids)
    layers = [steps[f"layers.{i}.attention.weights"] for i in range(model.config.n_layers)]
    return torch.stack(layers).transpose(1, 2).numpy()


def _kinds(ids: Tensor) -> dict[str, Array]:
    """Where each kind of place is, (1, T, T) or (B, T, T)."""
    T = ids.shape[1]
    if T < 3:
        raise ValueError(f"ids must have at least 3 places; got {T}")
    first = np.zeros((T, T), dtype=bool)
    first[2:, 0] = True  # before that, the first is the token itself, or the previous
    text = ids.numpy()
    return {
        "itself": np.eye(T, dtype=bool)[None],
        "previous": np.eye(T, k=-1, dtype=bool)[None],
        "first": first[None],
        "same": (text[:, :, None] == text[:, None, :]) & np.tri(T, k=-1, dtype=bool),
    }

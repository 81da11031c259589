"""The interface that decoding expects of a model, and an adapter for functions without a cache.

A model in training mode drops activations at random, so call its `eval()` first.
"""

from __future__ import annotations

import sys
from itertools import chain
from typing import Any, Protocol, cast, runtime_checkable

import array_api_compat
import numpy as np

from plainformer.arrays import Array, as_array, asarray_like

__all__ = ["Cache", "CausalModel", "LogitsFn", "UncachedModel", "as_model"]


class Cache(Protocol):
    """What a model stores about earlier tokens: a `KVCache` for each layer, or anything else."""

    @property
    def length(self) -> int:
        """The number of tokens held of each text."""

    def rewind(self, length: int, /) -> None:
        """Forget all but the first `length` tokens, because the others were a wrong guess."""

    def select(self, rows: Array, /) -> None:
        """Keep only the texts with these indices, (b,), in this order; repeats are allowed."""


@runtime_checkable
class CausalModel(Protocol):
    """Anything that maps ids to logits for the token after each, and can make a cache.

    An nn.Module is given tensors on the device of its parameters, within torch.no_grad(). Anything
    else is given NumPy arrays. An encoder-decoder becomes a causal model when it is bound to its
    source texts; `select` on its cache then selects those texts too.

    >>> model = UncachedModel(lambda ids: np.zeros((len(ids), 8)))
    >>> isinstance(model, CausalModel)
    True
    """

    def __call__(
        self,
        ids: Array,
        /,
        *,
        cache: Any = None,
        positions: Array | None = None,
    ) -> Array:
        """Read (B, T) ids, and return (B, T, V) logits for what follows
        each token.

        With a cache, from `new_cache`, the ids are those that it does not
        hold yet, and are added to it. `positions`, (B, T), are given when
        texts of different lengths share a batch, in which the shorter ones
        are padded on the left; None means consecutive positions, from 0 or
        from the cache's length. *Padding has negative positions*: no token
        may attend to it, and its own logits do not matter. The positions of
        the new tokens also tell how much padding a cache holds, see
        `plainformer.attention.left_padding_mask`.
        """

    def new_cache(self, batch: int, max_length: int | None, /) -> Any:
        """An empty cache for B texts of up to `max_length` tokens; None
        means any length.
        """


@runtime_checkable
class LogitsFn(Protocol):
    """Anything that maps the ids so far to logits for the next token.

    It is called with (B, T) ids, where T is at least 1. There is no padding, because texts of
    different lengths are passed in separate calls. It returns (B, V) logits, or (B, T, V) for the
    logits after each token. The same ids must give the same logits, because a search compares them.

    >>> def always_the_second(ids):
    ...     return np.tile([0.0, 5.0, 0.0], (len(ids), 1))
    >>> isinstance(always_the_second, LogitsFn)
    True
    """

    def __call__(self, ids: Array, /) -> Array:
        """Return (B, V) logits for the token after each row of (B, T) ids."""


class UncachedModel:
    """A `LogitsFn` that can be called like a `CausalModel`, but has no cache.

    The function is called once for each length among the texts, so that it never sees padding.

    >>> model = UncachedModel(lambda ids: np.tile([0.0, 5.0], (len(ids), 1)))
    >>> model(np.array([[3, 4]])).tolist()  # (B, 1, V), after the last token alone
    [[[0.0, 5.0]]]
    """

    def __init__(self, logits_fn: LogitsFn) -> None:
        self.logits_fn = logits_fn
        self._like = input_like(logits_fn)

    def new_cache(self, batch: int, max_length: int | None) -> None:
        """Return None, since nothing is cached."""

    def __call__(self, ids: Array, *, cache: None = None, positions: Array | None = None) -> Array:
        """(B, 1, V) logits after the last token of each text."""
        if positions is None:
            answer = self.logits_fn(asarray_like(ids, like=self._like))
            logits = as_array(answer, "the model's answer")
            rows = logits[:, None, :] if logits.ndim == 2 else logits
            B, T = ids.shape
            if rows.ndim != 3 or len(rows) != B or not 1 <= rows.shape[1] <= T:
                raise ValueError(
                    "the model must return (B, T, V) logits, or (B, V) for the next token alone, "
                    f"with B = {B} here; got shape {tuple(logits.shape)}"
                )
            return rows[:, -1:, :]
        lengths = positions[:, -1] + 1
        groups, logits = [], []
        for length in np.unique(lengths):
            groups.append(np.flatnonzero(lengths == length))
            logits.append(self(ids[groups[-1], -length:]))
        xp = array_api_compat.array_namespace(*logits)
        order = np.argsort(np.concatenate(groups))  # the rows in the order of the batch
        return xp.take(xp.concat(logits), asarray_like(order, like=logits[0]), axis=0)


def as_model(model: CausalModel | LogitsFn) -> CausalModel:
    """Return a causal model as it is, and any other function as an `UncachedModel`.

    >>> as_model(3)
    Traceback (most recent call last):
    TypeError: model must be a CausalModel, or a function of (B, T) ids; got int
    """
    if not callable(model):
        kind = type(model).__name__
        raise TypeError(f"model must be a CausalModel, or a function of (B, T) ids; got {kind}")
    return cast(CausalModel, model) if hasattr(model, "new_cache") else UncachedModel(model)


def input_like(model: Any) -> Array:
    """An array in the library and on the device that a model's ids must have.

    A torch module is recognised without importing torch, because only someone who imported it can
    have created one.
    """
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(model, torch.nn.Module):
        return np.zeros(0)
    return next(chain(model.parameters(), model.buffers()), torch.zeros(0))

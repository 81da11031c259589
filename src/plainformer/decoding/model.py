"""The interface that decoding expects of a model, and an adapter for functions without a cache.

A causal model reads ids and returns, after each of them, logits for the next token. It may keep
what it computed for earlier tokens in a cache, which it creates itself, and is then given only the
new tokens. This part of the course needs nothing else from a model (`CausalModel`).

A function that maps ids to logits for the next token alone will also do: a table, an n-gram model,
or eight numbers that a person wrote down. It has no cache, so it is given the whole text at every
step (`UncachedModel`).

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
    """What a model keeps of earlier tokens: a `KVCache` for each layer, or anything else."""

    @property
    def length(self) -> int:
        """How many tokens of each text it holds."""
        ...

    def rewind(self, length: int, /) -> None:
        """Forget all but the first `length` tokens, because the others were a wrong guess."""
        ...

    def select(self, rows: Array, /) -> None:
        """Keep these texts, (b,) whole numbers, in this order. One may occur twice."""
        ...


@runtime_checkable
class CausalModel(Protocol):
    """Anything that maps ids to logits for the token after each, and can
    make a cache.

    An nn.Module is given tensors on the device of its parameters, within
    torch.no_grad(). Anything else is given NumPy arrays. An encoder-decoder
    becomes a causal model when it is bound to its source texts; then its
    cache also selects their rows.

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
        """Read B texts of T tokens, and return logits for what follows each
        token.

        Args:
            ids: (B, T) whole numbers. With a cache, only the tokens that it
                does not hold yet.
            cache: what `new_cache` returned, to which these tokens are
                added. None means that no tokens came before and that nothing
                is kept.
            positions: (B, T), the position of each token in its text. None
                means consecutive positions, from 0 or from the cache's
                length. They are given when texts of different lengths share
                a batch, in which the shorter ones are padded on the left.
                *Padding has negative positions*: no token may attend to it,
                and its own logits do not matter.

        Returns:
            (B, T, V) logits, -∞ for an impossible token.

        Because padding is only ever on the left, the positions of the new
        tokens also tell how much padding a cache holds, as column -
        position; see `plainformer.attention.left_padding_mask`.
        """
        ...

    def new_cache(self, batch: int, max_length: int | None, /) -> Any:
        """An empty cache for B texts of up to `max_length` tokens; None
        means any length.
        """
        ...


@runtime_checkable
class LogitsFn(Protocol):
    """Anything that maps the ids so far to logits for the next token.

    It is called with (B, T) ids, T of at least 1, without padding: texts of different lengths come
    in different calls. It returns (B, V) logits, or (B, T, V), one row after each token. A logit of
    -∞ makes a token impossible. No row may be -∞ throughout or contain NaN or +∞, and the same ids
    must give the same logits, because a search compares them.

    >>> def always_the_second(ids):
    ...     return np.tile([0.0, 5.0, 0.0], (len(ids), 1))
    >>> isinstance(always_the_second, LogitsFn)
    True
    """

    def __call__(self, ids: Array, /) -> Array:
        """Return (B, V) logits for the token after each row of (B, T) ids."""
        ...


class UncachedModel:
    """A `LogitsFn` that can be called like a `CausalModel`, but has no cache.

    Args:
        logits_fn: the function. It is called once for each length among the texts, so that it never
            sees padding.

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
            return check_answer(answer, ids.shape)[:, -1:, :]
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

    Raises:
        TypeError: it cannot be called.

    >>> as_model(3)
    Traceback (most recent call last):
    TypeError: model must be a CausalModel, or a function of (B, T) ids; got int
    """
    if not callable(model):
        kind = type(model).__name__
        raise TypeError(f"model must be a CausalModel, or a function of (B, T) ids; got {kind}")
    return cast(CausalModel, model) if hasattr(model, "new_cache") else UncachedModel(model)


def check_answer(logits: Any, shape: tuple[int, ...], *, every_token: bool = False) -> Array:
    """A model's answer to (B, T) ids as (B, n, V), which covers the last n tokens or all T.

    >>> check_answer(np.zeros((2, 5)), (2, 3)).shape  # (B, V), for the next token alone
    (2, 1, 5)
    """
    logits = as_array(logits, "the model's answer")
    B, T = shape
    rows = logits[:, None, :] if logits.ndim == 2 and not every_token else logits
    least = T if every_token else 1
    if rows.ndim == 3 and rows.shape[0] == B and least <= rows.shape[1] <= T:
        return rows
    or_else = f" with T = {T} and" if every_token else ", or (B, V) for the next token alone, with"
    raise ValueError(
        f"the model must return (B, T, V) logits{or_else} B = {B} here; "
        f"got shape {tuple(logits.shape)}"
    )


def input_like(model: Any) -> Array:
    """An array of the library, and on the device, of the ids that a model takes.

    A torch module is recognised without importing torch, because only someone who imported it can
    have created one.
    """
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(model, torch.nn.Module):
        return np.zeros(0)
    return next(chain(model.parameters(), model.buffers()), torch.zeros(0))

"""What decoding asks of a model, and how whatever predicts a token becomes one.

A causal model reads ids and says, after each of them, how probable every token is next. It can keep
what it computed for the tokens so far, in a cache that it makes itself; then it is given the new
tokens alone. Nothing in this part of the course knows more of a model than that (`CausalModel`).

A function that maps ids to logits for the next token alone is a model, too: a table, an n-gram
model, eight numbers that a person wrote down. It has no cache, so it is given the whole text again
at each step (`PrefixModel`).

But: a model in training mode drops activations at random. Call its `eval()` first.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from itertools import chain
from typing import Any, Protocol, cast, runtime_checkable

import array_api_compat
import numpy as np

from plainformer.arrays import Array, asarray_like
from plainformer.decoding.checks import check_answer

__all__ = ["Cache", "CausalModel", "LogitsFn", "PrefixModel", "as_model"]


class Cache(Protocol):
    """What a model keeps of the tokens so far: `KVCache`, one for each layer, or what it likes."""

    @property
    def length(self) -> int:
        """How many tokens of each text it holds."""
        ...

    def rewind(self, length: int, /) -> None:
        """Forget all tokens but the first `length`: they were a wrong guess."""
        ...

    def select(self, rows: Array, /) -> None:
        """Keep these texts, (b,) whole numbers, in this order; one may come twice."""
        ...


@runtime_checkable
class CausalModel(Protocol):
    """Anything that maps ids to logits for the token after each.

    It makes its own cache. An nn.Module is given tensors on the
    device of its parameters, within torch.no_grad(); anything else
    is given NumPy arrays. An encoder-decoder becomes one when it is
    bound to its sources: then its cache selects the rows of the
    sources, too.

    >>> model = PrefixModel(lambda ids: np.zeros((len(ids), 8)))
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
        """Read B texts of T tokens, and say what follows each token.

        Args:
            ids: (B, T) whole numbers. With a cache, only the tokens
                that it does not hold yet.
            cache: what `new_cache` made, to which these tokens are
                added; None: there is nothing before them, and
                nothing is kept.
            positions: (B, T) where each token stands in its text.
                None: one after the other, from 0 or from the
                cache's length. They are given where texts of
                several lengths share a batch, and shorter ones are
                padded on the left. *Padding has positions below 0*:
                no token may look at it, and its own logits do not
                matter.

        Returns:
            (B, T, V) logits, -∞ for what is impossible.

        One argument tells both where a token stands and what is
        padding, so the two cannot disagree. And as padding stands
        on the left alone, the positions of the new tokens tell how
        much of it a cache holds: of any token, column - position.
        See `plainformer.attention.left_padding_mask`.
        """
        ...

    def new_cache(self, batch: int, max_length: int | None, /) -> Any:
        """An empty cache for B texts of up to `max_length` tokens.

        None: of any length.
        """
        ...


@runtime_checkable
class LogitsFn(Protocol):
    """Anything that maps ids so far to logits for the next token.

    Called with ids, (B, T) whole numbers: B texts of T tokens each, 1 or more, none of them
    padding. Texts of several lengths come in several calls. Returns (B, V) logits: row b belongs
    to the token after text b. (Or (B, T, V), one row after each token.) A token with logit -∞ is
    impossible. A row must not be -∞ all over, and must hold no NaN and no +∞.

    The same ids must give the same logits, or a search compares what cannot be compared.

    >>> def always_the_second(ids):
    ...     return np.tile([0.0, 5.0, 0.0], (len(ids), 1))
    >>> isinstance(always_the_second, LogitsFn)
    True
    """

    def __call__(self, ids: Array, /) -> Array:
        """Return (B, V) logits for the token after each row of (B, T) ids."""
        ...


class PrefixModel:
    """A `LogitsFn` with the call of a `CausalModel`, and no cache.

    Args:
        logits_fn: the function. It never sees padding: texts of each length come in a call of
            their own.

    >>> model = PrefixModel(lambda ids: np.tile([0.0, 5.0], (len(ids), 1)))
    >>> model(np.array([[3, 4]])).tolist()  # (B, 1, V): after the last token alone
    [[[0.0, 5.0]]]
    """

    def __init__(self, logits_fn: LogitsFn) -> None:
        self.logits_fn = logits_fn
        self._like = example_of(logits_fn)

    def new_cache(self, batch: int, max_length: int | None) -> None:
        """There is none."""

    def __call__(self, ids: Array, *, cache: None = None, positions: Array | None = None) -> Array:
        """(B, n, V) logits, after each of the last n tokens; n is 1 if it says no more."""
        if positions is None:
            return self._ask(ids)
        lengths = positions[:, -1] + 1
        groups = [np.flatnonzero(lengths == length) for length in np.unique(lengths)]
        if len(groups) == 1:
            return self._ask(ids[:, -lengths[0] :])
        logits = [self._ask(ids[rows, -lengths[rows[0]] :])[:, -1:] for rows in groups]
        xp = array_api_compat.array_namespace(*logits)
        back = np.argsort(np.concatenate(groups))  # to the order in which they came
        return xp.take(xp.concat(logits), asarray_like(back, like=logits[0]), axis=0)

    def _ask(self, ids: Array) -> Array:
        answer = self.logits_fn(as_given_to(self._like, ids))
        return check_answer(answer, ids.shape)


def as_model(model: CausalModel | LogitsFn) -> CausalModel:
    """Return a model as it is, and any other function as a `PrefixModel`.

    Raises:
        TypeError: it cannot be called.

    >>> as_model(3)
    Traceback (most recent call last):
    TypeError: model must be a CausalModel, or a function of (B, T) ids; got int
    """
    if not callable(model):
        kind = type(model).__name__
        raise TypeError(f"model must be a CausalModel, or a function of (B, T) ids; got {kind}")
    if hasattr(model, "new_cache"):
        return cast(CausalModel, model)
    return PrefixModel(model)


# torch's modules, without importing torch: whoever hands one over has done so


def example_of(model: Any) -> Array | None:
    """An array of the library and on the device of a model's parameters; None stands for NumPy."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(model, torch.nn.Module):
        return None
    return next(chain(model.parameters(), model.buffers()), torch.empty(0))


def as_given_to(like: Array | None, ids: Array) -> Array:
    """NumPy ids as a model takes them, which `example_of` tells."""
    return ids if like is None else asarray_like(ids, like=like)


def no_grad() -> AbstractContextManager[Any]:
    """Nothing that decoding computes is for a gradient."""
    torch = sys.modules.get("torch")
    begin: Callable[[], AbstractContextManager[Any]] = torch.no_grad if torch else nullcontext
    return begin()

"""The KV cache: what decoding would otherwise compute again for every new token.

A model that writes text adds one token at a time. Under a causal mask the keys and values of the
tokens before it stay as they are; only its own are new. So they are kept: a step then projects one
token instead of all of them.

The arrays are longer than what they hold, and filled from the front; `keys` and `values` are views
of the filled part. To throw tokens away, after a wrong guess or for the next text, only the length
changes: what lies beyond is never read, and written over. To throw whole sequences away, to repeat
or to reorder them, as a beam search does at every step, `select` copies the rows that stay.

The price is memory: two arrays of batch · n_kv_heads · max_length · d_head numbers, in every layer.
With `max_length=None` nobody has to know beforehand how long a text gets: a full array moves into
one of twice the size, so on average a token is copied once or twice, however long the text is.

But: a cache is for decoding, not for training: it writes into its arrays, which no gradient
survives. All sequences of a batch have the same length; shorter ones are padded on the left, and a
mask hides the padding. JAX's arrays cannot be written into, so they do not work here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import array_api_compat
import numpy as np

from plainformer.arrays import (
    Array,
    as_array,
    as_numpy,
    asarray_like,
    check_size,
    default_float,
    is_integer,
)

__all__ = ["KVCache", "ModelCache"]


class KVCache:
    """Keys and values of the tokens so far, for one layer of attention.

    Args:
        batch: the number B of sequences.
        n_kv_heads: the number G of heads of keys and values, which for
            grouped queries is less than that of the queries.
        max_length: how many tokens there is room for; None for as many
            as come: the room doubles when it is full.
        d_head: the width K of one head.
        like: an array; the cache is of its library, device and dtype (if
            it holds whole numbers, the library's default float). None
            means NumPy, float64.

    Raises:
        TypeError, ValueError: a size is no whole number, or below 1.

    Source: Shazeer 2019, section 2.4; Pope et al.
    2022, section 2.

    >>> cache = KVCache(batch=1, n_kv_heads=1, max_length=3, d_head=2)
    >>> _ = cache.append([[[[1, 2]]]], [[[[3, 4]]]])  # one token
    >>> keys, values = cache.append([[[[5, 6]]]], [[[[7, 8]]]])  # one more
    >>> keys.tolist(), values.tolist()
    ([[[[1.0, 2.0], [5.0, 6.0]]]], [[[[3.0, 4.0], [7.0, 8.0]]]])
    >>> cache.rewind(1)
    >>> cache.select([0, 0])  # the same text, twice
    >>> cache
    KVCache(batch=2, n_kv_heads=1, max_length=3, d_head=2, length=1)
    """

    def __init__(
        self,
        batch: int,
        n_kv_heads: int,
        max_length: int | None,
        d_head: int,
        *,
        like: Array = None,
    ) -> None:
        batch, n_kv_heads = check_size(batch, "batch"), check_size(n_kv_heads, "n_kv_heads")
        grows = max_length is None
        room = 0 if max_length is None else check_size(max_length, "max_length")
        shape = (batch, n_kv_heads, room, check_size(d_head, "d_head"))
        like = np.asarray(0.0) if like is None else as_array(like, "like")
        xp = array_api_compat.array_namespace(like)
        kind = {
            "dtype": default_float(like),
            "device": array_api_compat.device(like),
        }
        self._keys = xp.zeros(shape, **kind)
        self._values = xp.zeros(shape, **kind)
        self._length = 0
        self._grows = grows

    @property
    def batch(self) -> int:
        """How many sequences are held."""
        return int(self._keys.shape[0])

    @property
    def length(self) -> int:
        """How many tokens of each sequence are held."""
        return self._length

    @property
    def max_length(self) -> int | None:
        """How many tokens there is room for; None if the room grows."""
        return None if self._grows else int(self._keys.shape[2])

    @property
    def keys(self) -> Array:
        """The keys held, (B, G, length, K): a view."""
        return self._keys[:, :, : self._length, :]

    @property
    def values(self) -> Array:
        """The values held, (B, G, length, K): a view."""
        return self._values[:, :, : self._length, :]

    def append(self, k: Array, v: Array) -> tuple[Array, Array]:
        """Add the keys and values of T new tokens; return all.

        Args:
            k: (B, G, T, K).
            v: (B, G, T, K).

        Returns:
            keys, values: (B, G, length, K) each, the new ones last.
            They are views: what is appended after a rewind is
            written over them, as long as the cache does not move
            to other arrays, as when it grows or `select`s.

        Raises:
            TypeError: another library or dtype than the cache's.
            ValueError: another shape; more tokens than there is
                room for; or numbers that gradients are tracked for.
                The cache stays as it was.
        """
        k, v = _check(k, v, self._keys, self._length, self.max_length)
        end = self._length + k.shape[2]
        if end > (room := self._keys.shape[2]):  # only if it can grow
            self._move(self.keys, self.values, room=max(end, 2 * room))
        self._keys[:, :, self._length : end, :] = k
        self._values[:, :, self._length : end, :] = v
        self._length = end
        return self.keys, self.values

    def rewind(self, length: int) -> None:
        """Keep the first `length` tokens and forget the later ones.

        Raises:
            TypeError, ValueError: no whole number from 0 to
                `self.length`.
        """
        length = check_size(length, "length", least=0)
        if length > self._length:
            most = f"{self._length}, the number of tokens held"
            raise ValueError(f"length must be at most {most}; got {length}")
        self._length = length

    def reset(self) -> None:
        """Forget every token: the next text starts at position 0."""
        self.rewind(0)

    def select(self, rows: Any) -> None:
        """Keep these sequences, in this order; one may come twice.

        So beams are reordered, and texts that have ended leave.

        Args:
            rows: (b,) whole numbers from 0 to B - 1, 1 or more of
                them. Sequence i is from now on what rows[i] was.

        Raises:
            TypeError, ValueError: no such rows.

        >>> cache = KVCache(batch=3, n_kv_heads=1, max_length=None, d_head=1)
        >>> k = np.array([5.0, 6.0, 7.0]).reshape(3, 1, 1, 1)
        >>> _ = cache.append(k, -k)
        >>> cache.select([2, 0])
        >>> cache.keys.ravel().tolist(), cache.values.ravel().tolist()
        ([7.0, 5.0], [-7.0, -5.0])
        """
        rows = _check_rows(rows, self.batch)
        if np.array_equal(rows, np.arange(self.batch)):
            return  # as it is
        rows = asarray_like(rows, like=self._keys)
        xp = array_api_compat.array_namespace(self._keys)
        keys, values = (xp.take(held, rows, axis=0) for held in (self.keys, self.values))
        self._move(keys, values, room=self._keys.shape[2])

    def _move(self, keys: Array, values: Array, room: int) -> None:
        """Hold these, (b, G, length, K), in new arrays with room for so many tokens."""
        xp = array_api_compat.array_namespace(keys)
        batch, n_kv_heads, length, d_head = keys.shape
        shape = (batch, n_kv_heads, room, d_head)
        self._keys = xp.empty(shape, dtype=keys.dtype, device=array_api_compat.device(keys))
        self._values = xp.empty_like(self._keys)
        self._keys[:, :, :length, :] = keys
        self._values[:, :, :length, :] = values

    def __repr__(self) -> str:
        batch, n_kv_heads, _, d_head = self._keys.shape
        return (
            f"KVCache(batch={batch}, n_kv_heads={n_kv_heads}, "
            f"max_length={self.max_length}, d_head={d_head}, "
            f"length={self._length})"
        )


class ModelCache:
    """The caches of a model's layers, moved as one.

    Args:
        layers: one `KVCache` for each layer, 1 or more; or anything
            else with `length`, `rewind` and `select`.

    >>> layers = [KVCache(batch=2, n_kv_heads=1, max_length=None, d_head=4) for _ in range(3)]
    >>> cache = ModelCache(layers)
    >>> for layer in cache:  # what a model does, layer by layer
    ...     _ = layer.append(np.zeros((2, 1, 5, 4)), np.zeros((2, 1, 5, 4)))
    >>> cache.rewind(4)
    >>> cache.select([1])
    >>> cache.length, [layer.batch for layer in cache]
    (4, [1, 1, 1])
    """

    def __init__(self, layers: Sequence[Any]) -> None:
        if len(layers) == 0:
            raise ValueError("layers must hold a cache or more; it is empty")
        self._layers = list(layers)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._layers)

    @property
    def length(self) -> int:
        """How many tokens of each sequence are held."""
        return int(self._layers[0].length)

    def rewind(self, length: int) -> None:
        """Keep the first `length` tokens and forget the later ones."""
        for layer in self._layers:
            layer.rewind(length)

    def reset(self) -> None:
        """Forget every token: the next text starts at position 0."""
        self.rewind(0)

    def select(self, rows: Any) -> None:
        """Keep these sequences, (b,) whole numbers, in this order; one may come twice."""
        for layer in self._layers:
            layer.select(rows)


# What is refused


def _check(k: Any, v: Any, keys: Array, length: int, max_length: int | None) -> tuple[Array, Array]:
    """New keys and values that fit the cache's array of keys, of which `length` are filled."""
    k, v = _check_kind(k, "k", keys), _check_kind(v, "v", keys)
    batch, n_kv_heads, _, d_head = keys.shape
    for name, x in (("k", k), ("v", v)):
        if x.ndim != 4 or (x.shape[0], x.shape[1], x.shape[3]) != (batch, n_kv_heads, d_head):
            raise ValueError(
                f"{name} must be ({batch}, {n_kv_heads}, T, {d_head}), for batch, n_kv_heads, "
                f"new tokens and d_head; got shape {tuple(x.shape)}"
            )
    T = k.shape[2]
    if v.shape[2] != T:
        raise ValueError(f"v must be of as many tokens as k; got {v.shape[2]} and {T}")
    if max_length is not None and length + T > max_length:
        raise ValueError(
            f"the cache must have room for every new token: max_length is {max_length} and "
            f"{length} are held, so {max_length - length} more fit; got {T}"
        )
    return k, v


def _check_kind(x: Any, name: str, keys: Array) -> Array:
    """The array, of the cache's library and dtype; numbers without a dtype take the cache's."""
    xp, dtype = array_api_compat.array_namespace(keys), keys.dtype
    given, x = x, as_array(x, name)
    if x is not given:
        x = xp.asarray(x, dtype=dtype, device=array_api_compat.device(keys))
    if array_api_compat.array_namespace(x) is not xp or x.dtype != dtype:
        kind = f"{type(x).__module__}.{type(x).__name__} of {x.dtype}"
        own = f"{type(keys).__module__}.{type(keys).__name__} of {dtype}"
        raise TypeError(f"{name} must be a {own}, as the cache is; got a {kind}")
    if getattr(x, "requires_grad", False):  # torch
        raise ValueError(
            f"{name} must not be tracked for gradients, which a cache would break: "
            "decode within torch.no_grad()"
        )
    return x


def _check_rows(rows: Any, batch: int) -> Array:
    """(b,) rows of the batch, NumPy's: whoever hands over NumPy's waits for no GPU."""
    rows = as_numpy(as_array(rows, "rows"))
    if rows.ndim != 1 or len(rows) == 0:
        raise ValueError(f"rows must be (b,) with b = 1 or more; got shape {rows.shape}")
    if not is_integer(rows):
        raise TypeError(f"rows must be whole numbers; got an array of {rows.dtype}")
    if rows.min() < 0 or rows.max() >= batch:
        bad = int(rows[(rows < 0) | (rows >= batch)][0])
        raise ValueError(f"rows must be from 0 to {batch - 1}, for {batch} sequences; got {bad}")
    return rows.astype(np.int64, copy=False)

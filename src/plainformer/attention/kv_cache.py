"""The KV cache, so that decoding does not recompute old keys and values for every new token.

Under a causal mask, the keys and values of earlier tokens never change, so each layer can store
them, in two arrays of batch · n_kv_heads · max_length · d_head numbers. The arrays are allocated
with spare room and filled from the front; `keys` and `values` are views of the filled part.

A cache is for decoding and not for training, because it writes into its arrays in place, which
autograd does not allow (nor does JAX). All texts of a batch have the same length: shorter ones are
padded on the left, and a mask hides the padding.
"""

from __future__ import annotations

from typing import Any

import array_api_compat
import numpy as np

from plainformer.arrays import Array, as_integers, as_numpy, asarray_like, check_size, default_float

__all__ = ["KVCache", "ModelCache"]


class KVCache:
    """The keys and values of all tokens so far in one layer of attention.

    There is room for `max_length` tokens. With None, the arrays double in size whenever they are
    full, so a token is copied once or twice on average. The cache has the library, device and dtype
    of `like` (its library's default float if `like` holds integers); None means NumPy, float64.

    Source: Shazeer 2019, section 2.4; Pope et al. 2022, section 2.

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
        shape = (
            check_size(batch, "batch"),
            check_size(n_kv_heads, "n_kv_heads"),
            0 if max_length is None else check_size(max_length, "max_length"),
            check_size(d_head, "d_head"),
        )
        like = np.asarray(0.0) if like is None else like
        xp, device = array_api_compat.array_namespace(like), array_api_compat.device(like)
        self.max_length = max_length
        self.length = 0  # how many tokens of each text are held
        self.dtype = default_float(like)
        self._keys = xp.zeros(shape, dtype=self.dtype, device=device)
        self._values = xp.zeros_like(self._keys)

    @property
    def batch(self) -> int:
        """The number of texts."""
        return int(self._keys.shape[0])

    @property
    def keys(self) -> Array:
        """A view of the cached keys, (B, G, length, K)."""
        return self._keys[:, :, : self.length, :]

    @property
    def values(self) -> Array:
        """A view of the cached values, (B, G, length, K)."""
        return self._values[:, :, : self.length, :]

    def append(self, k: Array, v: Array) -> tuple[Array, Array]:
        """Add the keys and values of T new tokens, (B, G, T, K) each, and return all so far.

        The returned arrays are views, which appending after a `rewind` overwrites, unless the cache
        has moved to new arrays by growing or by `select`. If k and v have the wrong shape, or there
        is not enough room, the cache is left unchanged.
        """
        k, v = self._check_new(k, v)
        end, room = self.length + k.shape[2], self._keys.shape[2]
        if end > room and self.max_length is not None:
            raise ValueError(
                "the cache must have room for every new token: "
                f"max_length is {room} and {self.length} are held, "
                f"so {room - self.length} more fit; got {k.shape[2]}"
            )
        if end > room:
            self._grow(max(end, 2 * room))
        self._keys[:, :, self.length : end, :] = k
        self._values[:, :, self.length : end, :] = v
        self.length = end
        return self._keys[:, :, :end, :], self._values[:, :, :end, :]

    def rewind(self, length: int) -> None:
        """Keep the first `length` tokens and forget the later ones."""
        length = check_size(length, "length", least=0)
        if length > self.length:
            most = f"{self.length}, the number of tokens held"
            raise ValueError(f"length must be at most {most}; got {length}")
        self.length = length  # anything beyond is never read

    def reset(self) -> None:
        """Forget every token: the next text starts at position 0."""
        self.rewind(0)

    def select(self, rows: Any) -> None:
        """Keep only the texts with these indices, (b,), in this order; repeats are allowed.

        This is how beams are reordered, and how texts that have ended are removed.

        >>> cache = KVCache(batch=3, n_kv_heads=1, max_length=None, d_head=1)
        >>> k = np.array([5.0, 6.0, 7.0]).reshape(3, 1, 1, 1)
        >>> _ = cache.append(k, -k)
        >>> cache.select([2, 0])
        >>> cache.keys.ravel().tolist(), cache.values.ravel().tolist()
        ([7.0, 5.0], [-7.0, -5.0])
        """
        # In NumPy, so that rows given as a NumPy array need no GPU synchronisation, and as int64,
        # because torch would treat uint8 indices as a mask.
        rows = as_numpy(as_integers(rows, "rows")).astype(np.int64, copy=False)
        if rows.ndim != 1 or len(rows) == 0:
            raise ValueError(f"rows must be (b,) with b = 1 or more; got shape {rows.shape}")
        bad = rows[(rows < 0) | (rows >= self.batch)]
        if len(bad):
            most = f"{self.batch - 1}, for {self.batch} texts"
            raise ValueError(f"rows must be from 0 to {most}; got {bad[0]}")
        if np.array_equal(rows, np.arange(self.batch)):
            return  # nothing changes
        rows = asarray_like(rows, like=self._keys)
        xp = array_api_compat.array_namespace(self._keys)
        self._keys = xp.take(self._keys, rows, axis=0)
        self._values = xp.take(self._values, rows, axis=0)

    def _check_new(self, k: Any, v: Any) -> list[Array]:
        """The new keys and values, checked and in the cache's library and dtype."""
        new, keys = [], self._keys
        batch, n_kv_heads, _, d_head = keys.shape
        for name, x in (("k", k), ("v", v)):
            if isinstance(x, list):
                xp = array_api_compat.array_namespace(keys)
                x = xp.asarray(x, dtype=self.dtype, device=array_api_compat.device(keys))
            if type(x) is not type(keys) or x.dtype != self.dtype:
                own, got = (
                    f"{type(a).__module__}.{type(a).__name__} of {a.dtype}" for a in (keys, x)
                )
                raise TypeError(f"{name} must be a {own}, like the cache; got a {got}")
            if x.ndim != 4 or (*x.shape[:2], x.shape[3]) != (batch, n_kv_heads, d_head):
                raise ValueError(
                    f"{name} must be ({batch}, {n_kv_heads}, T, {d_head}), for batch, n_kv_heads, "
                    f"new tokens and d_head; got shape {tuple(x.shape)}"
                )
            if getattr(x, "requires_grad", False):  # torch
                raise ValueError(
                    f"{name} must not be tracked for gradients, which a cache would break: "
                    "decode within torch.no_grad()"
                )
            new.append(x)
        if new[0].shape[2] != new[1].shape[2]:
            got = f"{new[1].shape[2]} and {new[0].shape[2]}"
            raise ValueError(f"v must have as many tokens as k; got {got}")
        return new

    def _grow(self, room: int) -> None:
        """Move the keys and values into arrays with room for this many tokens."""
        xp, shape = array_api_compat.array_namespace(self._keys), list(self._keys.shape)
        shape[2] = room - shape[2]
        device = array_api_compat.device(self._keys)
        added = xp.zeros(tuple(shape), dtype=self.dtype, device=device)
        self._keys = xp.concat([self._keys, added], axis=2)
        self._values = xp.concat([self._values, added], axis=2)

    def __repr__(self) -> str:
        batch, n_kv_heads, _, d_head = self._keys.shape
        return (
            f"KVCache(batch={batch}, n_kv_heads={n_kv_heads}, "
            f"max_length={self.max_length}, d_head={d_head}, length={self.length})"
        )


class ModelCache(list[Any]):
    """The `KVCache` of each of a model's layers, which are rewound and reordered together.

    >>> cache = ModelCache([KVCache(2, 1, None, d_head=4) for _ in range(3)])
    >>> for layer in cache:  # what a model does, layer by layer
    ...     _ = layer.append(np.zeros((2, 1, 5, 4)), np.zeros((2, 1, 5, 4)))
    >>> cache.rewind(4)
    >>> cache.select([1])
    >>> cache.length, [layer.batch for layer in cache]
    (4, [1, 1, 1])
    """

    @property
    def length(self) -> int:
        """The number of tokens held of each text."""
        return int(self[0].length)

    def rewind(self, length: int) -> None:
        """Keep the first `length` tokens and forget the later ones."""
        for layer in self:
            layer.rewind(length)

    def select(self, rows: Any) -> None:
        """Keep only the texts with these indices, (b,), in this order; see `KVCache.select`."""
        for layer in self:
            layer.select(rows)

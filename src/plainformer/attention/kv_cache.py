"""The KV cache, which saves decoding from computing the same keys and values for every new token.

A model that generates text adds one token at a time. Under a causal mask, the keys and values of
the earlier tokens stay as they are and only those of the new token are added. They are therefore
stored, and a step projects one token instead of all of them.

The arrays are longer than what they hold and are filled from the front; `keys` and `values` are
views of the filled part. Removing tokens, after a wrong guess or for the next text, only changes
the length, because what lies beyond it is never read and will be overwritten. Removing, repeating
or reordering whole texts, as a beam search does at every step, copies the rows that stay
(`select`).

The price is memory: two arrays of batch · n_kv_heads · max_length · d_head numbers in every layer.
With `max_length=None` the room grows as needed: a full array is moved into one of twice the size,
so on average a token is copied once or twice, however long the text gets.

A cache is for decoding and not for training, since it writes into its arrays, which
autograd does not allow. All texts of a batch have the same length: shorter ones are padded on the
left, and a mask hides the padding. JAX's arrays cannot be written into, so they do not work here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import array_api_compat
import numpy as np

from plainformer.arrays import Array, as_integers, as_numpy, asarray_like, check_size, default_float

__all__ = ["KVCache", "ModelCache"]


class KVCache:
    """The keys and values of all tokens so far in one layer of attention.

    Args:
        batch: B, the number of texts.
        n_kv_heads: G, the number of key and value heads.
        max_length: how many tokens there is room for; None means that the room doubles when it is
            full.
        d_head: K, the width of a head.
        like: an array whose library, device and dtype the cache has (for whole numbers, the
            library's default float). None means NumPy, float64.

    Raises:
        TypeError, ValueError: a size that is not a whole number or is below 1.

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
        self._grows = max_length is None
        shape = (
            check_size(batch, "batch"),
            check_size(n_kv_heads, "n_kv_heads"),
            0 if max_length is None else check_size(max_length, "max_length"),
            check_size(d_head, "d_head"),
        )
        like = np.asarray(0.0) if like is None else like
        xp, device = array_api_compat.array_namespace(like), array_api_compat.device(like)
        self._keys = xp.zeros(shape, dtype=default_float(like), device=device)
        self._values = xp.zeros(shape, dtype=default_float(like), device=device)
        self._length = 0

    @property
    def batch(self) -> int:
        """How many texts there are."""
        return int(self._keys.shape[0])

    @property
    def length(self) -> int:
        """How many tokens of each text are held."""
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
        """Add the keys and values of T new tokens, and return all.

        Args:
            k: (B, G, T, K).
            v: (B, G, T, K).

        Returns:
            keys, values: (B, G, length, K) each, the new ones last. They are
            views, which later calls overwrite after a `rewind`, until the
            cache moves to other arrays because it grows or `select`s.

        Raises:
            TypeError: another library or dtype than the cache's.
            ValueError: another shape, more tokens than there is room for, or
                tensors that gradients are tracked for. The cache stays as it
                was.
        """
        k, v = self._fitting("k", k), self._fitting("v", v)
        new = k.shape[2]
        if v.shape[2] != new:
            got = f"{v.shape[2]} and {new}"
            raise ValueError(f"v must have as many tokens as k; got {got}")
        end, room = self._length + new, self._keys.shape[2]
        if end > room and not self._grows:
            raise ValueError(
                "the cache must have room for every new token: "
                f"max_length is {room} and {self._length} are held, "
                f"so {room - self._length} more fit; got {new}"
            )
        if end > room:
            self._move(self.keys, self.values, room=max(end, 2 * room))
        self._keys[:, :, self._length : end, :] = k
        self._values[:, :, self._length : end, :] = v
        self._length = end
        return self.keys, self.values

    def rewind(self, length: int) -> None:
        """Keep the first `length` tokens and forget the later ones.

        Raises:
            TypeError, ValueError: not a whole number from 0 to
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
        """Keep these texts, in this order; one may be repeated.

        That is how beams are reordered, and how texts that have ended are removed.

        Args:
            rows: (b,) whole numbers from 0 to B - 1, at least one. Text i is from now on what
                rows[i] was.

        Raises:
            TypeError, ValueError: rows that do not exist.

        >>> cache = KVCache(batch=3, n_kv_heads=1, max_length=None, d_head=1)
        >>> k = np.array([5.0, 6.0, 7.0]).reshape(3, 1, 1, 1)
        >>> _ = cache.append(k, -k)
        >>> cache.select([2, 0])
        >>> cache.keys.ravel().tolist(), cache.values.ravel().tolist()
        ([7.0, 5.0], [-7.0, -5.0])
        """
        # In NumPy, so that rows which are NumPy's already need no GPU synchronisation. As int64,
        # because torch takes uint8 for a mask.
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
        keys, values = (xp.take(held, rows, axis=0) for held in (self.keys, self.values))
        self._move(keys, values, room=self._keys.shape[2])

    def _fitting(self, name: str, x: Any) -> Array:
        """New keys or values, in the cache's library and dtype."""
        keys, like = self._keys, array_api_compat.array_namespace(self._keys)
        if not array_api_compat.is_array_api_obj(x):  # lists
            x = like.asarray(x, dtype=keys.dtype, device=array_api_compat.device(keys))
        if type(x) is not type(keys) or x.dtype != keys.dtype:
            own, got = (f"{type(a).__module__}.{type(a).__name__} of {a.dtype}" for a in (keys, x))
            raise TypeError(f"{name} must be a {own}, like the cache; got a {got}")
        batch, n_kv_heads, _, d_head = keys.shape
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
        return x

    def _move(self, keys: Array, values: Array, room: int) -> None:
        """Move these keys and values, (b, G, length, K), into new arrays of another size."""
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
            f"max_length={self.max_length}, d_head={d_head}, length={self._length})"
        )


class ModelCache:
    """The caches of a model's layers, which are rewound and reordered together.

    Args:
        layers: one `KVCache` for each layer, at least one, or other objects with `length`, `rewind`
            and `select`.

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
            raise ValueError("layers must contain at least one cache; it is empty")
        self._layers = list(layers)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._layers)

    @property
    def length(self) -> int:
        """How many tokens of each text are held."""
        return int(self._layers[0].length)

    def rewind(self, length: int) -> None:
        """Keep the first `length` tokens and forget the later ones."""
        for layer in self._layers:
            layer.rewind(length)

    def reset(self) -> None:
        """Forget every token: the next text starts at position 0."""
        self.rewind(0)

    def select(self, rows: Any) -> None:
        """Keep the texts with these numbers, (b,), in this order; one may be repeated."""
        for layer in self._layers:
            layer.select(rows)

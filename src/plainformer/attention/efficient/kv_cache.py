"""The KV cache: what decoding would otherwise compute again for every new token.

A model that writes text adds one token at a time. Under a causal mask the keys and values of the
tokens before it stay as they are; only its own are new. So they are kept: a step then projects one
token instead of all of them.

The arrays are made once, as long as they may ever get, and filled from the front; `keys` and
`values` are views of the filled part. To throw tokens away, after a wrong guess or for the next
text, only the length changes: what lies beyond is never read, and written over.

The price is memory: two arrays of batch · n_kv_heads · max_length · d_head numbers, in every layer.

But: a cache is for decoding, not for training: it writes into its arrays, which no gradient
survives. All sequences of a batch have the same length; shorter ones are padded on the left, and a
mask hides the padding. JAX's arrays cannot be written into, so they do not work here.
"""

from __future__ import annotations

from typing import Any

import array_api_compat
import numpy as np

from plainformer.arrays import Array, as_array, check_size, default_float

__all__ = ["KVCache"]


class KVCache:
    """Keys and values of the tokens so far, for one layer of attention.

    Args:
        batch: the number B of sequences.
        n_kv_heads: the number G of heads of keys and values, which for
            grouped queries is less than that of the queries.
        max_length: how many tokens there is room for.
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
    >>> cache
    KVCache(batch=1, n_kv_heads=1, max_length=3, d_head=2, length=1)
    """

    def __init__(
        self,
        batch: int,
        n_kv_heads: int,
        max_length: int,
        d_head: int,
        *,
        like: Array = None,
    ) -> None:
        shape = (
            check_size(batch, "batch"),
            check_size(n_kv_heads, "n_kv_heads"),
            check_size(max_length, "max_length"),
            check_size(d_head, "d_head"),
        )
        like = np.asarray(0.0) if like is None else as_array(like, "like")
        xp = array_api_compat.array_namespace(like)
        kind = {
            "dtype": default_float(like),
            "device": array_api_compat.device(like),
        }
        self._keys = xp.zeros(shape, **kind)
        self._values = xp.zeros(shape, **kind)
        self._length = 0

    @property
    def length(self) -> int:
        """How many tokens are held."""
        return self._length

    @property
    def max_length(self) -> int:
        """How many tokens there is room for."""
        return int(self._keys.shape[2])

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
            written over them.

        Raises:
            TypeError: another library or dtype than the cache's.
            ValueError: another shape; more tokens than there is
                room for; or numbers that gradients are tracked for.
                The cache stays as it was.
        """
        k, v = _check(k, v, self._keys, self._length)
        end = self._length + k.shape[2]
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
            raise ValueError(
                f"length must be at most {self._length}, the number of tokens held; got {length}"
            )
        self._length = length

    def reset(self) -> None:
        """Forget every token: the next text starts at position 0."""
        self.rewind(0)

    def __repr__(self) -> str:
        batch, n_kv_heads, max_length, d_head = self._keys.shape
        return (
            f"KVCache(batch={batch}, n_kv_heads={n_kv_heads}, "
            f"max_length={max_length}, d_head={d_head}, "
            f"length={self._length})"
        )


# What is refused


def _check(k: Any, v: Any, keys: Array, length: int) -> tuple[Array, Array]:
    """New keys and values that fit the cache's array of keys, of which `length` are filled."""
    k, v = _check_kind(k, "k", keys), _check_kind(v, "v", keys)
    batch, n_kv_heads, max_length, d_head = keys.shape
    for name, x in (("k", k), ("v", v)):
        if x.ndim != 4 or (x.shape[0], x.shape[1], x.shape[3]) != (batch, n_kv_heads, d_head):
            raise ValueError(
                f"{name} must be ({batch}, {n_kv_heads}, T, {d_head}), for batch, n_kv_heads, "
                f"new tokens and d_head; got shape {tuple(x.shape)}"
            )
    T = k.shape[2]
    if v.shape[2] != T:
        raise ValueError(f"v must be of as many tokens as k; got {v.shape[2]} and {T}")
    if length + T > max_length:
        raise ValueError(
            f"the cache must have room for every new token: max_length is {max_length} and "
            f"{length} are held, so {max_length - length} more fit; got {T}"
        )
    return k, v


def _check_kind(x: Any, name: str, keys: Array) -> Array:
    """The array, of the cache's library and dtype; numbers without a dtype take the cache's."""
    xp, dtype = array_api_compat.array_namespace(keys), keys.dtype
    if not array_api_compat.is_array_api_obj(x):
        x = xp.asarray(as_array(x, name), dtype=dtype, device=array_api_compat.device(keys))
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

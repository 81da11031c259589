"""Compare our result with an independent one, print how close they are, and fail if they differ.

A chapter never merely says that two results agree. It calls one of these two functions, and the
build of the book fails if the results do not agree:

- `close` compares numbers that may differ by rounding, and prints the largest difference;
- `same` compares things that must be identical, such as token ids, strings and merges, and prints
  how many there were.

A comparison that cannot fail proves nothing, so nothing is broadcast, a NaN does not agree with
anything, and comparing empty results, two results of None, or an object with itself is an error.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plainformer.arrays import as_numpy

__all__ = ["Disagreement", "close", "same"]


class Disagreement(AssertionError):
    """Two results that should agree do not; the message says where they differ and by how much."""


def close(ours: object, theirs: object, *, tolerance: float, what: str = "") -> None:
    """Print the largest difference between two arrays, and raise if it exceeds `tolerance`.

    Args:
        ours: numbers of any shape: a NumPy array, a torch tensor, nested lists, or one number.
        theirs: the same, of exactly the same shape. Equal infinities agree.
        tolerance: the largest absolute difference allowed, 0 or more.
        what: what is compared, such as "attention weights"; the printed line begins with it.

    Raises:
        Disagreement: the shapes differ, or a number is NaN or too far from its counterpart.
        ValueError: `tolerance` is negative or not finite, there is nothing to compare, or both
            arguments are the same object.
        TypeError: an argument does not contain numbers.

    >>> close([1.0, 2.0], [1.0, 2.0 + 2**-20], tolerance=1e-5, what="scores")
    scores: off by 9.5e-07 ≤ 1e-05 (2 numbers)
    >>> close([1.0, 2.0], [1.0, 2.5], tolerance=0.1)
    Traceback (most recent call last):
        ...
    plainformer.verify.Disagreement: the largest difference is 0.5, above the tolerance 0.1:
    at index [1], ours is 2.0 and theirs is 2.5
    """
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float):
        raise TypeError(f"tolerance must be a number; got {type(tolerance).__name__}")
    if not (math.isfinite(tolerance) and tolerance >= 0):
        raise ValueError(f"tolerance must be finite and 0 or more; got {tolerance}")
    _refuse_itself(ours, theirs)
    a, b = _numbers(ours, "ours"), _numbers(theirs, "theirs")
    label = f"{what}: " if what else ""
    if a.shape != b.shape:
        raise Disagreement(f"{label}ours has shape {a.shape}, theirs has shape {b.shape}")
    if a.size == 0:
        raise ValueError(f"nothing to compare: both have shape {a.shape}")
    with np.errstate(invalid="ignore"):  # equal infinities, which come from masks, are equal
        difference = np.where(a == b, 0.0, np.abs(a - b))
    largest = float(difference.max())  # NaN if there is one anywhere
    if not largest <= tolerance:
        at = np.unravel_index(int(difference.argmax()), difference.shape)
        where = f"at index {[int(i) for i in at]}, " if at else ""
        raise Disagreement(
            f"{label}the largest difference is {largest:.2g}, above the tolerance {tolerance:.2g}: "
            f"{where}ours is {a[at]} and theirs is {b[at]}"
        )
    numbers = "1 number" if a.size == 1 else f"{a.size:,} numbers"
    print(f"{label}off by {largest:.2g} ≤ {tolerance:.2g} ({numbers})")  # fits on a phone


def same(ours: object, theirs: object, *, what: str = "") -> None:
    """Print how many items were compared if two results are identical, and raise otherwise.

    The number of items is that of the outermost collection, such as the rows of a table.

    Args:
        ours: a string, bytes, list, tuple, dict, set, array, tensor, any iterable, or one value.
        theirs: the same. A list, a tuple and an array with equal items agree, but a string only
            agrees with a string, and 1 agrees with neither 1.0 nor True.
        what: what the items are, in the plural, such as "pre-tokens".

    Raises:
        Disagreement: the kinds, the lengths or the items differ; the message says where.
        ValueError: both are empty or None, or both are the same object.

    >>> same([5, 3, 8], (5, 3, 8), what="token ids")
    3 token ids: identical
    >>> same([5, 3, 8], [5, 4, 8], what="token ids")
    Traceback (most recent call last):
        ...
    plainformer.verify.Disagreement: token ids: ours and theirs differ at item 1: 3 and 4
    """
    _refuse_itself(ours, theirs)
    a, b = _plain(ours), _plain(theirs)
    label = f"{what}: " if what else ""
    if type(a) is not type(b):
        kinds = [type(each).__name__ for each in (a, b)]
        raise Disagreement(f"{label}ours is a {kinds[0]}, theirs is a {kinds[1]}")
    if _with_types(a) != _with_types(b):
        raise Disagreement(f"{label}ours and theirs differ{_where(a, b)}")
    if not isinstance(a, str | bytes | list | dict | set):
        print(f"{label}identical ({_short(a)})")
    elif len(a) == 0:
        raise ValueError(f"nothing to compare: both are an empty {type(a).__name__}")
    else:
        print(f"{len(a):,} {what or 'items'}: identical")


def _where(a: Any, b: Any) -> str:
    """Say where two unequal values of one kind differ."""
    if isinstance(a, set):
        return f": only ours has {_short(a - b)}, only theirs has {_short(b - a)}"
    if not isinstance(a, list | dict | str | bytes):
        return f": {_short(a)} and {_short(b)}"
    if isinstance(a, dict) and (extra := a.keys() ^ b.keys()):
        key = next(iter(extra))
        return f": only {'ours' if key in a else 'theirs'} has the key {_short(key)}"
    for item in a if isinstance(a, dict) else range(min(len(a), len(b))):
        if _with_types(a[item]) != _with_types(b[item]):
            # In a string, a few more characters make the difference easier to find.
            x, y = (t[item : item + 20] if isinstance(t, str | bytes) else t[item] for t in (a, b))
            return f" at item {item!r}: {_short(x)} and {_short(y)}"
    if len(a) != len(b):
        return f" in length: {len(a):,} and {len(b):,}, equal until the shorter one ends"
    return " in the types of their keys"


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:59]}…"


def _numbers(values: Any, name: str) -> NDArray[Any]:
    """Convert numbers of any library to float64 or complex128, without importing torch."""
    try:
        array: NDArray[Any] = as_numpy(values)
    except (TypeError, ValueError) as error:
        kind = type(values).__name__
        raise TypeError(f"{name} must be a rectangular array of numbers; got {kind}") from error
    if array.dtype.kind not in "biufc":
        raise TypeError(f"{name} must be numbers; got {type(values).__name__} of {array.dtype}")
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def _plain(value: Any) -> Any:
    """Convert arrays, tensors and other iterables to lists, mappings to dicts, sets to sets."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, str | bytes):
        return value
    if isinstance(value, Mapping):
        return {_key(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Set):
        return set(map(_key, value))
    if isinstance(value, Iterable):
        return [_plain(item) for item in value]
    return value


def _key(value: Any) -> Any:
    """Convert a key or an item of a set, which must stay hashable: a tuple remains a tuple."""
    return tuple(map(_key, value)) if isinstance(value, tuple) else _plain(value)


def _with_types(value: Any) -> Any:
    """Add its type to every value, because Python considers 1, 1.0 and True equal."""
    if isinstance(value, list):
        return list(map(_with_types, value))
    if isinstance(value, dict):
        return {(type(key), key): _with_types(item) for key, item in value.items()}
    if isinstance(value, set):
        return {(type(item), item) for item in value}
    return (type(value), value) if value == value else object()  # a NaN equals nothing


def _refuse_itself(ours: object, theirs: object) -> None:
    if ours is None and theirs is None:
        raise ValueError("nothing to compare: both are None (is a return missing?)")
    # Python keeps a single copy of small numbers and of one-character strings.
    shared = isinstance(ours, int | float | complex)
    shared = shared or (isinstance(ours, str | bytes) and len(ours) == 1)
    if ours is theirs and not shared:
        raise ValueError("ours and theirs are the same object, so comparing them proves nothing")

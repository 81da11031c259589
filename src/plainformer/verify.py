"""Compare our result with an independent one, print how close they are, and fail if they differ.

A chapter never merely says that two results agree. It calls one of these two functions, and the
build of the book fails if the results do not agree. A comparison that cannot fail proves nothing,
so nothing is broadcast, a NaN does not agree with anything, and comparing empty results, two
results of None, or an object with itself is an error.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Iterable, Mapping, Set
from typing import Any

import numpy as np

from plainformer.arrays import as_numpy

__all__ = ["close", "same"]


def close(ours: object, theirs: object, *, tolerance: float, what: str = "") -> None:
    """Print the largest difference between two arrays, and raise if it exceeds `tolerance`.

    They may be NumPy or torch arrays, nested lists or numbers, and must have the same shape. Equal
    infinities, which come from masks, agree. The line and the AssertionError begin with
    `what`, the name of what is compared, such as "attention weights".

    >>> close([1.0, 2.0], [1.0, 2.0 + 2**-20], tolerance=1e-5, what="scores")
    scores: off by 9.5e-07 ≤ 1e-05 (2 numbers)
    """
    if not 0 <= tolerance < math.inf:
        raise ValueError(f"tolerance must be finite and 0 or more; got {tolerance}")
    _refuse_itself(ours, theirs)
    a, b = as_numpy(ours), as_numpy(theirs)
    label = f"{what}: " if what else ""
    if a.shape != b.shape:
        raise AssertionError(f"{label}ours has shape {a.shape}, theirs has shape {b.shape}")
    if a.size == 0:
        raise ValueError(f"nothing to compare: both have shape {a.shape}")
    dtype = np.result_type(a, b, np.float64)
    a, b = a.astype(dtype), b.astype(dtype)
    np.testing.assert_allclose(a, b, rtol=0, atol=tolerance, equal_nan=False, err_msg=what)
    with np.errstate(invalid="ignore"):  # of infinity minus infinity
        largest = float(np.where(a == b, 0.0, np.abs(a - b)).max())
    numbers = "1 number" if a.size == 1 else f"{a.size:,} numbers"
    print(f"{label}off by {largest:.2g} ≤ {tolerance:.2g} ({numbers})")  # fits on a phone


def same(ours: object, theirs: object, *, what: str = "") -> None:
    """Print how many items were compared if two results are identical, and raise otherwise.

    The number of items is that of the outermost collection, such as the rows of a table, and `what`
    names them in the plural. A list, a tuple and an array with equal items agree, but a string only
    agrees with a string, and 1 agrees with neither 1.0 nor True.

    >>> same([5, 3, 8], (5, 3, 8), what="token ids")
    3 token ids: identical
    >>> same([5, 3, 8], [5, 4, 8], what="token ids")
    Traceback (most recent call last):
    AssertionError: token ids: ours and theirs differ at item 1: 3 and 4
    """
    _refuse_itself(ours, theirs)
    a, b = _plain(ours), _plain(theirs)
    label = f"{what}: " if what else ""
    if _with_types(a) != _with_types(b):
        raise AssertionError(f"{label}ours and theirs differ{_where(a, b)}")
    if not isinstance(a, str | bytes | tuple | dict | set):
        print(f"{label}identical ({reprlib.repr(a)})")
    elif len(a) == 0:
        raise ValueError("nothing to compare: both are empty")
    else:
        print(f"{len(a):,} {what or 'items'}: identical")


def _plain(value: Any) -> Any:
    """Convert arrays and other iterables to tuples, mappings to dicts, and sets to sets."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {_plain(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Set):
        return set(map(_plain, value))
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return tuple(map(_plain, value))
    return value


def _with_types(value: Any) -> Any:
    """Pair every value with its type, because Python considers 1, 1.0 and True equal."""
    if isinstance(value, tuple | set):
        return type(value)(map(_with_types, value))
    if isinstance(value, dict):
        return {_with_types(key): _with_types(item) for key, item in value.items()}
    return (type(value), value) if value == value else object()  # a NaN equals nothing


def _where(a: Any, b: Any) -> str:
    """The first item in which two unequal values of one kind differ, or the values themselves."""
    if type(a) is type(b) and isinstance(a, dict | tuple | str | bytes):
        ours, theirs = (x if isinstance(x, dict) else dict(enumerate(x)) for x in (a, b))
        for item in ours | theirs:
            x, y = ours.get(item, "nothing"), theirs.get(item, "nothing")
            if _with_types(x) != _with_types(y):
                return f" at item {item!r}: {reprlib.repr(x)} and {reprlib.repr(y)}"
    if isinstance(a, set) and isinstance(b, set):
        return f": only ours has {reprlib.repr(a - b)}, only theirs has {reprlib.repr(b - a)}"
    return f": {reprlib.repr(a)} and {reprlib.repr(b)}"


def _refuse_itself(ours: object, theirs: object) -> None:
    # Python keeps a single copy of small numbers and of one-character strings.
    shared = isinstance(ours, int | float | complex)
    shared = shared or (isinstance(ours, str | bytes) and len(ours) == 1)
    if ours is theirs and not shared:
        raise ValueError(
            f"nothing to compare: both are the same object, {reprlib.repr(ours)} "
            "(is a return missing?)"
        )

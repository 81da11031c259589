"""Compare our result with an independent one, say how far apart they are, and stop if too far.

A chapter never writes "the two agree": it calls one of two functions, and the build fails if
they do not.

- `close` for measured numbers, which may differ by rounding: prints the largest difference;
- `same` for what must be identical (token ids, strings, merges): prints how many were compared.

Both are written so that they *can* fail. Nothing is broadcast, a NaN agrees with nothing (not even
with a NaN), comparing nothing with nothing is refused (None is nothing: two functions without a
`return` do not agree), and so is comparing an object with itself.

But:
- Whole numbers beyond 2**53 are rounded in `close` (`same` is exact).
- Python keeps one copy of every number, and of every string of one character, so these may be
  compared with themselves without anyone noticing.
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
    """Two results that should agree do not; the message says where and by how much."""


def close(ours: object, theirs: object, *, tolerance: float, what: str = "") -> None:
    """Print by how much two arrays are off at most; raise if that is above `tolerance`.

    Args:
        ours: numbers of any shape: NumPy array, torch tensor, nested lists, or one number.
        theirs: the same, of exactly the same shape. Equal infinities agree.
        tolerance: the largest difference allowed, in the unit of the numbers; 0 or more.
        what: the words that open the printed line, such as "attention weights".

    Raises:
        Disagreement: another shape, a NaN, an unmatched infinity, or too large a difference.
        ValueError: `tolerance` is negative or not finite, there is nothing to compare, or both
            are one and the same object.
        TypeError: something that is not numbers.

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
    for name, values in (("ours", a), ("theirs", b)):
        if np.isnan(values).any():
            index = [int(i) for i in np.argwhere(np.isnan(values))[0]]
            raise Disagreement(f"{label}{name} is NaN{f' at index {index}' if index else ''}")

    # Where both are the same infinity (a mask's), a - b would be NaN; equal is equal.
    with np.errstate(invalid="ignore"):
        difference = np.where(a == b, 0.0, np.abs(a - b))
    largest = float(difference.max())
    if largest > tolerance:
        at = np.unravel_index(int(difference.argmax()), difference.shape)
        where = f"at index {[int(i) for i in at]}, " if at else ""
        raise Disagreement(
            f"{label}the largest difference is {largest:.2g}, above the tolerance {tolerance:.2g}: "
            f"{where}ours is {a[at]} and theirs is {b[at]}"
        )
    numbers = "1 number" if a.size == 1 else f"{a.size:,} numbers"
    print(f"{label}off by {largest:.2g} ≤ {tolerance:.2g} ({numbers})")  # short: a phone shows it


def same(ours: object, theirs: object, *, what: str = "") -> None:
    """Print how many items were compared when they are identical; raise at the first that differs.

    What is counted are the items of the outermost collection: the rows of a table, say.

    Args:
        ours: string, bytes, list, tuple, dict, set, array, tensor, any iterable, or one value.
        theirs: the same. A list, a tuple and an array with equal items agree; a string agrees
            only with a string, 1 with neither 1.0 nor True.
        what: what the items are, in the plural, such as "pre-tokens".

    Raises:
        Disagreement: another kind or length, or the first position (or key) where they differ.
        ValueError: both are empty or None, or both are one and the same object.

    >>> same([5, 3, 8], (5, 3, 8), what="token ids")
    3 token ids: identical
    >>> same("lovely cat", "lovely bat", what="characters")
    Traceback (most recent call last):
        ...
    plainformer.verify.Disagreement: characters: first difference at index 7: ours has 'cat',
    theirs has 'bat'
    """
    _refuse_itself(ours, theirs)
    a, b = _plain(ours), _plain(theirs)
    label = f"{what}: " if what else ""
    if _kind(a) != _kind(b):
        raise Disagreement(f"{label}ours is a {_kind(a)}, theirs is a {_kind(b)}")
    if not isinstance(a, str | bytes | list | dict | frozenset):
        if _differ(a, b):
            raise Disagreement(f"{label}ours is {a!r}, theirs is {b!r}")
        print(f"{label}identical ({_short(a)})")
        return
    if len(a) == 0 and len(b) == 0:
        raise ValueError(f"nothing to compare: both are an empty {_kind(a)}")
    if _differ(a, b):
        raise Disagreement(label + _where(a, b))
    print(f"{len(a):,} {what or 'items'}: identical")


def _differ(a: Any, b: Any) -> bool:
    """Whether two plain values differ, at any depth, in kind or in value."""
    if type(a) is not type(b):
        return True
    if isinstance(a, list):
        return len(a) != len(b) or any(map(_differ, a, b))
    if isinstance(a, dict):
        return _with_kinds(a) != _with_kinds(b) or any(_differ(a[key], b[key]) for key in a)
    if isinstance(a, frozenset):
        return _with_kinds(a) != _with_kinds(b)
    return bool(a != b)


def _with_kinds(items: Iterable[Any]) -> dict[tuple[type, Any], Any]:
    """The items, told apart as Python's own sets do not: 1 and True are two of them."""
    return {(type(item), item): item for item in items}


def _where(a: Any, b: Any) -> str:
    """Say where two unequal collections of one kind part."""
    if type(a) in (dict, frozenset):
        what = "the key " if isinstance(a, dict) else ""
        left, right = _with_kinds(a), _with_kinds(b)
        for name, extra in (("ours", left.keys() - right), ("theirs", right.keys() - left)):
            if extra:
                first = min((item for _, item in extra), key=repr)
                return f"only {name} has {what}{_short(first)} ({len(extra):,} such)"
        key = next(key for key in a if _differ(a[key], b[key]))
        return f"at key {_short(key)}, ours has {_short(a[key])}, theirs has {_short(b[key])}"

    # A window of text reads better than one character; of a list, one item is enough.
    text = isinstance(a, str | bytes)
    pairs = enumerate(zip(a, b, strict=False))
    index = next((i for i, (x, y) in pairs if _differ(x, y)), None)
    lengths = f" (lengths {len(a):,} and {len(b):,})" if len(a) != len(b) else ""
    if index is None:  # one is the beginning of the other
        index = min(len(a), len(b))
        name, longer = ("ours", a) if len(a) > len(b) else ("theirs", b)
        rest = _short(longer[index : index + 20] if text else longer[index])
        return f"the first {index:,} are equal, then only {name} goes on, with {rest}{lengths}"
    x, y = (a[index : index + 20], b[index : index + 20]) if text else (a[index], b[index])
    return (
        f"first difference at index {index}: ours has {_short(x)}, theirs has {_short(y)}{lengths}"
    )


def _numbers(values: Any, name: str) -> NDArray[Any]:
    """Bring numbers of any library to float64 or complex128 (torch is used, never imported)."""
    try:
        array: NDArray[Any] = as_numpy(values)
    except (TypeError, ValueError) as error:
        kind = type(values).__name__
        raise TypeError(f"{name} must be a rectangular array of numbers; got {kind}") from error
    if array.dtype.kind not in "biufc":
        raise TypeError(f"{name} must be numbers; got {type(values).__name__} of {array.dtype}")
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def _plain(value: object) -> Any:
    """Arrays, tensors, tuples and iterators become lists; mappings dicts; sets frozensets."""
    if isinstance(value, str | bytes) or hasattr(value, "tolist"):
        return _leaf(value)
    if isinstance(value, Mapping):
        return {_leaf(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Set):
        return frozenset(map(_leaf, value))
    if isinstance(value, Iterable):
        return [_plain(item) for item in value]
    return value


def _leaf(value: Any) -> Any:
    """Python's own kind of a string, a number or an array, for NumPy and torch have others."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bytes):
        return bytes.__getitem__(value, slice(None))
    return value.tolist() if hasattr(value, "tolist") else value


def _kind(value: object) -> str:
    names: dict[type, str] = {list: "sequence", dict: "mapping", frozenset: "set", str: "string"}
    return names.get(type(value), type(value).__name__)


def _short(value: object, width: int = 60) -> str:
    text = repr(value)
    return text if len(text) <= width else text[: width - 1] + "…"


def _refuse_itself(ours: object, theirs: object) -> None:
    if ours is None and theirs is None:
        raise ValueError("nothing to compare: both are None (is a return missing?)")
    shared = isinstance(ours, int | float | complex)  # Python has one 7, but many lists
    shared = shared or (isinstance(ours, str | bytes) and len(ours) == 1)
    if ours is theirs and not shared:
        raise ValueError("ours and theirs are one and the same object: that shows nothing")

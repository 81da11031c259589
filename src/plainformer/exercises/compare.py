"""Say *what* differs between an answer and the expected one, in words, or that nothing does.

There are two ways to compare: `Exact` for text, ids, lists and dicts, and `Arrays` for NumPy and
torch arrays, which may differ by rounding. Both return None for equal values and otherwise one
sentence that starts with what the reader would look at first: the type, then the length or shape,
then the first place that is wrong.

A public example may show its answer; a generated one must not give the answer away. So every
sentence is written with `reveal` on or off: when it is off, the sentence names the position and
the kind of difference, but not the value.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Set
from itertools import islice
from typing import Any, Protocol

import numpy as np

from plainformer.arrays import as_numpy

__all__ = [
    "Arrays",
    "Compare",
    "Exact",
    "as_code",
    "brief",
    "describe_size",
    "describe_type",
    "safe_repr",
    "shorten",
]

_NUMBER = (int, float, np.integer, np.floating)


class Compare(Protocol):
    """How the answers of an exercise are compared and printed."""

    def difference(self, expected: Any, got: Any, *, reveal: bool = True) -> str | None:
        """One sentence on the first difference, or None when there is none."""
        ...

    def show(self, value: Any) -> str:
        """The value in a form that fits a message."""
        ...


class Exact:
    """Equal values of equal types, inside lists, tuples and dicts too.

    A subclass is accepted (a Counter where a dict is expected). The order of a dict's keys does
    not matter, nor does it matter whether a whole number is Python's or NumPy's.

    >>> print(Exact().difference(["ab", "c"], ["ab", "d"]))
    at index 1, yours is 'd' but should be 'c'
    >>> print(Exact().difference({"a": 1}, {"a": 1, "b": 1}, reveal=False))
    it has a key that should not be there: 'b'
    >>> Exact().difference([1, 2], [1, 2]) is None
    True
    """

    def difference(self, expected: Any, got: Any, *, reveal: bool = True) -> str | None:
        return _difference(expected, got, reveal)

    def show(self, value: Any) -> str:
        return brief(value)


class Arrays:
    """Numbers within a tolerance, in an array of the same library, dtype and shape.

    Args:
        rtol: relative tolerance.
        atol: absolute tolerance.
        dtype: also compare the dtype (float32 with float32); off, any numbers will do.

    >>> compare = Arrays()
    >>> print(compare.difference(np.zeros((2, 3)), np.zeros((3, 2))))
    its shape is (3, 2) but should be (2, 3)
    >>> print(compare.difference(np.array([0.5, 0.5]), np.array([0.5, np.nan])))
    it has 1 NaN, the first at index [1]
    >>> compare.difference(np.array([0.3]), np.array([0.1 + 0.2])) is None
    True
    """

    def __init__(self, rtol: float = 1e-6, atol: float = 1e-9, *, dtype: bool = True) -> None:
        self.rtol, self.atol, self.dtype = rtol, atol, dtype

    def difference(self, expected: Any, got: Any, *, reveal: bool = True) -> str | None:
        if isinstance(expected, tuple):  # several arrays, each compared with its counterpart
            if not isinstance(got, tuple) or len(got) != len(expected):
                kind = "numbers" if all(isinstance(x, _NUMBER) for x in expected) else "arrays"
                return f"it should be a tuple of {len(expected)} {kind}, not {describe_size(got)}"
            for i, (one, other) in enumerate(zip(expected, got, strict=True)):
                if said := self.difference(one, other, reveal=reveal):
                    return f"in part {i} of the tuple, {said}"
            return None
        if isinstance(expected, bool | np.bool_):  # 1 == True in Python, but not here
            return _difference(bool(expected), got, reveal)
        if isinstance(expected, _NUMBER):  # one number: a 0-d array will do
            if (
                isinstance(got, str | bool | np.bool_)
                or not hasattr(got, "__float__")
                or as_numpy(got).ndim
            ):
                return f"it should be a number, not {describe_type(got)}"
            return self._values(as_numpy(expected), as_numpy(got), reveal)
        library = type(expected).__module__.partition(".")[0]
        if not hasattr(got, "shape") or type(got).__module__.partition(".")[0] != library:
            right = "a torch tensor" if library == "torch" else "a NumPy array"
            return f"it should be {right}, not {describe_type(got)}"
        if tuple(got.shape) != tuple(expected.shape):
            return f"its shape is {tuple(got.shape)} but should be {tuple(expected.shape)}"
        if self.dtype and got.dtype != expected.dtype:
            return f"its dtype is {got.dtype} but should be {expected.dtype}"
        return self._values(as_numpy(expected), as_numpy(got), reveal)

    def _values(self, want: Any, have: Any, reveal: bool) -> str | None:
        if have.dtype.kind not in "biufc":
            return f"it should hold numbers; its dtype is {have.dtype}"
        nan = np.isnan(have) & ~np.isnan(want)
        if nan.any():
            return f"it has {int(nan.sum())} NaN, the first at index {_first(nan)}"
        wrong = ~np.isclose(have, want, rtol=self.rtol, atol=self.atol, equal_nan=True)
        if not wrong.any():
            return None
        at = tuple(_first(wrong))
        where = f"at index {list(at)}, " if at else ""
        right = f"but should be {want[at]:.6g}" if reveal else "which is not right"
        said = f"{where}yours is {have[at]:.6g} {right}"
        if not at:  # one number
            return said
        said += f"; {int(wrong.sum())} of {wrong.size} differ"
        for name, moved in _rearranged(want):
            if moved.shape == have.shape and np.allclose(moved, have, self.rtol, self.atol):
                return f"{said}: yours is right except that it is {name}"
        return said

    def show(self, value: Any) -> str:
        if hasattr(value, "shape") and tuple(value.shape):
            numbers = as_numpy(value)
            # NumPy leaves out the middle of a long axis, but prints many short axes in full.
            if math.prod(min(n, 7) for n in numbers.shape) > 10_000:
                numbers = numbers.reshape(-1)
            text = np.array2string(numbers, precision=4, threshold=36, separator=", ")
            return f"array of shape {tuple(value.shape)}:\n{text}"
        return brief(value)


def describe_type(value: Any) -> str:
    """Name a value's type as one would say it: "a list", "a generator", "None", "a function"."""
    if value is None:
        return "None"
    if inspect.iscoroutine(value):
        return "a coroutine (is there an `async` before your `def`?)"
    if inspect.isgenerator(value):
        return "a generator (did you mean to collect what it yields in a list?)"
    if isinstance(value, type):
        return f"the type {value.__name__} itself"
    name = type(value).__name__
    if hasattr(value, "__next__") or isinstance(value, range):
        return f"a {name} object (did you mean to collect it in a list?)"
    names = {"ndarray": "NumPy array", "Tensor": "torch tensor", "str": "string (str)"}
    names |= {"bytes": "bytes object", "int": "whole number (int)", "function": "function"}
    said = names.get(name, name)
    return f"an {said}" if said[0].lower() in "aeio" else f"a {said}"


def describe_size(value: Any) -> str:
    """Name a value's type and size but not the value: all that may be said about a hidden answer.

    >>> describe_size(["ab", "c"]), describe_size({}), describe_size("ab")
    ('a list of 2 items', 'a dict of 0 keys', 'a string (str) of 2 characters')
    >>> describe_size(3), describe_size(np.zeros((2, 3)))
    ('a whole number (int)', 'a NumPy array of shape (2, 3) and dtype float64')
    """
    said = describe_type(value)
    if hasattr(value, "shape"):
        return f"{said} of shape {tuple(value.shape)} and dtype {value.dtype}"
    units = {str: "characters", bytes: "bytes", dict: "keys"}
    if isinstance(value, str | bytes | dict | list | tuple | set | frozenset):
        unit = next((unit for kind, unit in units.items() if isinstance(value, kind)), "items")
        return f"{said} of {len(value)} {unit if len(value) != 1 else unit[:-1]}"
    return said


def as_code(value: Any, limit: int = 300) -> str | None:
    """An array as code, with its numbers rounded to four decimals; None for everything else.

    The numbers are rounded to be readable, so a call that is pasted from a message is nearly the
    call that failed. If the array has more than `limit` numbers, only the first are written.

    >>> as_code(np.array([[1.0, 2 / 3], [0.0, -1.0]]))
    'np.array([[1.0, 0.6667], [0.0, -1.0]])'
    >>> as_code(np.zeros((0, 3))), as_code([1, 2])
    ('np.zeros((0, 3))', None)
    """
    if not hasattr(value, "shape") or not tuple(value.shape):
        return None
    torch = type(value).__module__.partition(".")[0] == "torch"
    numbers = as_numpy(value)
    if not numbers.size:
        return f"{'torch' if torch else 'np'}.zeros({tuple(numbers.shape)})"
    rest = ""
    if numbers.size > limit:
        numbers, rest = numbers.reshape(-1)[:limit], " …"
    numbers = np.round(numbers, 4) if numbers.dtype.kind in "fc" else numbers
    return f"{'torch.tensor' if torch else 'np.array'}({numbers.tolist()}{rest})"


def safe_repr(value: Any, show: Callable[[Any], str] = repr) -> str:
    """The value as Python shows it (or as `str` does), even when its own method fails."""
    try:
        return show(value)
    except (Exception, SystemExit):
        return f"<{type(value).__name__} that cannot be shown>"


def shorten(text: str, width: int = 200) -> str:
    """Cut a long text in the middle, where it hurts least."""
    if len(text) <= width:
        return text
    half = (width - 3) // 2
    return f"{text[:half]} … {text[-half:]}"


def brief(value: Any) -> str:
    """The value as Python shows it, shortened in the middle; of a long list only the ends are
    formatted.

    >>> brief(list(range(10**6))).startswith("[0, 1, 2, 3, "), len(brief("x" * 10**6))
    (True, 199)
    """
    if type(value) in (list, tuple, str, bytes, bytearray) and len(value) > 1000:
        start, end = safe_repr(value[:500]), safe_repr(value[-500:])
        return shorten(start[:-1] + end[1:])
    if type(value) is dict and len(value) > 1000:
        return shorten(safe_repr(dict(islice(value.items(), 500)))[:-1] + ", …}")
    return shorten(safe_repr(value))


def _difference(want: Any, have: Any, reveal: bool) -> str | None:
    """The first difference of two values, recursively."""
    if not _same_type(want, have):
        return f"it should be {describe_type(want)}, not {describe_type(have)}"
    if isinstance(want, Mapping):
        return _difference_of_keys(want, have, reveal)
    if isinstance(want, list | tuple):
        for i, (one, other) in enumerate(zip(want, have, strict=False)):
            if (said := _difference(one, other, reveal)) is not None:
                return _at(f"index {i}", one, other, said, reveal)
        return _length(want, have, "items")
    if isinstance(want, str | bytes):
        if _equal(want, have):
            return None
        at = next((i for i, (x, y) in enumerate(zip(want, have, strict=False)) if x != y), None)
        if at is None:
            return _length(want, have, "characters" if isinstance(want, str) else "bytes")
        rest = shorten(safe_repr(have[at : at + 1000]), 60)
        return f"it is wrong from index {at} on, where yours goes on with {rest}"
    if isinstance(want, Set):
        return _difference_of_sets(want, have)
    if _equal(want, have):
        return None
    return f"yours is {have!r} but should be {want!r}" if reveal else f"{have!r} is not right"


def _equal(want: Any, have: Any) -> bool:
    """Compare two single values by their built-in types, whatever a subclass's `__eq__` may
    say."""
    for kind in (bool, int, float, str, bytes):
        if isinstance(want, kind):
            plain = have.item() if hasattr(have, "item") else have  # NumPy's numbers
            # The second half: a NaN where a NaN is expected.
            same: Any = kind.__eq__
            return same(want, plain) is True or (want != want and plain != plain)
    return bool(want == have)


def _difference_of_keys(
    want: Mapping[Any, Any], have: Mapping[Any, Any], reveal: bool
) -> str | None:
    extra = [key for key in have if key not in want]
    missing = [key for key in want if key not in have]
    if extra and want and not _same_type(next(iter(want)), extra[0]):
        kind, key = describe_type(next(iter(want))), shorten(repr(extra[0]), 60)
        return f"its keys should each be {kind}; {key} is {describe_type(extra[0])}"
    if extra:
        return f"it has a key that should not be there: {shorten(repr(extra[0]), 60)}"
    if missing:
        which = f": {shorten(repr(missing[0]), 60)}" if reveal else f" ({len(missing)} in all)"
        return f"a key is missing{which}"
    for key in want:
        if (said := _difference(want[key], have[key], reveal)) is not None:
            return _at(f"key {shorten(repr(key), 60)}", want[key], have[key], said, reveal)
    return None


def _difference_of_sets(want: Set[Any], have: Set[Any]) -> str | None:
    if extra := [item for item in have if item not in want]:
        return f"it has an item that should not be there: {shorten(repr(extra[0]), 60)}"
    missing = sum(item not in have for item in want)
    return f"items are missing ({missing} of {len(want)})" if missing else None


def _at(place: str, want: Any, have: Any, said: str, reveal: bool) -> str:
    """Name the place and, if they are short enough to be shown whole, the two values there."""
    plain = isinstance(want, str | bytes | int | float | tuple) and len(repr(want)) <= 60
    if not (plain and _same_type(want, have)):
        return f"at {place}, {said}"
    right = f"but should be {want!r}" if reveal else "which is not right"
    return f"at {place}, yours is {shorten(repr(have), 60)} {right}"


def _length(want: Any, have: Any, unit: str) -> str | None:
    if len(want) == len(have):
        return None
    more = "goes on too long" if len(have) > len(want) else "stops too soon"
    counted = f"{len(have)} {unit if len(have) != 1 else unit.removesuffix('s')}"
    return f"it {more}: {counted}, and it should be {len(want)}"


def _same_type(want: Any, have: Any) -> bool:
    if isinstance(want, bool | np.bool_) or isinstance(have, bool | np.bool_):
        return isinstance(want, bool | np.bool_) and isinstance(have, bool | np.bool_)
    if isinstance(want, int | float):
        return isinstance(have, int | np.integer if isinstance(want, int) else float | np.floating)
    return isinstance(have, type(want))


def _first(where: Any) -> list[int]:
    return [int(i) for i in np.argwhere(where)[0]]


def _rearranged(want: Any) -> list[tuple[str, Any]]:
    if want.ndim < 2:
        return [("in reverse order", want[::-1])] if want.ndim == 1 else []
    return [
        ("transposed (rows and columns swapped)", np.swapaxes(want, -1, -2)),
        ("upside down (rows in reverse order)", want[..., ::-1, :]),
    ]

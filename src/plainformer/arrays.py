"""Conversions and checks of arguments that the formulas share, whichever library an array is from.

A formula of this course is written once, against the Python array API standard: it looks up the
library of its arguments (``xp = array_namespace(x)``) and calls only functions of ``xp``. The same
line therefore runs on NumPy, for reading and plotting, and on torch, for training.

The standard does not cover automatic differentiation or writing into an array, so a formula that is
to run on every library uses neither.
"""

from __future__ import annotations

import math
import numbers
import operator
from collections.abc import Sequence
from functools import cache
from typing import Any

import array_api_compat
import numpy as np

__all__ = [
    "Array",
    "as_array",
    "as_floats",
    "as_integers",
    "as_numpy",
    "asarray_like",
    "broadcasts",
    "check_base",
    "check_choice",
    "check_flag",
    "check_number",
    "check_size",
    "default_float",
    "is_integer",
]

Array = Any
"""An array of a library that follows the standard. (The standard has no type of its own yet.)"""


def as_array(value: Any, name: str) -> Array:
    """Return an array unchanged, and convert nested lists and numbers to a NumPy array.

    >>> as_array([[1, 2], [3, 4]], "ids").shape
    (2, 2)
    >>> as_array("cat", "ids")
    Traceback (most recent call last):
    TypeError: ids must be an array of numbers; got str
    """
    if array_api_compat.is_array_api_obj(value) and not isinstance(value, np.generic):
        array = value
    else:
        try:
            array = np.asarray(value)
        except ValueError as error:  # rows of different lengths
            raise TypeError(f"{name} must be a rectangular array of numbers") from error
    if not _is_numeric(array_api_compat.array_namespace(array), array.dtype):
        what = array.dtype if array is value else type(value).__name__
        raise TypeError(f"{name} must be an array of numbers; got {what}")
    return array


def as_floats(**named: Any) -> list[Array]:
    """Return arrays of one library as floats of one dtype, the widest among them.

    Each is passed under the name of the caller's argument.

    >>> q, k = as_floats(q=[[1, 2]], k=np.zeros((3, 2), dtype=np.float32))
    >>> q.dtype, k.dtype
    (dtype('float64'), dtype('float64'))
    """
    first, *rest = named.values()
    if (
        array_api_compat.is_array_api_obj(first)
        and (not rest or all(type(x) is type(first) and x.dtype == first.dtype for x in rest))
        and _is_float(array_api_compat.array_namespace(first), first.dtype)
    ):
        return [first, *rest]  # the common case, in which nothing has to be converted
    arrays = [as_array(value, name) for name, value in named.items()]
    *others, last = named
    names = f"{', '.join(others)} and {last}" if others else last
    try:
        xp = array_api_compat.array_namespace(*arrays)
    except TypeError:
        kinds = ", ".join(f"{type(a).__module__}.{type(a).__name__}" for a in arrays)
        raise TypeError(f"{names} must be arrays of one library; got {kinds}") from None
    if any(xp.isdtype(array.dtype, "complex floating") for array in arrays):
        kinds = ", ".join(str(array.dtype) for array in arrays)
        raise TypeError(f"{names} must be real numbers; got {kinds}")
    dtypes = {default_float(array) for array in arrays}
    dtype = dtypes.pop() if len(dtypes) == 1 else xp.result_type(*dtypes)
    return [xp.astype(array, dtype, copy=False) for array in arrays]


def as_numpy(array: Array) -> Any:
    """Convert an array to NumPy, leaving torch's gradients and device behind.

    A torch array of floats becomes float64, because NumPy lacks bfloat16.
    """
    if hasattr(array, "detach"):  # a torch tensor, perhaps on a GPU
        array = array.detach().cpu()
        array = array.double() if array.is_floating_point() else array
    return np.asarray(array)


def as_integers(value: object, name: str) -> Array:
    """Return an array of whole numbers unchanged, and convert nested lists of them to NumPy.

    >>> as_integers([1.0, 2.0], "ids")
    Traceback (most recent call last):
    TypeError: ids must be whole numbers; got an array of float64
    """
    array = as_array(value, name)
    if isinstance(value, list | tuple) and 0 in array.shape:
        array = np.zeros(array.shape, dtype=np.int64)  # an empty list says nothing about its type
    if not is_integer(array):
        raise TypeError(f"{name} must be whole numbers; got an array of {array.dtype}")
    return array


def asarray_like(array: Array, like: Array) -> Array:
    """Move an array to the library and device of another, without changing its dtype.

    An error is raised if the other cannot hold it: NumPy has neither gradients nor bfloat16.
    """
    if isinstance(array, np.ndarray) and isinstance(like, np.ndarray):
        return array
    xp, device = array_api_compat.array_namespace(like), array_api_compat.device(like)
    if array_api_compat.array_namespace(array) is xp:
        return array_api_compat.to_device(array, device)  # gradients flow through this
    try:
        return xp.asarray(array, device=device)
    except (RuntimeError, TypeError) as error:
        here, there = (type(each).__module__.partition(".")[0] for each in (array, like))
        raise TypeError(
            f"arrays must come from one library; got one from {here} ({array.dtype}) that {there}, "
            f"which another comes from, cannot convert: {error}"
        ) from error


def broadcasts(shape: Sequence[int], to: Sequence[int]) -> bool:
    """Whether an array of one shape broadcasts to the other without enlarging it.

    >>> broadcasts((1, 4), to=(2, 3, 4)), broadcasts((2, 1), to=(1, 4))
    (True, False)
    """
    fits = (a in (1, b) for a, b in zip(reversed(shape), reversed(to), strict=False))
    return len(shape) <= len(to) and all(fits)


def is_integer(array: Array) -> bool:
    """Whether an array has an integer dtype, whatever its values happen to be."""
    xp = array_api_compat.array_namespace(array)
    return bool(xp.isdtype(array.dtype, "integral"))


def default_float(array: Array) -> Any:
    """Return the dtype of a result: the array's own if it is floating, or its library's default."""
    xp = array_api_compat.array_namespace(array)
    if xp.isdtype(array.dtype, "real floating"):
        return array.dtype
    return xp.asarray(0.5).dtype


def check_size(value: Any, name: str, *, least: int = 1) -> int:
    """Return a count as an int, after checking that it is a whole number of at least `least`.

    >>> check_size(0, "d_model")
    Traceback (most recent call last):
    ValueError: d_model must be 1 or more; got 0
    """
    if isinstance(value, bool):
        raise TypeError(f"{name} must be a whole number; got {value}")
    try:
        number = operator.index(value)
    except TypeError:
        kind = type(value).__name__
        raise TypeError(f"{name} must be a whole number; got {value!r} ({kind})") from None
    if number < least:
        raise ValueError(f"{name} must be {least} or more; got {number}")
    return number


def check_number(value: object, name: str) -> float:
    """Return a finite real number of Python or NumPy as a float."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a number; got {type(value).__name__}")
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite; got {value}")
    return number


def check_flag(value: object, name: str) -> bool:
    """Return True or False, and refuse values such as "no", which Python would treat as True."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False; got {value!r} ({type(value).__name__})")
    return bool(value)


def check_choice(value: object, name: str, choices: Sequence[str | None]) -> Any:
    """Return a value that must be one of a few choices.

    >>> check_choice("max", "how", ["sum", "mean"])
    Traceback (most recent call last):
    ValueError: how must be 'sum' or 'mean'; got 'max'
    """
    if not (value is None or isinstance(value, str)) or value not in choices:
        *others, last = map(repr, choices)
        allowed = f"{', '.join(others)} or {last}" if others else last
        raise ValueError(f"{name} must be {allowed}; got {value!r}")
    return value


def check_base(base: object, name: str = "base") -> float:
    """Return the base of a geometric series of wavelengths as a float, finite and above 1."""
    number = check_number(base, name)
    if number <= 1:
        raise ValueError(f"{name} must be finite and above 1; got {base}")
    return number


@cache
def _is_float(xp: Any, dtype: Any) -> bool:
    """Whether an array needs no conversion; cached like `_is_numeric`."""
    return _is_numeric(xp, dtype) and bool(xp.isdtype(dtype, "real floating"))


@cache
def _is_numeric(xp: Any, dtype: Any) -> bool:
    """Whether a dtype is numeric; cached, because asking takes most of a short call (5 of 6 µs)."""
    try:
        return bool(xp.isdtype(dtype, "numeric"))
    except (TypeError, AttributeError):
        return False

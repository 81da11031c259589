"""What the formulas ask of an array, whichever library it comes from.

A formula of this course is written once, against the Python array API standard: it looks up the
library of its arguments (``xp = array_namespace(x)``) and calls nothing but ``xp``. So the same
line runs on NumPy, to read and to plot, and on torch, to train. Here is what several of them share.

But: the standard says nothing about automatic differentiation, nor about writing into an array. A
formula that uses neither works for both.
"""

from __future__ import annotations

import math
import numbers
import operator
from collections.abc import Sequence
from functools import cache
from typing import Any, cast

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
    "check_length",
    "check_number",
    "check_size",
    "default_float",
    "is_integer",
    "widen",
]

Array = Any
"""An array of a library that follows the standard. (The standard has no type of its own yet.)"""


def as_array(value: Any, name: str) -> Array:
    """Return an array as it is; nested lists and numbers, NumPy's too, become NumPy arrays.

    Args:
        value: an array of any library, or numbers.
        name: what the caller's argument is called.

    Raises:
        TypeError: `value` is neither.

    >>> as_array([[1, 2], [3, 4]], "ids").shape
    (2, 2)
    >>> as_array("cat", "ids")
    Traceback (most recent call last):
    TypeError: ids must be an array of numbers; got str
    """
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(
            f"{name} must be a plain array; got a masked one, whose mask would not be seen here"
        )
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

    Args:
        named: each array, or numbers, under the name of the caller's argument.

    Raises:
        TypeError: they are of several libraries, or no real numbers.

    >>> q, k = as_floats(q=[[1, 2]], k=np.zeros((3, 2), dtype=np.float32))
    >>> q.dtype, k.dtype
    (dtype('float64'), dtype('float64'))
    """
    first, *rest = named.values()
    if array_api_compat.is_array_api_obj(first) and all(
        type(x) is type(first) and x.dtype == first.dtype for x in rest
    ):
        xp, kind = array_api_compat.array_namespace(first), cast(Any, type(first))
        if _is_plain_float(xp, kind, first.dtype):
            return [first, *rest]  # as in every call of a model: nothing is left to do
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
    """Return what is to be computed with in NumPy; torch's gradients and device are left behind.

    A torch array of floats becomes float64: NumPy has no bfloat16.

    >>> as_numpy([1, 2])
    array([1, 2])
    """
    if hasattr(array, "detach"):  # torch's, perhaps on a GPU
        array = array.detach().cpu()
        array = array.double() if array.is_floating_point() else array
    return np.asarray(array)


def as_integers(value: object, name: str) -> Array:
    """Return an array of whole numbers as it is; nested lists of them become NumPy arrays.

    Raises:
        TypeError: they are no whole numbers.

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
    """Return an array in the library and on the device of another; its dtype stays.

    Raises:
        TypeError: the other library cannot take it: NumPy has no gradients and no bfloat16.

    >>> asarray_like(np.asarray([1, 2]), like=np.asarray(0.5))
    array([1, 2])
    """
    xp, device = array_api_compat.array_namespace(like), array_api_compat.device(like)
    if array_api_compat.array_namespace(array) is xp:
        return array_api_compat.to_device(array, device)  # gradients flow through
    try:
        return xp.asarray(array, device=device)
    except (RuntimeError, TypeError) as error:
        here, there = (type(each).__module__.partition(".")[0] for each in (array, like))
        raise TypeError(
            f"arrays must be of one library here: one of {here} ({array.dtype}) stands beside one "
            f"of {there}, which cannot take it: {error}"
        ) from error


def broadcasts(shape: Sequence[int], to: Sequence[int]) -> bool:
    """Whether an array of one shape stretches to the other, which stays as it is.

    >>> broadcasts((1, 4), to=(2, 3, 4)), broadcasts((2, 1), to=(1, 4))
    (True, False)
    """
    fits = (a in (1, b) for a, b in zip(reversed(shape), reversed(to), strict=False))
    return len(shape) <= len(to) and all(fits)


def is_integer(array: Array) -> bool:
    """Whether an array holds whole numbers by its type, not by chance.

    >>> is_integer(np.asarray([1, 2])), is_integer(np.asarray([1.0, 2.0]))
    (True, False)
    """
    xp = array_api_compat.array_namespace(array)
    return bool(xp.isdtype(array.dtype, "integral"))


def default_float(array: Array) -> Any:
    """Return the dtype of a result: the array's own if it is floating, else its library's default.

    >>> default_float(np.asarray([1, 2], dtype=np.int32))
    dtype('float64')
    >>> default_float(np.asarray([0.5], dtype=np.float32))
    dtype('float32')
    """
    xp = array_api_compat.array_namespace(array)
    if xp.isdtype(array.dtype, "real floating"):
        return array.dtype
    return xp.asarray(0.5).dtype


def widen(array: Array) -> Array:
    """Return floats that are fit to be added up: those of half precision as float32.

    In float16 nothing is larger than 65,504, and 2,048 + 1 is 2,048 again.

    >>> widen(np.ones(3, dtype=np.float16)).dtype, widen(np.ones(3)).dtype
    (dtype('float32'), dtype('float64'))
    """
    xp = array_api_compat.array_namespace(array)
    return array if xp.finfo(array.dtype).bits >= 32 else xp.astype(array, xp.float32)


def check_size(value: Any, name: str, *, least: int = 1) -> int:
    """Return a whole number that counts something, as an int.

    Raises:
        TypeError: it is no whole number.
        ValueError: it is below `least`.

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


def check_length(value: object, name: str, *, least: int = 0) -> int:
    """Return a whole number that may be the length of an array's axis.

    Arrays count their bytes in int64. Near 2**63 NumPy's `arange` makes floats, or nothing at all.

    >>> check_length(2**63, "T")
    Traceback (most recent call last):
    ValueError: T must be below 2**60; got 9223372036854775808
    """
    number = check_size(value, name, least=least)
    if number >= 2**60:
        raise ValueError(f"{name} must be below 2**60; got {number}")
    return number


def check_number(value: object, name: str) -> float:
    """Return a finite real number, Python's or NumPy's, as a float.

    >>> check_number(float("nan"), "k")
    Traceback (most recent call last):
    ValueError: k must be finite; got nan
    """
    number = _as_float(value, name)
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite; got {value}")
    return number


def check_flag(value: object, name: str) -> bool:
    """Return True or False; "no" is neither, and Python would take it for True.

    >>> check_flag("no", "causal")
    Traceback (most recent call last):
    TypeError: causal must be True or False; got 'no' (str)
    """
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False; got {value!r} ({type(value).__name__})")
    return bool(value)


def check_choice(value: object, name: str, choices: Sequence[str | None]) -> Any:
    """Return what must be one of a few values.

    >>> check_choice("max", "how", ["sum", "mean"])
    Traceback (most recent call last):
    ValueError: how must be 'sum' or 'mean'; got 'max'
    """
    if not (value is None or isinstance(value, str)) or value not in choices:
        *others, last = map(repr, choices)
        raise ValueError(f"{name} must be {', '.join(others)} or {last}; got {value!r}")
    return value


def check_base(base: object, name: str = "base") -> float:
    """Return the base of a ladder of wavelengths as a float; it must be finite and above 1.

    >>> check_base(1)
    Traceback (most recent call last):
    ValueError: base must be finite and above 1; got 1
    """
    number = _as_float(base, name)
    if not (math.isfinite(number) and number > 1):
        raise ValueError(f"{name} must be finite and above 1; got {base}")
    return number


@cache
def _is_plain_float(xp: Any, kind: Any, dtype: Any) -> bool:
    """Kept, as below. A masked array is none: what its mask hides would be computed with."""
    return _is_numeric(xp, dtype) and (
        bool(xp.isdtype(dtype, "real floating")) and not issubclass(kind, np.ma.MaskedArray)
    )


@cache
def _is_numeric(xp: Any, dtype: Any) -> bool:
    """Kept, for to ask a library takes most of a short call: 5 microseconds of 6."""
    try:
        return bool(xp.isdtype(dtype, "numeric"))
    except (TypeError, AttributeError):
        return False


def _as_float(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a number; got {type(value).__name__}")
    try:
        return float(value)
    except OverflowError:  # a whole number beyond any float
        return math.inf

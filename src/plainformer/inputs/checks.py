"""Checks of ids, of positions, and of the options of rotary positions.

These are the checks that a shape in a signature cannot express. `plainformer.arrays` has those that
all parts of the course share.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import array_api_compat
import numpy as np

from plainformer.arrays import (
    Array,
    as_array,
    as_integers,
    asarray_like,
    broadcasts,
    check_base,
    check_choice,
    check_length,
    check_number,
    check_size,
    default_float,
    is_integer,
)

__all__ = [
    "Layout",
    "as_ids",
    "as_positions",
    "as_table",
    "check_alibi",
    "check_even",
    "check_layout",
    "check_positions",
    "check_rope",
    "check_rope_scaling",
    "check_rotated",
    "is_scalar",
]

Layout = Literal["interleaved", "half"]


# Ids


def as_ids(ids: object, size: int, *, name: str = "ids", like: Array = None) -> Array:
    """Return ids as an int64 array, each from 0 to `size` - 1.

    NumPy treats -1 as the last row and torch treats bytes as a mask, but here every id outside the
    table is an error, which says what the id is and where.

    Args:
        ids: (...,) whole numbers, an array of any library or a list.
        size: the number of rows in the table.
        name: what the caller's argument is called.
        like: an array whose library and device the result has; None keeps those of the ids.

    Raises:
        TypeError: `ids` are not whole numbers.
        ValueError: an id is below 0 or not below `size`.

    >>> as_ids([[1, 2], [3, 7]], 5)
    Traceback (most recent call last):
    ValueError: ids must be from 0 to 4, because there are 5 rows; got 7 at index [1, 1]
    """
    array = as_integers(ids, name)
    if like is not None:
        array = asarray_like(array, like)
    given, xp = array, array_api_compat.array_namespace(array)
    array = xp.astype(
        array, xp.int64
    )  # numbers that are too large become negative, and are refused
    wrong = (array < 0) | (array >= size)
    if bool(xp.any(wrong)):
        index = [int(axis[0]) for axis in xp.nonzero(xp.reshape(wrong, wrong.shape or (1,)))]
        found = int(array[tuple(index)] if array.ndim else array)
        if xp.isdtype(given.dtype, "unsigned integer"):
            found %= 2**64
        where = f" at index {index}" if array.ndim else ""
        rows = f"because there are {size} rows" if size != 1 else "because there is 1 row"
        raise ValueError(f"{name} must be from 0 to {size - 1}, {rows}; got {found}{where}")
    return array


def as_table(table: Any) -> Array:
    """Return a table of one row for each token, (V, D)."""
    table = as_array(table, "table")
    if table.ndim != 2 or table.shape[0] == 0:
        raise ValueError(f"table must be (V, D) with V of 1 or more; got {tuple(table.shape)}")
    return table


# Positions


def as_positions(length_or_positions: object, *, like: Array = None) -> Array:
    """Return positions as an array: 0, 1, 2, … for a length, and an array unchanged.

    Args:
        length_or_positions: how many positions from 0 on, or the positions themselves, an array or
            a list of any shape, which may be fractional or negative. A number is a length, and a
            0-dimensional array is a position.
        like: an array whose library and device the result has. A length gives whole numbers
            whatever its dtype, because bfloat16 cannot represent 257.

    Raises:
        TypeError: something other than a whole number or an array of real numbers.
        ValueError: a length below 0, or a position that is not finite.

    >>> as_positions(3).tolist()
    [0, 1, 2]
    >>> as_positions([0.5, -2.0]).tolist()
    [0.5, -2.0]
    """
    if is_scalar(length_or_positions):
        positions = np.arange(check_length(length_or_positions, "length"))
    else:
        positions = as_array(length_or_positions, "positions")
    if like is not None:
        positions = asarray_like(positions, like)
    xp = array_api_compat.array_namespace(positions)
    if xp.isdtype(positions.dtype, "complex floating"):
        raise TypeError(f"positions must be real numbers; got {positions.dtype}")
    if not is_integer(positions) and not bool(xp.all(xp.isfinite(positions))):
        raise ValueError("positions must be finite; got a NaN or an infinity")
    return positions


def is_scalar(length_or_positions: object) -> bool:
    """Whether it is a number, which counts positions, and not an array or list of positions.

    >>> is_scalar(3), is_scalar(np.int64(3)), is_scalar([3]), is_scalar(np.asarray(3))
    (True, True, False, False)
    """
    if isinstance(length_or_positions, list | tuple | range):
        return False
    is_array = array_api_compat.is_array_api_obj(length_or_positions)
    return not is_array or isinstance(length_or_positions, np.generic)


def check_positions(x: Array, positions: Any, offset: Any) -> Array:
    """The positions of x's vectors, an array of x's library that broadcasts to x.shape[:-1]."""
    offset = check_size(offset, "offset", least=0)
    shape = tuple(x.shape[:-1])
    if positions is None:
        if not shape:
            raise ValueError(
                "x must have an axis of positions before its last one, or positions must be given; "
                f"got shape {tuple(x.shape)}"
            )
        xp, device = array_api_compat.array_namespace(x), array_api_compat.device(x)
        return xp.arange(offset, offset + shape[-1], device=device)
    if offset:
        raise ValueError(
            f"offset must be 0 when positions are given, because they include it; got {offset}"
        )
    positions = as_positions(as_array(positions, "positions"))
    if not broadcasts(positions.shape, to=shape):
        raise ValueError(
            f"positions must broadcast to {shape}, the shape of x without its last axis; "
            f"got shape {tuple(positions.shape)}"
        )
    return asarray_like(positions, like=x)


# Widths, and options


def check_even(value: object, name: str) -> int:
    width = check_size(value, name)
    if width % 2:
        raise ValueError(f"{name} must be even, because numbers are rotated in pairs; got {width}")
    return width


def check_rotated(x: Any) -> Array:
    """Return queries or keys as an array of floats with an even last axis."""
    x = as_array(x, "x")
    xp = array_api_compat.array_namespace(x)
    if xp.isdtype(x.dtype, "complex floating"):
        raise TypeError(f"x must be real numbers; got {x.dtype}")
    if x.ndim == 0 or x.shape[-1] == 0 or x.shape[-1] % 2:
        raise ValueError(
            "x must have an even number of entries along its last axis, which rotate in pairs; "
            f"got shape {tuple(x.shape)}"
        )
    return xp.astype(x, default_float(x), copy=False)


def check_layout(layout: object) -> Layout:
    """Return the layout, which says which two numbers of a head form a pair."""
    choice: Layout = check_choice(layout, "layout", ["interleaved", "half"])
    return choice


def check_rope(rope_theta: object, rope_scaling: object) -> tuple[float, dict[str, float] | None]:
    """Return the options that determine RoPE's frequencies."""
    return check_base(rope_theta, "rope_theta"), check_rope_scaling(rope_scaling)


def check_rope_scaling(rope_scaling: object) -> dict[str, float] | None:
    """Return the numbers of Llama 3's scaling by the names of its configuration, or None.

    >>> check_rope_scaling({"rope_type": "linear", "factor": 2.0})
    Traceback (most recent call last):
    ValueError: rope_scaling['rope_type'] must be 'llama3'; got 'linear'
    """
    if rope_scaling is None:
        return None
    if not isinstance(rope_scaling, Mapping):
        kind = type(rope_scaling).__name__
        raise TypeError(f"rope_scaling must be a dict of options, or None; got {kind}")
    given = dict(rope_scaling)
    kind = given.pop("rope_type", given.pop("type", None))  # "type" in older files
    if kind != "llama3":
        raise ValueError(f"rope_scaling['rope_type'] must be 'llama3'; got {kind!r}")
    names = ["factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"]
    if set(given) != set(names):
        got = ", ".join(map(str, given)) or "none"
        raise ValueError(
            f"rope_scaling must have a rope_type and {', '.join(names[:-1])} and {names[-1]}; "
            f"got {got}"
        )
    numbers = {name: check_number(given[name], f"rope_scaling[{name!r}]") for name in names}
    if numbers["factor"] < 1:
        raise ValueError(f"rope_scaling['factor'] must be 1 or more; got {given['factor']}")
    if not 0 < numbers["low_freq_factor"] < numbers["high_freq_factor"]:
        raise ValueError(
            "rope_scaling must have 0 < low_freq_factor < high_freq_factor; "
            f"got {given['low_freq_factor']} and {given['high_freq_factor']}"
        )
    if numbers[names[-1]] <= 0:
        raise ValueError(f"rope_scaling[{names[-1]!r}] must be above 0; got {given[names[-1]]}")
    return numbers


def check_alibi(n_heads: object, T: object, S: object) -> tuple[int, int, int]:
    """Check the arguments of `alibi_bias`."""
    n_heads, T = check_size(n_heads, "n_heads"), check_length(T, "T")
    S = T if S is None else check_length(S, "S")
    if S < T:
        raise ValueError(
            "S must be T or more, because the queries are the last T of S positions; "
            f"got T = {T}, S = {S}"
        )
    return n_heads, T, S

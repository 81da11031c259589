"""Checks of ids, of positions, and of the options of rotary positions.

These are the checks that a shape in a signature cannot express. `plainformer.arrays` has those that
all parts of the course share.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import array_api_compat
import numpy as np

from plainformer.arrays import (
    Array,
    as_array,
    as_integers,
    as_numpy,
    asarray_like,
    broadcasts,
    check_base,
    check_size,
    is_integer,
)
from plainformer.inputs.scaling_checks import check_scaling

__all__ = [
    "LAYOUTS",
    "Layout",
    "as_ids",
    "as_positions",
    "check_even",
    "check_positions",
    "check_rope",
    "is_scalar",
]

Layout = Literal["interleaved", "half"]
LAYOUTS = get_args(Layout)
"""Which two numbers of a head form a pair: neighbours, or one from each half."""


def as_ids(ids: object, size: int | None, *, name: str = "ids", like: Array = None) -> Array:
    """Return ids as an int64 array, each from 0 to `size` - 1, in the library of `like`.

    A size of None means that any id from 0 on is right.

    NumPy treats -1 as the last row and torch treats bytes as a mask, but here every id outside the
    table is an error, which says what the id is and where.

    >>> as_ids([[1, 2], [3, 7]], 5)
    Traceback (most recent call last):
    ValueError: ids must be from 0 to 4; got 7 at index [1, 1]
    """
    array = as_integers(ids, name)
    if like is not None:
        array = asarray_like(array, like)
    xp = array_api_compat.array_namespace(array)
    array = xp.astype(array, xp.int64)  # a number that is too large becomes negative
    wrong = array < 0 if size is None else (array < 0) | (array >= size)
    if bool(xp.any(wrong)):
        index = np.argwhere(as_numpy(wrong))[0].tolist()
        allowed = "at least 0" if size is None else f"from 0 to {size - 1}"
        where = f" at index {index}" if index else ""
        raise ValueError(f"{name} must be {allowed}; got {int(array[tuple(index)])}{where}")
    return array


def as_positions(length_or_positions: object, *, like: Array = None) -> Array:
    """Return positions as an array: 0, 1, 2, … for a length, and an array unchanged.

    A number is a length, and a 0-dimensional array is a position. The result is in the library of
    `like`, but a length gives whole numbers whatever its dtype, because bfloat16 cannot hold 257.

    >>> as_positions(3).tolist(), as_positions([0.5, -2.0]).tolist()
    ([0, 1, 2], [0.5, -2.0])
    """
    if is_scalar(length_or_positions):
        positions = np.arange(check_size(length_or_positions, "length", least=0))
    else:
        positions = as_array(length_or_positions, "positions")
    if like is not None:
        positions = asarray_like(positions, like)
    xp = array_api_compat.array_namespace(positions)
    if not is_integer(positions) and not bool(xp.all(xp.isfinite(positions))):
        raise ValueError("positions must be finite; got a NaN or an infinity")
    return positions


def is_scalar(length_or_positions: object) -> bool:
    """Whether this is a number of positions rather than an array or list of positions."""
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
            wanted = "an axis of positions before its last one, or positions must be given"
            raise ValueError(f"x must have {wanted}; got shape {tuple(x.shape)}")
        xp, device = array_api_compat.array_namespace(x), array_api_compat.device(x)
        return xp.arange(offset, offset + shape[-1], device=device)
    if offset:
        said = f"offset must be 0 when positions are given, because they include it; got {offset}"
        raise ValueError(said)
    positions = as_positions(as_array(positions, "positions"))
    if not broadcasts(positions.shape, to=shape):
        raise ValueError(
            f"positions must broadcast to {shape}, the shape of x without its last axis; "
            f"got shape {tuple(positions.shape)}"
        )
    return asarray_like(positions, like=x)


def check_even(value: object, name: str) -> int:
    """Return a width whose numbers are rotated in pairs."""
    width = check_size(value, name)
    if width % 2:
        raise ValueError(f"{name} must be even, because numbers are rotated in pairs; got {width}")
    return width


def check_rope(
    rope_theta: object, rope_scaling: object, pairs: int | None = None
) -> tuple[float, dict[str, Any] | None]:
    """Return RoPE's frequency options; the scaling as in a config file, with its `rope_type`.

    If the number of pairs is given, lists with a number for each pair must have that length.

    >>> check_rope(10000.0, {"type": "linear", "factor": 2})
    (10000.0, {'rope_type': 'linear', 'factor': 2.0})
    """
    theta = check_base(rope_theta, "rope_theta")
    return theta, None if rope_scaling is None else check_scaling(rope_scaling, pairs)

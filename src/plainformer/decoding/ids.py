"""Token ids, and what is refused as such: texts, prompts, tables of them.

One rule for all: whole numbers of 0 or more, below V where a vocabulary is known, and never beyond
what 64 bits hold.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import array_api_compat
import numpy as np

from plainformer.arrays import Array, as_array, check_size, is_integer

__all__ = ["check_ids", "check_prompts"]

LARGEST_ID = 2**63 - 1


def check_ids(ids: Any, vocab_size: int | None, name: str = "ids") -> Array:
    """Return ids as whole numbers of 64 bits; each is 0 or more, and below V if that is known.

    >>> check_ids([3, 8], 8)
    Traceback (most recent call last):
    ValueError: ids must be from 0 to V - 1 = 7; got ids[1] = 8
    """
    check_unmasked(ids, name)
    ids = as_array(ids, name)
    if not is_integer(ids) and 0 not in ids.shape:  # an empty list has no whole numbers to show
        raise TypeError(f"{name} must be whole numbers; got an array of {ids.dtype}")
    xp = array_api_compat.array_namespace(ids)
    small = xp.astype(ids, xp.int64, copy=False)  # of an unsigned one above 2⁶³ it is negative
    bad = small < 0 if vocab_size is None else (small < 0) | (small >= vocab_size)
    if bool(xp.any(bad)):
        place = first_place(bad)
        where = f"{name}[{', '.join(map(str, place))}]" if place else name
        most = "2**63 - 1" if vocab_size is None else f"V - 1 = {vocab_size - 1}"
        raise ValueError(f"{name} must be from 0 to {most}; got {where} = {int(ids[place])}")
    return small


def check_text_and_size(ids: Any, vocab_size: object) -> tuple[Array, int]:
    V = check_size(vocab_size, "vocab_size")
    check_unmasked(ids, "ids")
    ids = as_array(ids, "ids")
    if ids.ndim == 0:
        raise ValueError("ids must have an axis of tokens; got a single number")
    return check_ids(ids, V), V


def check_prompts(prompt: object, name: str = "prompt") -> tuple[list[list[int]], bool]:
    """Return one prompt, or several, as lists of ids; and whether there was only one.

    Args:
        prompt: (T,) ids, or a sequence of such, each of its own length. None may be empty: a model
            needs a token to start from.
        name: what the caller's argument is called.

    Returns:
        The prompts, and whether `prompt` was a single one.

    Raises:
        TypeError: no whole numbers.
        ValueError: nothing there, an empty prompt, or an id that is negative, or 2⁶³ or more.

    >>> check_prompts([5, 7])
    ([[5, 7]], True)
    >>> check_prompts([[5, 7], [2]])
    ([[5, 7], [2]], False)
    """
    if isinstance(prompt, str | bytes):
        kind = type(prompt).__name__
        raise TypeError(f"{name} must be token ids; got a {kind}: encode it first")
    if not hasattr(prompt, "__iter__"):
        raise TypeError(f"{name} must be (T,) whole numbers; got {prompt!r}")
    check_unmasked(prompt, name)
    rows = list(prompt)
    is_row = [hasattr(row, "__len__") and getattr(row, "ndim", 1) > 0 for row in rows]
    single = not any(is_row)
    if not single and not all(is_row):
        i = is_row.index(False)
        raise TypeError(
            f"{name} must be (T,) whole numbers, or several such; got {name}[{i}] = {rows[i]!r} "
            "among others that are sequences"
        )
    prompts = [
        _check_prompt(row, name, i, single) for i, row in enumerate([rows] if single else rows)
    ]
    return prompts, single


def check_text(ids: object, start: object) -> list[int]:
    """One text of which `start` tokens are given."""
    prompts, single = check_prompts(ids, "ids")
    if not single:
        raise ValueError(f"ids must be one text, (T,); got {len(prompts)} rows")
    length = len(prompts[0])
    if check_size(start, "start") > length:
        raise ValueError(f"start must be {length} or less, the length of ids; got {start}")
    return prompts[0]


def check_known(text: list[int], start: int, vocab_size: int) -> None:
    """A model can say nothing of a token that it does not have."""
    for t in range(start, len(text)):
        if text[t] >= vocab_size:
            raise ValueError(f"ids[{t}] must be below {vocab_size}, the model's V; got {text[t]}")


def _check_prompt(row: Any, name: str, index: int, single: bool) -> list[int]:
    where = name if single else f"{name}[{index}]"
    if len(row) == 0:
        raise ValueError(f"{where} must hold a token or more; it is empty")
    check_unmasked(row, where)
    if isinstance(row, list | tuple):  # of which an array would have no whole numbers
        huge = [each for each in row if isinstance(each, int) and each > LARGEST_ID]
        if huge:
            raise ValueError(f"{where} must hold ids below 2**63; got {huge[0]}")
    ids = as_array(row, where)
    if ids.ndim != 1 or not is_integer(ids):
        raise TypeError(
            f"{where} must be (T,) whole numbers; got shape {tuple(ids.shape)} of {ids.dtype}"
        )
    values = [int(each) for each in ids]
    if min(values) < 0:
        raise ValueError(f"{where} must hold ids of 0 or more; got {min(values)}")
    if max(values) > LARGEST_ID:
        raise ValueError(f"{where} must hold ids below 2**63; got {max(values)}")
    return values


# Texts that are counted


def check_sequences(ids: object) -> list[Array]:
    """One text or several as a list of (N,) arrays."""
    if isinstance(ids, str) or not isinstance(ids, Iterable):
        raise TypeError(f"ids must be token ids; got {ids!r}")
    rows: Any = ids if hasattr(ids, "ndim") else list(ids)
    if len(rows) == 0:
        raise ValueError("ids must hold a token or more; it is empty")
    single = rows.ndim == 1 if hasattr(rows, "ndim") else not hasattr(rows[0], "__len__")
    return [check_table(row, ndim=1) for row in ([rows] if single else rows)]


def check_table(ids: object, ndim: int) -> Array:
    """(B, T) or (N,) ids, NumPy's; an array of whole numbers stays as it is."""
    check_unmasked(ids, "ids")
    if not isinstance(ids, np.ndarray):
        ids = np.asarray(as_array(ids, "ids"))
    if ids.ndim != ndim:
        shape = "(B, T)" if ndim == 2 else "(N,)"
        raise ValueError(f"ids must be {shape} token ids; got shape {ids.shape}")
    if ids.shape[-1] == 0:
        raise ValueError("ids must hold a token or more; it is empty")
    if ids.dtype.kind not in "iu" and not is_integer(ids):
        raise TypeError(f"ids must be whole numbers; got {ids.dtype}")
    return ids


def check_range(ids: Array, size: int) -> None:
    """Say so if NumPy's ids are none of a vocabulary. Two looks at them, for it is called often."""
    if ids.size == 0:
        return
    low, high = ids.min(), ids.max()
    if low < 0 or high >= size:
        bad = low if low < 0 else high
        raise ValueError(f"ids must lie in the vocabulary, 0 to {size - 1}; got {bad}")


# Shared with what is said of other arrays


def check_unmasked(value: object, name: str) -> None:
    """Refuse NumPy's masked arrays: what they hide would be computed with, or not, by chance."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name} must be a plain array; got a masked one: fill it first")


def first_place(where: Array) -> tuple[int, ...]:
    """The index of the first True."""
    xp = array_api_compat.array_namespace(where)
    return tuple(int(indices[0]) for indices in xp.nonzero(where)) if where.ndim else ()

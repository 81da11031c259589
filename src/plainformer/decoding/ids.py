"""Checks of token ids, which are integers from 0 up, and of prompts, which are lists of ids."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import array_api_compat
import numpy as np

from plainformer.arrays import Array, as_integers
from plainformer.decoding.logits import first_true

__all__ = ["check_ids", "check_prompts"]


def check_ids(ids: Any, vocab_size: int | None, name: str = "ids") -> Array:
    """Return ids as 64-bit integers; each must be at least 0, and below V if V is known.

    >>> check_ids([3, 8], 8)
    Traceback (most recent call last):
    ValueError: ids must be from 0 to V - 1 = 7; got ids[1] = 8
    """
    ids = as_integers(ids, name)
    xp = array_api_compat.array_namespace(ids)
    ids = xp.astype(ids, xp.int64, copy=False)
    wrong = ids < 0 if vocab_size is None else (ids < 0) | (ids >= vocab_size)
    if bool(xp.any(wrong)):
        place = first_true(wrong)
        where = f"{name}[{', '.join(map(str, place))}]" if place else name
        allowed = "at least 0" if vocab_size is None else f"from 0 to V - 1 = {vocab_size - 1}"
        raise ValueError(f"{name} must be {allowed}; got {where} = {int(ids[place])}")
    return ids


def check_prompts(prompt: Any, name: str = "prompt") -> tuple[list[list[int]], bool]:
    """Return one prompt, or several, as lists of ids, and whether there was only one.

    They may differ in length, but none may be empty, because a model needs a token to start from.

    >>> check_prompts([5, 7])
    ([[5, 7]], True)
    >>> check_prompts([[5, 7], [2]])
    ([[5, 7], [2]], False)
    """
    if isinstance(prompt, str | bytes) or not isinstance(prompt, Iterable):
        raise TypeError(f"{name} must be token ids; got {prompt!r}. A text must be encoded first")
    rows = list(prompt)
    single = not any(map(np.ndim, rows))
    prompts = []
    for i, row in enumerate([rows] if single else rows):
        where = name if single else f"{name}[{i}]"
        ids = check_ids(row, None, where)
        if ids.ndim != 1 or len(ids) == 0:
            raise ValueError(
                f"{where} must be (T,) ids, with T of at least 1; got shape {tuple(ids.shape)}"
            )
        prompts.append(ids.tolist())
    return prompts, single

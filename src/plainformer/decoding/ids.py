"""The check of prompts, which are lists of token ids."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from plainformer.inputs.checks import as_ids

__all__ = ["check_prompts"]


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
        ids = as_ids(row, None, name=where)
        if ids.ndim != 1 or len(ids) == 0:
            raise ValueError(
                f"{where} must be (T,) ids, with T of at least 1; got shape {tuple(ids.shape)}"
            )
        prompts.append(ids.tolist())
    return prompts, single

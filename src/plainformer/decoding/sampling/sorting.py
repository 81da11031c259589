"""The largest logits of a row, sorted, without sorting the row: what makes filters fast.

Nothing here changes a result. A vocabulary has 50,000 tokens or more, and a nucleus mostly has few;
so a few are sorted first. The numbers below were measured, in `benchmarks/decoding.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

import array_api_compat
import numpy as np

from plainformer.arrays import Array, asarray_like

__all__ = ["FAINT", "head_sizes", "largest"]

HEAD = 64  # how many of the largest are sorted first, in search of a nucleus
FAINT = -80.0  # exp of it is lost in a sum of 1 or more; of less, torch takes 3 to 30 times as long
BLOCK = 32  # tokens of which only the largest is looked at first, in search of the largest of all


def head_sizes(V: int) -> Iterator[int]:
    """How many of V tokens to sort at first; and, where these were not enough, then; at last all.

    >>> list(head_sizes(50_257)), list(head_sizes(100))
    ([64, 512, 50257], [100])
    """
    yield from (m for m in (HEAD, 8 * HEAD) if _worth_it(m, V))
    yield V


def largest(logits: Array, m: int) -> Array:
    """The m largest of each row, the largest first: (..., m), m ≤ V.

    torch has a function for it, the standard has none. So cut the row into blocks. The m largest
    lie in the m blocks whose own largest are the largest; only those blocks are sorted.

    >>> largest(np.array([3.0, 9.0, 4.0]), 2).tolist()
    [9.0, 4.0]
    """
    *lead, V = logits.shape
    if m == V:
        return _sorted(logits)
    xp = array_api_compat.array_namespace(logits)
    if array_api_compat.is_torch_array(logits):
        return xp.topk(logits, m, dim=-1).values
    if _worth_it(m, V):
        n = V // BLOCK  # block i holds the tokens i, i + n, i + 2n, …
        blocks = xp.reshape(logits[..., : n * BLOCK], (*lead, BLOCK, n))
        best = xp.argsort(xp.max(blocks, axis=-2), axis=-1)[..., -m:]  # (..., m)
        chosen = xp.take_along_axis(blocks, best[..., None, :], axis=-1)  # (..., BLOCK, m)
        chosen = xp.reshape(chosen, (*lead, BLOCK * m))
        logits = xp.concat([chosen, logits[..., n * BLOCK :]], axis=-1)
    return xp.flip(xp.sort(logits, axis=-1), axis=-1)[..., :m]


def _worth_it(m: int, V: int) -> bool:
    """Whether looking for the m largest is much less work than sorting all."""
    return 2 * m * BLOCK < V


def _sorted(logits: Array) -> Array:
    """Each row from the largest down. On a CPU it is NumPy that sorts: float32 takes it a third of
    torch's time. No gradient comes back, for whoever compares with a limit asks for none."""
    xp, values = array_api_compat.array_namespace(logits), logits
    if array_api_compat.is_torch_array(logits):
        if logits.device.type != "cpu":
            return xp.topk(logits, logits.shape[-1], dim=-1).values
        values = logits.detach().numpy()
    return xp.flip(asarray_like(np.sort(values, axis=-1), like=logits), axis=-1)

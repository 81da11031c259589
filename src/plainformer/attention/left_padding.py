"""Texts of several lengths in one batch, for decoding: padded on the left, told by positions.

All texts grow at their right end, so that is where they are flush; shorter ones have padding before
their first token. One array tells where each token stands in its text, and what is padding: its
positions are below 0. (A padding mask beside positions would say the same thing twice, and could
say it wrongly.) Positions are also what learned and rotary positions ask for.
"""

from __future__ import annotations

from typing import Any

import array_api_compat

from plainformer.arrays import Array, as_array, check_size, is_integer

__all__ = ["left_padding_mask"]


def left_padding_mask(positions: Array, *, offset: int = 0) -> Array:
    """Which keys are tokens and not padding, by the positions of the newest.

    In a text with p tokens of padding, the token in column c
    stands at position c - p. So any token tells p, and with it
    what the columns before it hold.

    Args:
        positions: (B, T) whole numbers, where the newest T tokens
            stand in their texts; below 0 for padding.
        offset: how many keys came before, as in a cache.

    Returns:
        (B, 1, offset + T), boolean: True where the key is no
        padding; the same for all queries, of which those that
        are padding may look at nothing (under a causal mask).

    Raises:
        TypeError, ValueError: no (B, T) whole numbers, T 1 or
            more; or `offset` is none, or negative.

    >>> import numpy as np
    >>> positions = np.array([[0, 1, 2], [-1, 0, 1]])
    >>> left_padding_mask(positions).astype(int).tolist()
    [[[1, 1, 1]], [[0, 1, 1]]]
    >>> left_padding_mask(positions[:, 2:], offset=2).astype(int).tolist()  # the newest alone
    [[[1, 1, 1]], [[0, 1, 1]]]
    """
    positions, offset = _check(positions, offset)
    xp, device = array_api_compat.array_namespace(positions), array_api_compat.device(positions)
    padding = offset - positions[:, :1]  # (B, 1), column - position
    columns = xp.arange(offset + positions.shape[1], device=device)
    return (columns >= padding)[:, None, :]


def _check(positions: Any, offset: Any) -> tuple[Array, int]:
    positions = as_array(positions, "positions")
    if positions.ndim != 2 or positions.shape[1] == 0 or not is_integer(positions):
        raise ValueError(
            "positions must be (B, T) whole numbers, T 1 or more; "
            f"got shape {tuple(positions.shape)} of {positions.dtype}"
        )
    return positions, check_size(offset, "offset", least=0)

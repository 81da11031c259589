"""Texts of several lengths in one batch, for decoding: padded on the left, described by positions.

All texts grow at their right end, so that is where they are aligned, and shorter ones have padding
before their first token. One array says where each token is in its text and what is padding,
because positions below 0 are padding. A padding mask beside the positions would say the same thing
twice, and could contradict them. Learned and rotary embeddings need the positions anyway.
"""

from __future__ import annotations

import array_api_compat

from plainformer.shapes import Array, Count, Int, checked

__all__ = ["left_padding_mask"]


@checked
def left_padding_mask(
    positions: Int[Array, "B T"], *, offset: Count = 0, heads: bool = True
) -> Array:
    """Which keys are tokens and which are padding, from the positions of the newest tokens.

    In a text with p tokens of padding, the token in column c is at position c - p. The position of
    any token of a text therefore reveals p, and with it which columns are padding.

    Args:
        positions: (B, T), the positions of the newest T tokens in their texts, T at least 1; below
            0 for padding.
        offset: how many keys came before, as in a cache.
        heads: whether the scores have an axis of heads.

    Returns:
        Boolean, True where the key is a token: (B, 1, 1, offset + T) for scores with heads, and
        (B, 1, offset + T) without. All queries get the same row; under a causal mask, those that
        are padding themselves may attend to nothing.

    Raises:
        TypeError, ValueError: positions that are not whole numbers (B, T), or a negative offset.

    >>> positions = [[0, 1, 2], [-1, 0, 1]]
    >>> left_padding_mask(positions, heads=False).astype(int).tolist()
    [[[1, 1, 1]], [[0, 1, 1]]]
    >>> newest = [[2], [1]]
    >>> left_padding_mask(newest, offset=2, heads=False).astype(int).tolist()
    [[[1, 1, 1]], [[0, 1, 1]]]
    """
    if positions.shape[1] == 0:
        raise ValueError(f"positions must be (B, T), T at least 1; got {tuple(positions.shape)}")
    xp, device = array_api_compat.array_namespace(positions), array_api_compat.device(positions)
    padding = offset - positions[:, :1]  # (B, 1), column - position
    columns = xp.arange(offset + positions.shape[1], device=device)
    is_token = columns >= padding  # (B, S)
    return is_token[:, None, None, :] if heads else is_token[:, None, :]

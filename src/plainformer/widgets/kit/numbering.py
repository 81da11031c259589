"""Layers and heads as readers count them: from 1. Code, traits and links count from 0.

``numbering.js`` is the same in the front end.
"""

from __future__ import annotations

__all__ = ["head_name", "layer_name"]


def layer_name(index: int) -> str:
    """Return what readers call the layer with this index.

    >>> layer_name(0)
    'layer 1'
    """
    return f"layer {index + 1}"


def head_name(index: int) -> str:
    """Return what readers call the head with this index.

    >>> head_name(2)
    'head 3'
    """
    return f"head {index + 1}"

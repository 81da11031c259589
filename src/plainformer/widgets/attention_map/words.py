"""How `AttentionMap` names a token among others, as its page does (``words.js``)."""

from __future__ import annotations

from collections.abc import Sequence

from plainformer.widgets.kit.token_words import label

__all__ = ["named"]


def named(tokens: Sequence[str], place: int) -> str:
    """A token in quotes, with its position if it occurs more than once."""
    again = f" at position {place}" if list(tokens).count(tokens[place]) > 1 else ""
    return f"“{label(tokens[place])}”{again}"

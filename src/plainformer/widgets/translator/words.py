"""How a `Translator` writes words in a sentence (``words.js`` does the same)."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["listed"]


def listed(words: Sequence[str]) -> str:
    """Words in quotation marks, as a list in a sentence.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('“a”', '“a”, “b” and “c”')
    """
    quoted = [f"“{word}”" for word in words]
    return " and ".join([", ".join(quoted[:-1]), quoted[-1]]) if len(quoted) > 1 else quoted[0]

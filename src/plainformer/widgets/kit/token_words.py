"""How widgets write a token, a probability and a count, as their pages do (``token_words.js``)."""

from __future__ import annotations

import re

__all__ = ["label", "many", "weight"]


def label(token: str) -> str:
    """A token on one line, with nothing in it that cannot be seen or written to a page.

    >>> label(" the"), label("a b"), label("one\\ntwo"), label("\\x1b[0m"), label("")
    ('␣the', 'a b', 'one⏎two', '␛[0m', '∅')
    """
    text = re.sub(r"\A +| +\Z", lambda spaces: "␣" * len(spaces[0]), token)
    text = text.replace("\n", "⏎").replace("\t", "⇥").replace("\x7f", "␡")
    text = re.sub("[\x00-\x1f]", lambda control: chr(0x2400 + ord(control[0])), text)
    return re.sub("[\x80-\x9f\ufffe\uffff]", "�", text) or "∅"


def weight(number: float) -> str:
    """A weight with two decimals, as 0.00 only if it is 0, and as 1.00 only if it is 1.

    >>> weight(0.25), weight(0.001), weight(0.999), weight(0), weight(1)
    ('0.25', '<0.01', '>0.99', '0.00', '1.00')
    """
    if 0 < number < 0.005:
        return "<0.01"
    return ">0.99" if 0.995 < number < 1 else f"{number:.2f}"


def many(count: int, word: str, words: str = "") -> str:
    """A number with its word.

    >>> many(1, "key"), many(2, "key"), many(3, "query", "queries")
    ('1 key', '2 keys', '3 queries')
    """
    return f"{count} {word if count == 1 else words or f'{word}s'}"

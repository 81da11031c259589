"""A real English text that needs no download: the prose of Python's language reference.

CPython ships the prose of its language reference for `help()`: some 465,000 characters about
assignments, loops, classes and so on. Every release words it a little differently, so the package
carries one edition, that of CPython 3.11.7, and a tokenizer that is trained on it learns the same
merges on every machine.
"""

from __future__ import annotations

from plainformer.data.shipped_texts import read_shipped_text

__all__ = ["python_manual"]


def python_manual() -> str:
    """Return the language reference of CPython 3.11.7 as one text of 464,524 characters.

    The topics are in alphabetical order, separated by three line breaks. A topic that only repeats
    an earlier one is left out.

    Raises:
        FileNotFoundError, ValueError: the package's own file is missing or damaged.

    >>> text = python_manual()
    >>> text[:22], len(text)
    ('The "assert" statement', 464524)
    """
    return read_shipped_text("manual.txt")

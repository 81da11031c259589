"""What the constructors and traits of several widgets ask of a value, and how they refuse it.

Each check returns the value as a page can carry it, or raises a TypeError or ValueError that names
the argument, what is expected and what was given.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable
from typing import Any

import numpy as np

__all__ = ["MAX_LABEL", "check_flag", "check_strings", "check_whole"]

MAX_LABEL = 200
"""The most characters in a token, or in another name that a widget shows."""


def check_strings(value: Any, name: str, least: int, most: int, each_for: str = "") -> list[str]:
    """Return a list of the given number of strings, each short enough to show.

    Args:
        value: any iterable of strings; a string is none.
        name: what the caller's argument is called.
        least, most: how many there must be.
        each_for: what each of them belongs to, such as "key", for the error to say.

    Raises:
        TypeError: it is no iterable of strings.
        ValueError: there are too few or too many; or one of them is longer than `MAX_LABEL`, or
            has half a character in it, as when text was cut within an emoji.

    >>> check_strings(("cat", "hat"), "tokens", 1, 3)
    ['cat', 'hat']
    >>> check_strings([], "tokens", 1, 3)
    Traceback (most recent call last):
    ValueError: tokens must have 1 to 3 entries; got 0
    """
    if isinstance(value, str) or not isinstance(value, Iterable):
        got = repr(value) if isinstance(value, str) else type(value).__name__
        raise TypeError(f"{name} must be a list of strings; got {got}")
    found = list(value)
    if not all(isinstance(each, str) for each in found):
        raise TypeError(f"{name} must be a list of strings; got {found!r}")
    if not least <= len(found) <= most:
        count = f"{least} to {most}" if least < most else str(most)
        entries = "entry" if most == 1 else "entries"
        why = f", one for each {each_for}" if each_for else ""
        raise ValueError(f"{name} must have {count} {entries}{why}; got {len(found)}")
    for each in found:
        if len(each) > MAX_LABEL:
            raise ValueError(
                f"{name} must be at most {MAX_LABEL} characters long each; got {len(each):,}"
            )
        if half := re.search("[\ud800-\udfff]", each):
            raise ValueError(
                f"{name} must be whole characters; got half of one, {half[0]!r} in {each!r}"
            )
    return [str(each) for each in found]  # NumPy's strings, too, as Python's own


def check_whole(value: Any, name: str, least: int, most: int, otherwise: str = "") -> int:
    """Return a whole number of a range, both ends included, as an int.

    ``otherwise`` is what the error offers besides, such as " or None".

    >>> check_whole(7, "place", 0, 5)
    Traceback (most recent call last):
    ValueError: place must be from 0 to 5; got 7
    """
    try:
        number = None if isinstance(value, bool | np.bool_) else operator.index(value)
    except TypeError:
        number = None
    if number is None:
        raise TypeError(f"{name} must be a whole number{otherwise}; got {value!r}")
    if not least <= number <= most:
        raise ValueError(f"{name} must be from {least:,} to {most:,}{otherwise}; got {number:,}")
    return number


def check_flag(value: Any, name: str) -> bool:
    """Return True or False, Python's or NumPy's, as Python's own.

    >>> check_flag(1, "hard")
    Traceback (most recent call last):
    TypeError: hard must be True or False; got 1
    """
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False; got {value!r}")
    return bool(value)

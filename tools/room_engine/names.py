"""What a new chapter, exercise or widget may be called: checked before anything is written."""

from __future__ import annotations

import keyword
import re
from pathlib import Path
from typing import Any

import yaml


class Refused(Exception):
    """What was asked for cannot be made; the message says why, and what would do."""


def check_name(name: str, what: str) -> str:
    """Return a name that may be a file's and a module's.

    >>> check_name("my_idea", "chapter")
    'my_idea'

    Raises `Refused` for any other.
    """
    fits = re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name)
    if not fits or keyword.iskeyword(name) or len(name) > 40:
        a = "an" if what[0] in "aeiou" else "a"
        raise Refused(
            f"{name!r} cannot be the name of {a} {what}: use a few small letters, digits "
            "and single underscores, a letter first, such as my_idea"
        )
    return name


def parts(root: Path) -> list[dict[str, Any]]:
    """Return the parts of the book with their chapters, as the map tells them."""
    told = (root / "book" / "map" / "chapters.yml").read_text(encoding="utf-8")
    found: list[dict[str, Any]] = yaml.safe_load(told)
    return found


def check_part(root: Path, name: str) -> dict[str, Any]:
    """Return the part of this name; raises `Refused` for one that the book does not have."""
    known = {part["part"]: part for part in parts(root)}
    if name not in known:
        raise Refused(f"there is no part {name!r}; the parts are {', '.join(known)}")
    return known[name]


def title_of(name: str) -> str:
    """Return a name as a heading.

    >>> title_of("my_idea")
    'My idea'
    """
    return name.replace("_", " ").capitalize()


def class_of(name: str) -> str:
    """Return a name as a class.

    >>> class_of("my_idea")
    'MyIdea'
    """
    return "".join(word.capitalize() for word in name.split("_"))

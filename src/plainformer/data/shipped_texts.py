"""The two texts that the package contains, identical under every version of Python.

They are the prose of Python's language reference, which a tokenizer or a small model can be trained
on without a download, and the docstrings of its standard library. Both come from CPython 3.11.7,
whose licence allows this (see LICENSES.md for its terms), and `tools/ship_texts.py` shows how they
were collected. They are compressed with gzip, because some builds of Python lack the modules for
stronger compression. Each text is checked against its hash, since the numbers in the book are valid
only for exactly these words.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from pathlib import Path

from plainformer.files import shipped

__all__ = ["EDITION", "FOLDER", "SHA256", "python_manual", "read_shipped_text"]

EDITION = "3.11.7"
"""The release of CPython that both texts come from."""

FOLDER = Path(__file__).parent / "texts"

SHA256 = {
    "manual.txt": "cd92d14cfee61e3681c40043999750d10bc2a77f1723f9966340cf9d6a217d0b",
    "docstrings.jsonl": "0beb1fbb0027ec5cb41263153a436b57bfa3cb9af6f15776896b0017fb8d6d09",
}
"""Each text and the hash of its UTF-8 bytes, before compression."""


def read_shipped_text(name: str) -> str:
    """Return one of the texts in `SHA256`, after checking that it is the text it claims to be.

    Raises:
        FileNotFoundError: the package was installed without the file.
        ValueError: the file is damaged, or somebody has changed it.

    >>> len(read_shipped_text("manual.txt"))
    464524
    """
    path = shipped(FOLDER / f"{name}.gz")
    try:
        data = gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error):
        data = b""
    if (found := hashlib.sha256(data).hexdigest()) != SHA256[name]:
        raise ValueError(
            f"{path.name} must hold the text with the sha256 {SHA256[name][:12]}…, on which the "
            f"book's numbers depend; got {found[:12]}…. Install plainformer again, with pip's "
            "option --force-reinstall; for a text of your own, use load('my/file.txt')"
        )
    return data.decode()


def python_manual() -> str:
    """Return the language reference of CPython 3.11.7 as one text of 464,524 characters.

    The topics are in alphabetical order, separated by three line breaks. A topic that only repeats
    an earlier one is left out.

    >>> text = python_manual()
    >>> text[:22], len(text)
    ('The "assert" statement', 464524)
    """
    return read_shipped_text("manual.txt")

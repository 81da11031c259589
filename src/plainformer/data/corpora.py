"""The named corpora: where to download each of them, its checksum, and its licence.

A name always refers to exactly the same bytes, which the checksum guarantees. If a text changes,
the new version is a different corpus and gets a different name.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import platformdirs

__all__ = ["CORPORA", "Corpus", "cache_folder"]


@dataclass(frozen=True)
class Corpus:
    """One public text.

    Args:
        name: what `load` is called with.
        file: the name of its file, in the cache folder and in PLAINFORMER_DATA.
        url: where to download it.
        size: its length in bytes.
        sha256: the checksum of these bytes, 64 hexadecimal digits.
        licence: what one may do with it, in a sentence.
        about: what it is, in a sentence.
    """

    name: str
    file: str
    url: str
    size: int
    sha256: str
    licence: str
    about: str


_TINYSHAKESPEARE = Corpus(
    name="tinyshakespeare",
    file="tinyshakespeare.txt",
    url="https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt",
    size=1_115_394,
    sha256="86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
    licence="Shakespeare's words are in the public domain.",
    about="Forty thousand lines from Shakespeare's plays, gathered by Andrej Karpathy in 2015.",
)

CORPORA: dict[str, Corpus] = {corpus.name: corpus for corpus in (_TINYSHAKESPEARE,)}


def cache_folder() -> Path:
    """Return the folder where downloads are kept: the user's cache folder of this system."""
    return platformdirs.user_cache_path("plainformer", appauthor=False)

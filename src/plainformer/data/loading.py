"""Load a text by name or by path: from a folder of your own, from the cache, or from the network.

A name always refers to exactly the same bytes, which a checksum guarantees. If a text changes, the
new version is a different corpus and gets a different name.
"""

from __future__ import annotations

import hashlib
import http.client
import os
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from plainformer.files import atomic_write, readable_file

__all__ = ["CORPORA", "Corpus", "CorpusUnavailable", "cache_folder", "load"]

TIMEOUT = 20.0  # seconds without receiving a byte


@dataclass(frozen=True)
class Corpus:
    """One text with a name."""

    name: str  # what `load` is called with
    file: str  # the name of its file, in the cache folder and in PLAINFORMER_DATA
    url: str | None  # None if no public address has exactly these bytes
    size: int  # in bytes
    sha256: str  # of these bytes
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

_STORIES = Corpus(
    name="stories",
    file="stories.txt",
    url=None,
    size=8_026_411,
    sha256="78f570a6942f2f784384bc5e4776556ce118a003990683b0dbaaa699de994128",
    licence="CDLA-Sharing-1.0.",
    about="10,157 stories with a blank line between them, selected and cleaned from TinyStories by "
    "Ronen Eldan and Yuanzhi Li (arXiv:2305.07759), which GPT-3.5 and GPT-4 wrote. Curly quotes "
    "and dashes are ASCII here; stories of 200 to 2,200 characters that end properly were kept, "
    "without exact and near repetitions, and without those that use a word from a list of crude "
    "ones.",
)

CORPORA: dict[str, Corpus] = {corpus.name: corpus for corpus in (_TINYSHAKESPEARE, _STORIES)}


class CorpusUnavailable(OSError):
    """A corpus is not on this machine and cannot be downloaded; the message says what to do."""


def cache_folder() -> Path:
    """Return the folder where downloads are kept: the user's cache folder of this system."""
    return platformdirs.user_cache_path("plainformer", appauthor=False)


def load(name: str | os.PathLike[str]) -> str:
    """Return the text of a named corpus, or of a text file of your own.

    A plain word is a name, one of the keys of `plainformer.data.CORPORA`; for a file, write a path
    ("./notes" or "notes.txt"). A named corpus is looked for in the folder that the environment
    variable PLAINFORMER_DATA names, then in the user's cache folder, and is downloaded into the
    latter if it is in neither. Wherever it comes from, its sha256 is checked.

    Raises:
        ValueError: no corpus has this name; or the file is not UTF-8 text; or PLAINFORMER_DATA is
            not a folder, or the file in it is not the corpus that its name claims.
        CorpusUnavailable: the corpus is not on this machine, and has no address or could not be
            downloaded; the message says which file to put where.
        OSError: there is no file at this path, or the download could not be saved.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "mine.txt"
    ...     _ = path.write_text("your cat is a lovely cat", encoding="utf-8")
    ...     load(path)
    'your cat is a lovely cat'
    """
    if not isinstance(name, str | os.PathLike):
        kind = type(name).__name__
        raise TypeError(f"name must be the name of a corpus or the path of a file; got {kind}")
    if isinstance(name, str) and name in CORPORA:
        return _named(CORPORA[name])
    path = Path(name)
    if not isinstance(name, str) or path.suffix or len(path.parts) > 1 or path.exists():
        return _own_file(path)
    known = " and ".join(map(repr, CORPORA))
    raise ValueError(
        f"name must be the path of a text file or a known corpus, which are {known}; got {name!r}"
    )


def _named(corpus: Corpus) -> str:
    if folder := os.environ.get("PLAINFORMER_DATA"):
        if not Path(folder).expanduser().is_dir():
            raise ValueError(
                f"the environment variable PLAINFORMER_DATA must be a folder; {folder!r} is not. "
                "Create it, or unset the variable to use the cache folder"
            )
        path = Path(folder).expanduser() / corpus.file
        if path.is_file():
            data = path.read_bytes()
            if not _is(corpus, data):
                raise ValueError(
                    f"{path} is not the corpus {corpus.name!r}: it has {len(data):,} bytes and "
                    f"the wrong sha256 (expected {corpus.size:,} bytes, sha256 {corpus.sha256}). "
                    "Remove it, or load it by its path"
                )
            return data.decode("utf-8")
    path = cache_folder() / corpus.file
    data = path.read_bytes() if path.is_file() else b""
    if not _is(corpus, data):  # missing or damaged
        path.parent.mkdir(parents=True, exist_ok=True)
        data = _download(corpus, path)
        atomic_write(path, data)
    return data.decode("utf-8")


def _download(corpus: Corpus, path: Path) -> bytes:
    """Return the bytes of a corpus; `path` is where an error asks the reader to put them."""
    get = (
        f"get the file another way ({corpus.size:,} bytes, sha256 {corpus.sha256}) and put it at "
        f"{path}, or in a folder of your own as {corpus.file}, with the environment variable "
        "PLAINFORMER_DATA set to that folder"
    )
    if corpus.url is None:
        raise CorpusUnavailable(
            f"{corpus.name!r} cannot be downloaded, because no public address has exactly this "
            f"text: {corpus.about} Take a text of your own, by its path, or {get}"
        )
    print(f"downloading {corpus.name} ({corpus.size:,} bytes) to {path}")
    try:
        with urllib.request.urlopen(corpus.url, timeout=TIMEOUT) as response:
            # One byte more than expected is enough to show that this is a different file.
            data: bytes = response.read(corpus.size + 1)
    except (OSError, http.client.HTTPException) as error:
        refused = isinstance(error, urllib.error.HTTPError)  # "HTTP Error 404: Not Found"
        why = str(error if refused else getattr(error, "reason", None) or error)
    else:
        if _is(corpus, data):
            return data
        why = "the downloaded file is not the expected one, because its checksum (sha256) differs"
        if len(data) < corpus.size:
            why = f"the connection ended after {len(data):,} of {corpus.size:,} bytes"
    raise CorpusUnavailable(
        f"could not download {corpus.name!r} from {corpus.url}: {why}. Try again later, or {get}"
    )


def _own_file(path: Path) -> str:
    path = readable_file(path)
    try:
        return path.read_bytes().decode("utf-8-sig")  # without a byte-order mark
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path} must be UTF-8 text; byte {error.start:,} is not. Save it as UTF-8 first"
        ) from error


def _is(corpus: Corpus, data: bytes) -> bool:
    return hashlib.sha256(data).hexdigest() == corpus.sha256

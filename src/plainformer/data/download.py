"""Download a corpus in chunks, with a progress bar, and check it before it is used.

An interrupted download leaves nothing behind. The data goes to a temporary file, which is renamed
only after every byte has arrived and the checksum is right, so a broken connection, a wrong file
or Ctrl-C leaves the folder as it was.
"""

from __future__ import annotations

import hashlib
import http.client
import os
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from tqdm import tqdm

from plainformer.data.corpora import Corpus
from plainformer.files import atomic_open

__all__ = ["CorpusUnavailable", "download"]

_PIECE = 1 << 16  # bytes
_TIMEOUT = 20.0  # seconds without a byte


class CorpusUnavailable(OSError):
    """A corpus is not on this machine and cannot be downloaded; the message says what to do."""


def download(corpus: Corpus, folder: Path, *, progress: bool = True) -> Path:
    """Download a corpus into a folder and return the path of its file.

    Args:
        corpus: what to fetch.
        folder: where to put it; made if need be.
        progress: whether to show a progress bar (on the error stream).

    Raises:
        CorpusUnavailable: there is no connection, it breaks off, or the file is not the right one.
        OSError: the folder cannot be written, or the disk is full; the message names the file.
    """
    path = folder / corpus.file
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with atomic_open(path) as file:
            _fetch(corpus, folder, file, progress)
    except CorpusUnavailable:
        raise
    except OSError as error:
        why = f"{corpus.name!r} could not be written: {error.strerror or error}"
        raise OSError(error.errno, why, os.fspath(path)) from error
    return path


def _fetch(corpus: Corpus, folder: Path, file: BinaryIO, progress: bool) -> None:
    """Write the downloaded corpus to a file, and check its size and checksum."""
    checksum, received = hashlib.sha256(), 0
    for piece in _pieces(corpus, folder, progress):
        file.write(piece)
        checksum.update(piece)
        received += len(piece)
    if received < corpus.size:
        why = f"the connection ended after {received:,} of {corpus.size:,} bytes"
        raise CorpusUnavailable(_advice(corpus, folder, why))
    if checksum.hexdigest() != corpus.sha256:
        why = "the downloaded file is not the expected one: its checksum (sha256) differs"
        raise CorpusUnavailable(_advice(corpus, folder, why))


def _pieces(corpus: Corpus, folder: Path, progress: bool) -> Iterator[bytes]:
    """Yield the download chunk by chunk; any error in here is one of the connection."""
    received = 0
    bar = tqdm(desc=corpus.name, total=corpus.size, unit="B", unit_scale=True, disable=not progress)
    try:
        with bar, urllib.request.urlopen(corpus.url, timeout=_TIMEOUT) as response:
            # A chunk beyond the expected size already shows that this is a different file.
            while received <= corpus.size and (piece := response.read(_PIECE)):
                received += len(piece)
                bar.update(len(piece))
                yield piece
    except (OSError, http.client.HTTPException) as error:
        refused = isinstance(error, urllib.error.HTTPError)  # "HTTP Error 404: Not Found"
        why = str(error if refused else getattr(error, "reason", None) or error)
        raise CorpusUnavailable(_advice(corpus, folder, why)) from error


def _advice(corpus: Corpus, folder: Path, why: str) -> str:
    return (
        f"could not download {corpus.name!r} from {corpus.url}: {why}. Try again later, or get the "
        f"file another way ({corpus.size:,} bytes, sha256 {corpus.sha256}) and put it at "
        f"{folder / corpus.file}, or in a folder of your own as {corpus.file}, with the "
        "environment variable PLAINFORMER_DATA set to that folder"
    )

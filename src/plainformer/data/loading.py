"""Load a text by name or by path: from your own folder, from the cache, or from the network."""

from __future__ import annotations

import difflib
import hashlib
import os
from pathlib import Path

from plainformer.data.corpora import CORPORA, Corpus, cache_folder
from plainformer.data.download import download

__all__ = ["load"]


def load(name: str | os.PathLike[str], *, progress: bool = True) -> str:
    """Return the text of a named corpus, or of a text file of your own.

    A named corpus is looked for in the folder that the environment variable PLAINFORMER_DATA
    names, then in the user's cache folder, and is downloaded into the latter if it is in neither.
    Wherever it comes from, its sha256 is checked. The names are the keys of
    `plainformer.data.CORPORA`.

    Args:
        name: a corpus ("tinyshakespeare"), or the path of a UTF-8 text file. A plain word is taken
            as a name; for a file, write a path ("./notes" or "notes.txt").
        progress: whether a download shows a progress bar.

    Returns:
        The text, with the line endings of the file.

    Raises:
        TypeError: `name` is neither a string nor a path.
        ValueError: no corpus has this name; or the file is not UTF-8 text; or the file in
            PLAINFORMER_DATA is not the corpus that its name claims.
        FileNotFoundError: there is no file at this path.
        CorpusUnavailable: the corpus is not on this machine and the download failed; the message
            says which file to put where.

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
        return _named(CORPORA[name], progress)
    path = Path(name)
    if not isinstance(name, str) or path.suffix or len(path.parts) > 1 or path.is_file():
        return _own_file(path)
    near = difflib.get_close_matches(name.lower(), CORPORA, n=1, cutoff=0.5)
    asked = f"did you mean {near[0]!r}? " if near else ""
    raise ValueError(
        f"name must be a known corpus or the path of a text file; got {name!r}: {asked}"
        f"Known: {', '.join(map(repr, CORPORA))}"
    )


def _named(corpus: Corpus, progress: bool) -> str:
    if folder := os.environ.get("PLAINFORMER_DATA"):
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
    # A damaged copy is downloaded again.
    if not (path.is_file() and _is(corpus, path.read_bytes())):
        path = download(corpus, path.parent, progress=progress)
    return path.read_bytes().decode("utf-8")


def _own_file(path: Path) -> str:
    path = path.expanduser()
    if path.is_dir():
        raise ValueError(f"name must be a file; {path} is a folder")
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path} (looked in {Path.cwd()})")
    try:
        return path.read_bytes().decode("utf-8-sig")  # without the mark that some editors add
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path} must be UTF-8 text; byte {error.start:,} is not. Save it as UTF-8 first"
        ) from error


def _is(corpus: Corpus, data: bytes) -> bool:
    return hashlib.sha256(data).hexdigest() == corpus.sha256

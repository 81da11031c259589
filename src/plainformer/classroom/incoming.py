"""What was handed in, as files: in a zip or in a folder, and nothing of it believed.

No name that a file brings is ever used to write: it is only looked at. A zip is read file by file,
each within a limit of size that holds for what comes out, whatever the zip says of itself. Links
are not followed, and packed files inside are not unpacked.
"""

from __future__ import annotations

import re
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from plainformer.classroom.course import CourseError
from plainformer.classroom.notebook import MAX_BYTES, NotebookError, too_large

__all__ = ["File", "files_in"]

MAX_FILES = 100_000  # of one source
MAX_DEPTH = 20
MAX_NAME = 1000  # characters
CLUTTER = ("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", ".ipynb_checkpoints", ".git")
CLIMBS = re.compile(r"(^|[/\\])\.\.([/\\]|$)")
LINK = "It is no file but a link. Hand in the notebook itself."
ABSOLUTE = re.compile(r"^([/\\]|[A-Za-z]:)")


@dataclass(frozen=True)
class File:
    """A file that was handed in.

    Attributes:
        path: its name in the source, with / between the parts. Never a place to write to.
        changed: when, as text that sorts; empty if unknown.
        read: its bytes. Raises NotebookError: it is too large or damaged; the message says which.
        problem: why it is not to be read; empty if nothing is wrong with it.
    """

    path: str
    changed: str
    read: Callable[[], bytes]
    problem: str = ""


@contextmanager
def files_in(source: Path) -> Iterator[list[File]]:
    """The files of a zip or a folder, as long as it is open.

    Raises:
        CourseError: it is no zip and no folder, or has too many files.
    """
    if source.is_dir():
        yield _counted(source, (each for each in _of_folder(source) if not _is_clutter(each.path)))
        return
    try:
        with zipfile.ZipFile(source) as packed:
            entries = (each for each in packed.infolist() if not each.filename.endswith("/"))
            found = (_of_zip(packed, each) for each in entries)
            yield _counted(source, (each for each in found if not _is_clutter(each.path)))
    except (zipfile.BadZipFile, NotImplementedError, EOFError, UnicodeError) as error:
        raise CourseError(
            f"{source} must be a whole zip, as it was downloaded: {error}. Download it again"
        ) from None


def _counted(source: Path, found: Iterator[File]) -> list[File]:
    kept: list[File] = []
    for each in found:
        if len(kept) == MAX_FILES:
            raise CourseError(
                f"{source} has more than {MAX_FILES:,} files; unpack it, and take away what are "
                "no notebooks"
            )
        kept.append(each)
    return kept


def _is_clutter(path: str) -> bool:
    return any(part in CLUTTER or part.startswith("._") for part in path.split("/"))


def _problem(path: str) -> str:
    """What is wrong with a file's name; empty if nothing is."""
    if CLIMBS.search(path) or ABSOLUTE.match(path):
        return "Its name leads out of the folder where it belongs, so it was not taken."
    if path.count("/") > MAX_DEPTH or len(path) > MAX_NAME:
        return f"It lies more than {MAX_DEPTH} folders deep, or its name is too long."
    return ""


def _name(entry: zipfile.ZipInfo) -> str:
    """A file's name in a zip. Canvas writes UTF-8 and does not say so."""
    if entry.flag_bits & 0x800:
        return entry.filename
    try:
        return entry.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return entry.filename


def _of_zip(packed: zipfile.ZipFile, entry: zipfile.ZipInfo) -> File:
    def read() -> bytes:
        if entry.file_size > MAX_BYTES:
            raise NotebookError(too_large(entry.file_size))
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise NotebookError(  # others may want gigabytes to begin with
                "The file is packed in a way that is not read. Hand in the notebook itself."
            )
        try:
            with packed.open(entry) as file:
                data = file.read(MAX_BYTES + 1)  # what it says of its size may be untrue
        except RuntimeError as error:  # NotImplementedError is one
            raise NotebookError(f"The file cannot be unpacked: {error}.") from None
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError):
            raise NotebookError(
                "The file is damaged in the zip. Hand it in again; if it stays so, your teacher "
                "can download the zip again."
            ) from None
        if len(data) > MAX_BYTES:
            raise NotebookError(too_large(len(data)))
        return data

    path = _name(entry)
    problem = _problem(path)
    if stat.S_ISLNK(entry.external_attr >> 16):
        problem = LINK
    changed = "{:04}-{:02}-{:02} {:02}:{:02}:{:02}".format(*entry.date_time)
    return File(path, changed, read, problem)


def _of_folder(top: Path) -> Iterator[File]:
    todo = [top]
    while todo:
        folder = todo.pop()
        try:
            inside = sorted(folder.iterdir(), reverse=True)
        except OSError as error:
            name = folder.relative_to(top).as_posix()
            yield File(name, "", bytes, f"The folder cannot be read: {error.strerror}.")
            continue
        for path in inside:
            name = path.relative_to(top).as_posix()
            if path.is_symlink():
                yield File(name, "", bytes, LINK)
            elif path.is_dir():
                if name.count("/") <= MAX_DEPTH and path.name not in CLUTTER:
                    todo.append(path)
            elif path.is_file():
                yield _on_disk(path, name)
            else:
                yield File(name, "", bytes, "It is no file but a device or a pipe.")


def _on_disk(path: Path, name: str) -> File:
    def read() -> bytes:
        try:
            with path.open("rb") as file:
                data = file.read(MAX_BYTES + 1)
                size = path.stat().st_size
        except OSError as error:
            raise NotebookError(f"The file cannot be read: {error.strerror}.") from None
        if len(data) > MAX_BYTES:
            raise NotebookError(too_large(size))
        return data

    return File(name, f"{path.stat().st_mtime_ns:020}", read)

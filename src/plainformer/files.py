"""Write a file so that readers see either the old version or the new one, never half of it.

The new content goes to a temporary file in the same folder, is forced to disk, and only then gets
its name, because a rename within one folder is atomic. If anything goes wrong on the way, the old
file is still there and the temporary one is removed.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

__all__ = ["atomic_open", "atomic_write", "readable_file", "shipped"]

_PACKAGE = Path(__file__).parent


def atomic_write(path: str | os.PathLike[str], data: bytes | str) -> None:
    """Replace the content of a file, or leave the file as it was if that fails.

    The folder must exist, and a symbolic link is followed. A `str` is written as UTF-8, with its
    line endings as they are. An error names the file, which has not changed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "note.txt"
    ...     atomic_write(path, "first")
    ...     atomic_write(path, "second")
    ...     path.read_text(), len(list(path.parent.iterdir()))
    ('second', 1)
    """
    with atomic_open(path) as file:
        file.write(data.encode("utf-8") if isinstance(data, str) else data)


@contextmanager
def atomic_open(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a binary file that replaces `path` when the `with` block ends without an error.

    Use it instead of `atomic_write` for content that is too large to hold in memory twice, such as
    a model's weights.
    """
    target = Path(path).resolve()
    if target.exists() and not target.is_file():  # as root, a rename would replace even /dev/null
        raise ValueError(f"path must be a regular file; got a folder, a device or a pipe: {target}")
    if target.exists() and not target.stat().st_mode & 0o222:
        raise PermissionError(f"path must be a file that may be written; got {target}")
    try:
        # The temporary file is in a folder of its own, so that it gets ordinary permissions and
        # disappears together with the folder whatever happens, Ctrl-C included.
        with tempfile.TemporaryDirectory(prefix=".plainformer-", dir=target.parent) as folder:
            temporary = Path(folder, "new")
            with temporary.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())  # the content has to reach the disk before the new name
            if target.exists():
                shutil.copymode(target, temporary)
            temporary.replace(target)
    except OSError as error:
        # A full disk is reported without a file name, so we add the one that the caller knows.
        if error.filename is None and error.errno is not None:
            error.filename = os.fspath(target)
        raise


def readable_file(path: str | os.PathLike[str]) -> Path:
    """Return the path of a file that the user named, or raise an error that says what is wrong.

    >>> readable_file("/dev/null")
    Traceback (most recent call last):
    ValueError: /dev/null is a device or a pipe; expected an ordinary file
    """
    file = Path(path).expanduser()
    if file.is_dir():
        raise ValueError(f"{file} is a folder; expected an ordinary file")
    if not file.exists():
        raise FileNotFoundError(f"there is no file {file} (looked in {Path.cwd()})")
    if not file.is_file():
        raise ValueError(f"{file} is a device or a pipe; expected an ordinary file")
    return file


def shipped(path: Path) -> Path:
    """Return `path`, which comes with the package, after checking that it was installed."""
    if not path.exists():
        name = path.relative_to(_PACKAGE).as_posix() if path.is_relative_to(_PACKAGE) else path
        raise FileNotFoundError(
            f"plainformer was installed without {name}, which is a part of it: install it again, "
            "with pip's option --force-reinstall"
        )
    return path

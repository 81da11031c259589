"""Write files so that nothing is ever lost: into a temporary name first, then renamed.

A program that dies halfway through ``open(path, "w").write(...)`` leaves half a file where a whole
one stood. Here the new content goes to a temporary file in the same folder, is forced to disk, and
only then takes the old file's name. A rename within one folder is atomic (POSIX ``rename``), so a
reader sees either the old file or the new one, never a piece of each.

Does not handle: two writers of the same path at once (the last rename wins, whole).
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

__all__ = ["atomic_open", "atomic_write"]


def atomic_write(path: str | os.PathLike[str], data: bytes | str) -> None:
    """Replace the content of `path` by `data`, or leave the old file as it was.

    Args:
        path: the file to write. Its folder must exist. A symbolic link is followed.
        data: the whole new content; a `str` is written as UTF-8, line ends untouched.

    Raises:
        TypeError: `data` is neither bytes nor str.
        OSError: the folder does not exist, the disk is full, and so on; `path` is unchanged.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "note.txt"
    >>> atomic_write(path, "first")
    >>> atomic_write(path, "second")
    >>> path.read_text(), len(list(path.parent.iterdir()))
    ('second', 1)
    >>> folder.cleanup()
    """
    if not isinstance(data, (bytes, str)):
        raise TypeError(f"data must be bytes or str; got {type(data).__name__}")
    with atomic_open(path) as file:
        file.write(data.encode("utf-8") if isinstance(data, str) else data)


@contextmanager
def atomic_open(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a binary file that takes the name `path` only when the `with` block ends well.

    For content that arrives in pieces, such as a download. When the block raises, the temporary
    file is removed and whatever stood at `path` stays.

    Args:
        path: the file to write. Its folder must exist. A symbolic link is followed.

    Raises:
        OSError: as for `open`; `path` is unchanged.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "pieces.bin"
    >>> with atomic_open(path) as file:
    ...     _ = file.write(b"one, ")
    ...     _ = file.write(b"two")
    >>> path.read_bytes()
    b'one, two'
    >>> folder.cleanup()
    """
    target = Path(path).resolve()
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    with temporary.open("xb") as file:
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())  # the bytes reach the disk before the name does
            file.close()
            if target.exists():
                shutil.copymode(target, temporary)
            temporary.replace(target)
        except BaseException:  # also Ctrl-C: never leave a stray file
            file.close()
            temporary.unlink(missing_ok=True)
            raise

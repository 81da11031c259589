"""Write files so that nothing is ever lost: into a temporary name first, then renamed.

A program that dies halfway through ``open(path, "w").write(...)`` leaves half a file where a whole
one stood. Here the new content goes to a temporary file in the same folder, is forced to disk, and
only then takes the old file's name. A rename within one folder is atomic (POSIX ``rename``), so a
reader sees either the old file or the new one, never a piece of each.

A new file under the old name would cut hard links and change the owner. So a file that has other
names, or an owner who cannot be kept, is written through, from the whole temporary file.

A program that is killed leaves its temporary file behind. The next one that writes into the folder
takes it away: a file that is being written is locked, one that was left behind is not.

But: of two writers of the same path at once, the last rename wins, whole. While a file is written
through, a reader may see a piece of it. On Windows a leftover stays: it cannot be told from a file
that is being written.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl  # locks; POSIX only
except ImportError:
    fcntl = None  # type: ignore[assignment]

__all__ = ["atomic_open", "atomic_write", "shipped"]

_PACKAGE = Path(__file__).parent

_PREFIX = ".plainformer-"


def atomic_write(path: str | os.PathLike[str], data: bytes | str) -> None:
    """Replace the content of `path` by `data`, or leave the old file as it was.

    Args:
        path: the file to write. Its folder must exist. A symbolic link is followed.
        data: the whole new content; a `str` is written as UTF-8, line ends untouched.

    Raises:
        TypeError: `data` is neither bytes nor str.
        ValueError: `path` is something other than a file, such as a device or a pipe.
        OSError: the folder does not exist, the file is write-protected, the disk is full, and so
            on; `path` is unchanged.

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
        ValueError, OSError: as for `atomic_write`; `path` is unchanged.

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
    old = _status_of(target)
    _remove_leftovers(target.parent)
    temporary, file = _new_temporary(target.parent)
    with file:
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())  # the bytes reach the disk before the name does
            if old is not None and not _inherit(temporary, old):
                _write_through(temporary, target)
                temporary.unlink()
            else:
                if fcntl is None:
                    file.close()  # Windows renames no open file, and has no lock to keep
                temporary.replace(target)  # still locked: nobody takes it for a leftover
        except BaseException:  # also Ctrl-C: never leave a stray file
            file.close()
            temporary.unlink(missing_ok=True)
            raise


def shipped(path: Path) -> Path:
    """Return `path`, a file or folder of the package's own, such as a checkpoint, if it is there.

    Raises:
        FileNotFoundError: the package was installed without it.

    >>> shipped(Path(__file__).with_name("py.typed")).name
    'py.typed'
    """
    if not path.exists():
        name = path.relative_to(_PACKAGE).as_posix() if path.is_relative_to(_PACKAGE) else path
        raise FileNotFoundError(
            f"plainformer was installed without {name}, which is a part of it: install it again, "
            "with pip's option --force-reinstall"
        )
    return path


def _status_of(target: Path) -> os.stat_result | None:
    """What stands at a path; None if nothing does. Refuse what must not be replaced."""
    try:
        status = target.stat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(f"path must be a file; got a folder: {target}")
    if not stat.S_ISREG(status.st_mode):
        raise ValueError(f"path must be a file; got a device, a pipe or a socket: {target}")
    # The administrator may write everywhere; that somebody took away the right still counts.
    if not (status.st_mode & 0o222 and os.access(target, os.W_OK)):
        raise PermissionError(f"path must be a file that may be written; got {target}")
    return status


def _new_temporary(folder: Path) -> tuple[Path, BinaryIO]:
    """A new empty file, locked. Its name is short: the target's own may be as long as names get."""
    while True:
        temporary = folder / f"{_PREFIX}{secrets.token_hex(8)}.tmp"
        file = temporary.open("xb")
        if fcntl is not None:
            with suppress(OSError):  # some network folders know no locks
                fcntl.flock(file, fcntl.LOCK_EX)
        if temporary.exists():  # nobody took it for a leftover before it was locked
            return temporary, file
        file.close()


def _remove_leftovers(folder: Path) -> None:
    """Remove the temporary files of programs that were killed: those that nobody holds locked."""
    if fcntl is None:
        return
    for leftover in folder.glob(f"{_PREFIX}{'[0-9a-f]' * 16}.tmp"):
        if not leftover.is_file():
            continue
        with suppress(OSError), leftover.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            leftover.unlink()


def _inherit(temporary: Path, old: os.stat_result) -> bool:
    """Give a file the owner and the permissions of the old one; False if it cannot replace it."""
    if old.st_nlink > 1:  # it has other names, which would keep the old content
        return False
    if hasattr(os, "chown"):
        try:
            os.chown(temporary, old.st_uid, old.st_gid)
        except PermissionError:
            return False
    temporary.chmod(stat.S_IMODE(old.st_mode))
    return True


def _write_through(temporary: Path, target: Path) -> None:
    """Copy the new content into the file that is there."""
    with temporary.open("rb") as new, target.open("r+b") as file:
        shutil.copyfileobj(new, file)
        file.truncate()
        file.flush()
        os.fsync(file.fileno())

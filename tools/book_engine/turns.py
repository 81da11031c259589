"""One build at a time, and no stamp of an older build left behind by a newer one.

`make book` and a plain ``jupyter-book build`` both come through here: the first takes the lock
before it looks at the files, the second when Sphinx starts. The stamp is what `make book` writes
after a good build; whoever builds next deletes it, because from then on the pages are others.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from filelock import BaseFileLock, FileLock, Timeout

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config

_held: list[BaseFileLock] = []  # a lock that nothing names any more would be let go


def stamp_file(folder: Path) -> Path:
    """Return the file that says what the pages below ``_build``, the `folder`, were built from."""
    return folder / "book.stamp"


def take_turn(folder: Path) -> BaseFileLock:
    """Wait until no other process builds below `folder`, and return the lock, which is held.

    A process that holds it may take it again.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / "book.lock", is_singleton=True)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        print("Another build is running; this one waits for it.", flush=True)
        lock.acquire()
    return lock


def begin(app: Sphinx, config: Config) -> None:
    """Take the lock until the process ends, and drop the stamp of the pages that are there."""
    folder = Path(app.outdir).parent
    _held.append(take_turn(folder))
    stamp_file(folder).unlink(missing_ok=True)


def setup(app: Sphinx) -> None:
    """Begin before anything is read or written below the folder of the build."""
    app.connect("config-inited", begin, priority=0)

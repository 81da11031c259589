"""What a page's outputs were made from, written down so that the next build can ask: still true?

One small JSON file a page. A page is outdated when its own cells changed, when the Python, the
requirements or the engine's way of running cells changed, or when a file that it imported or read
changed or went away. Nothing else re-executes a page.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

CHANGED_MEANWHILE = "changed while the page ran"  # a digest that no file has


def digest(data: bytes) -> str:
    """Return the SHA-256 of `data` as text."""
    return hashlib.sha256(data).hexdigest()


def file_digest(path: Path) -> str:
    """Return the digest of a file, or an empty string where there is none to read."""
    try:
        return digest(path.read_bytes())
    except OSError:
        return ""


def cells_digest(notebook: Mapping[str, Any]) -> str:
    """Return the digest of what a kernel is given: code cells with their tags, in order.

    Prose is not part of it: a corrected sentence executes nothing.
    """
    cells = [
        [cell["source"], cell["metadata"]]
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]
    kernel = notebook["metadata"].get("kernelspec", {})
    return digest(json.dumps([cells, kernel], sort_keys=True).encode())


def surroundings_digest(requirements: Path, code: Iterable[Path]) -> str:
    """Return the digest of what every page shares: Python, the pins, the code that runs cells."""
    parts = [platform.python_version(), file_digest(requirements), *map(file_digest, code)]
    return digest("\n".join(parts).encode())


@dataclass
class Record:
    """Where a page's outputs came from."""

    cells: str  # cells_digest
    surroundings: str  # surroundings_digest
    files: dict[str, str] = field(default_factory=dict)  # file -> digest when the page ran
    seconds: float = 0.0  # how long it took: the slowest page starts first
    outputs: str = ""  # digest of the executed notebook

    def reason(self, cells: str, surroundings: str, root: Path) -> str:
        """Return why the page must run again, in words; empty when it need not."""
        if self.cells != cells:
            return "its cells changed"
        if self.surroundings != surroundings:
            return "Python, the requirements or the engine changed"
        for name, was in self.files.items():
            if file_digest(root / name) != was:
                return f"{name} changed"
        return ""


def note_files(files: Iterable[str], root: Path, started: float) -> dict[str, str]:
    """Return each file's digest, by its path from `root` where it lies inside.

    A file written after `started` (seconds since the epoch) may have been read before or after the
    change, so it gets a digest that never holds: the next build runs the page again.
    """
    noted = {}
    for name in files:
        path = Path(name)
        inside = path.is_relative_to(root)
        key = path.relative_to(root).as_posix() if inside else path.as_posix()
        meanwhile = path.stat().st_mtime > started
        noted[key] = CHANGED_MEANWHILE if meanwhile else file_digest(path)
    return dict(sorted(noted.items()))


class Records:
    """The records of all pages, one file each, in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, page: str) -> Path:
        """Return the file that holds the record of `page`."""
        return self.folder / f"{page.replace('/', '~')}.json"

    def read(self, page: str) -> Record | None:
        """Return the record of `page`, or None where there is none that can be read."""
        try:
            return Record(**json.loads(self.path(page).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def write(self, page: str, record: Record) -> None:
        """Keep the record of `page`, whole or not at all."""
        self.folder.mkdir(parents=True, exist_ok=True)
        new = self.path(page).with_suffix(".new")
        new.write_text(json.dumps(asdict(record), indent=1), encoding="utf-8")
        new.replace(self.path(page))

    def forget(self, page: str) -> None:
        """Drop the record of `page`: it ran and failed."""
        self.path(page).unlink(missing_ok=True)

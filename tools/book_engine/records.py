"""What a page's outputs were made from, written down so that the next build can ask: still true?

One small JSON file a page. A page is outdated when its own cells changed, when the Python, the
requirements or the engine's way of running cells changed, or when a file that it imported or read
changed, came or went away, or a folder that it listed has other names in it. Nothing else
re-executes a page; `recorder` says what it cannot see.

Of an ``__init__.pyi``, in which a part of the package lists its public names, only the lines that
lead to modules that the page used count, so that a new name does not re-execute the pages that have
no use for it. A cell that prints all names of a part would therefore not notice a new one.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from .recorder import names_in

# What decides how cells run, beside the cells themselves.
CODE = [Path(__file__).with_name(f"{n}.py") for n in ("execution", "recorder", "records", "pages")]
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


def listing_digest(names: list[str] | None) -> str:
    """Return the digest of the names in a folder, or an empty string where there is no folder."""
    return "" if names is None else digest(json.dumps(names).encode())


def state(root: Path, name: str, used: Container[str] = ()) -> str:
    """Return the digest of a file, or of a folder's names where `name` ends with a slash.

    used: the names of all files that the page used, which decide what counts in an `__init__.pyi`.
    """
    if name.endswith("/"):
        return listing_digest(names_in(str(root / name)))
    if name.endswith("__init__.pyi") and (root / name).is_file():
        return digest("".join(lines_that_lead_to(used, root, name)).encode())
    return file_digest(root / name)


def lines_that_lead_to(used: Container[str], root: Path, stub: str) -> list[str]:
    """Return the lines of `stub`, a list of public names, that import from one of the files."""
    part, lines = stub.removesuffix("__init__.pyi"), []
    for line in (root / stub).read_text(encoding="utf-8").splitlines(keepends=True):
        found = re.match(r"from \.([\w.]+) import ", line)
        module = part + (found[1].replace(".", "/") if found else "")
        if f"{module}.py" in used or f"{module}/__init__.py" in used:
            lines.append(line)
    return lines


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


def surroundings_digest(requirements: Path, code: Iterable[Path] = CODE) -> str:
    """Return the digest of what every page shares: Python, the pins, the code that runs cells."""
    parts = [platform.python_version(), file_digest(requirements), *map(file_digest, code)]
    return digest("\n".join(parts).encode())


@dataclass
class Record:
    """Where a page's outputs came from."""

    cells: str  # cells_digest
    surroundings: str  # surroundings_digest
    files: dict[str, str] = field(default_factory=dict)  # file, or folder/ -> state at the run
    seconds: float = 0.0  # how long it took: the slowest page starts first
    outputs: str = ""  # digest of the executed notebook

    def reason(self, cells: str, surroundings: str, root: Path) -> str:
        """Return why the page must run again, in words; empty when it need not."""
        if self.cells != cells:
            return "its cells changed"
        if self.surroundings != surroundings:
            return "Python, the requirements or the engine changed"
        changed = self.changed_file(root)
        return f"{changed} changed" if changed else ""

    def changed_file(self, root: Path) -> str:
        """Return the first file or folder that is not as it was; an empty string if all are."""
        changed = (name for name, was in self.files.items() if state(root, name, self.files) != was)
        return next(changed, "")


def key(path: Path, root: Path) -> str:
    """Return a path as records name it: from `root` where it lies inside."""
    return (path.relative_to(root) if path.is_relative_to(root) else path).as_posix()


def note_files(
    files: Iterable[str],
    root: Path,
    started: float,
    listings: Mapping[str, list[str] | None] | None = None,
) -> dict[str, str]:
    """Return the state of each file that a page used, and of each folder that it listed.

    A file written or moved there after `started` (seconds since the epoch) may have been read
    before or after the change, so it gets a digest that never holds: the next build runs the page
    again. The names in a folder are those that the page was given.
    """
    noted = {}
    used = {key(path, root): path for path in map(Path, files)}
    for name, path in used.items():
        try:
            times = path.stat()
        except OSError:  # looked for, and not there
            noted[name] = ""
            continue
        # A file that is moved keeps the time of its contents; the other time says when it came.
        meanwhile = max(times.st_mtime, times.st_ctime) > started
        noted[name] = CHANGED_MEANWHILE if meanwhile else state(root, name, used)
    for folder, names in (listings or {}).items():
        noted[f"{key(Path(folder), root)}/"] = listing_digest(names)
    return dict(sorted(noted.items()))


def folder(build: Path) -> Path:
    """Return the folder of all pages' records, below the folder of a build, ``_build``."""
    return build / ".jupyter_cache" / "pages"


def outputs_folder(build: Path, page: str) -> Path:
    """Return the folder of one page's own jupyter-cache, below the folder of a build."""
    return build / ".jupyter_cache" / "outputs" / file_name(page)


def file_name(page: str) -> str:
    """Return a name for the files of one page, which no other page has.

    >>> file_name("book/index"), file_name("book=2Findex")
    ('book=2Findex', 'book=3D2Findex')
    """
    return quote(page, safe="").replace("%", "=")  # a percent sign means something to databases


def page_name(file_name: str) -> str:
    """Return the page that a file name stands for.

    >>> page_name("book=2Findex")
    'book/index'
    """
    return unquote(file_name.replace("=", "%"))


class Records:
    """The records of all pages, one file each, in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, page: str) -> Path:
        """Return the file that holds the record of `page`."""
        return self.folder / f"{file_name(page)}.json"

    def all(self) -> dict[str, Record | None]:
        """Return the records that there are, by page; None for one that cannot be read."""
        pages = sorted(page_name(path.stem) for path in self.folder.glob("*.json"))
        return {page: self.read(page) for page in pages}

    def changed_file(self, root: Path) -> str:
        """Return a file or folder, used by any page, that is not as it was; or an empty string."""
        for page, record in self.all().items():
            changed = record.changed_file(root) if record else self.path(page).name
            if changed:
                return changed
        return ""

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

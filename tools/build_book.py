"""Build the book into ``_build/html``; called by ``make book``.

    python tools/build_book.py            # build what changed
    python tools/build_book.py --force    # look at every page again (cells run only if outdated)

When nothing that the book is made from changed since the last good build, it says so at once: the
inputs named here, and whatever file the pages were seen to read (`book_engine.records`). Two builds
never run together: the second waits for the first. The next call after a build that failed, or that
was not started from here, builds again (`book_engine.turns`).
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from book_engine.records import Records
from book_engine.records import folder as records_folder
from book_engine.turns import stamp_file, take_turn
from public_address import AddressError, read_address

ROOT = Path(__file__).resolve().parents[1]
INPUTS = (
    "LICENSE",  # the site carries the wheel, and this and README.md are in it
    "LICENSES.md",
    "README.md",
    "_config.yml",
    "_toc.yml",
    "book",
    "index.md",
    "notebooks",  # pages offer them to download
    "pyproject.toml",  # the public address
    "references.bib",
    "requirements.txt",
    "src/plainformer",
    "tools/book_engine",
    "tools/build_book.py",
    "tools/build_wheel.py",
    "tools/public_address.py",
    "tools/zip_site.py",
)
NOT_INPUTS = {"__pycache__", ".ipynb_checkpoints", "jupyter_execute"}


def input_files(root: Path) -> Iterator[Path]:
    """Yield every file that the book is made from, in a fixed order."""
    for name in INPUTS:
        path = root / name
        if path.is_file():
            yield path
            continue
        for folder, folders, files in os.walk(path):
            folders[:] = sorted(set(folders) - NOT_INPUTS)
            yield from (Path(folder) / file for file in sorted(files) if not is_dropping(file))


def is_dropping(name: str) -> bool:
    """True for a file that an editor or a system leaves behind.

    >>> [is_dropping(name) for name in (".index.md.swp", "index.md~", "#index.md#", "index.md")]
    [True, True, True, False]
    """
    return name[0] in ".#" or name[-1] == "~"


def fingerprint(root: Path) -> str:
    """Return a digest of all inputs: names, contents, and the Python that runs the cells."""
    seen = hashlib.sha256(f"{platform.python_version()} {sys.prefix}".encode())
    seen.update(os.environ.get("PLAINFORMER_DATA", "").encode())
    seen.update(os.environ.get("PLAINFORMER_SOLUTIONS", "yes").encode())
    for path in input_files(root):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        seen.update(f"{path.relative_to(root).as_posix()} {content}\n".encode())
    return seen.hexdigest()


def up_to_date(root: Path, folder: Path, now: str) -> bool:
    """True where the last build was good, and nothing that it or its pages read has changed.

    Of the site only the root page is looked at, which every good build writes.
    """
    stamp = stamp_file(folder)
    if not (folder / "html" / "index.html").is_file() or not stamp.is_file():
        return False
    if stamp.read_text(encoding="utf-8") != now:
        return False
    return not Records(records_folder(folder)).changed_file(root)


def run_jupyter_book(root: Path, output: Path) -> int:
    """Build strictly: a warning, a missing reference or a cell that raises is an error."""
    from jupyter_book.cli.main import main as jupyter_book  # takes a second, so not before

    command = ["build", str(root), "--path-output", str(output), "-W", "-n", "--keep-going"]
    try:
        jupyter_book(command, standalone_mode=False)
    except (RuntimeError, SystemExit):  # Sphinx has said above what is wrong
        return 1
    return 0


def build(root: Path, output: Path, *, force: bool = False) -> int:
    """Build the book of `root` below `output` unless it is up to date; return an exit status."""
    try:
        read_address(root)
    except AddressError as problem:
        print(f"{problem}\nThe book was not built.", file=sys.stderr)
        return 1
    folder = output / "_build"
    stamp, index = stamp_file(folder), folder / "html" / "index.html"
    lock = take_turn(folder)
    try:
        started, now = time.perf_counter(), fingerprint(root)
        if not force and up_to_date(root, folder, now):
            print("The book is up to date: nothing changed since the last build.")
        else:
            stamp.unlink(missing_ok=True)
            status = run_jupyter_book(root, output)
            if status:
                print(f"\nThe book was not built (exit status {status}).", file=sys.stderr)
                return status
            # What changed while it was built is not in it: the stamp says what it was built from.
            stamp.write_text(now, encoding="utf-8")
            print(f"\nThe book is built ({time.perf_counter() - started:.1f} s).")
    finally:
        lock.release()
    print(f"Pages:  {index.parent}")
    print(f"Open:   {index.as_uri()}   or run `make serve` (or tools/course.py serve)")
    return 0


def main() -> int:
    """Read the command line and build."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--force", action="store_true", help="build although nothing changed")
    arguments = parser.parse_args()
    return build(ROOT, ROOT, force=arguments.force)


if __name__ == "__main__":
    raise SystemExit(main())

"""Runs inside a page's kernel: notes which files the page imports, reads and lists.

Its source is sent to the kernel as text, so it uses the standard library only. `install` is called
before the first cell, `report` after the last; no name of the page is touched.

It sees files opened, and folders listed, by Python code in the kernel's own process; a file that
was not there counts, too. What stays unseen: files that a subprocess or a C library opens by
itself, and questions that open nothing (``Path.exists``, a module that could not be imported).
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import sysconfig
import types
from pathlib import Path
from typing import Any

MODULE = "_book_engine_recorder"  # where the kernel keeps the recorder between the two calls


def install() -> None:
    """Start to note the files that the kernel opens for reading, and the folders that it lists."""
    opened: set[str] = set()
    listed: dict[str, list[str] | None] = {}

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event in ("os.listdir", "os.scandir"):
            caller = sys._getframe(1).f_code
            # The import system lists folders to find a module: what it found says enough.
            if caller is not names_in.__code__ and "importlib" not in caller.co_filename:
                note_folder(args[0])
            return
        if event != "open" or not isinstance(args[0], str | bytes | os.PathLike):
            return
        mode, flags = args[1], args[2]
        if mode:
            writes = any(letter in mode for letter in "wax")
        else:
            writes = bool(flags & (os.O_WRONLY | os.O_CREAT))
        if not writes:
            opened.add(str(Path.cwd() / os.fsdecode(args[0])))

    def note_folder(name: Any) -> None:
        if name is None or isinstance(name, str | bytes | os.PathLike):
            folder = str(Path.cwd() / os.fsdecode(name or "."))
            listed.setdefault(folder, names_in(folder))  # the first answer: a later one may differ

    module = types.ModuleType(MODULE)
    vars(module).update(opened=opened, listed=listed)
    sys.modules[MODULE] = module
    sys.addaudithook(hook)


def report(path: str, roots: list[str], excluded: list[str]) -> None:
    """Write to `path` what the page used, as JSON: "files", and "listings" of folders by name.

    A module of a project counts wherever it lies. A file that was opened, and a folder that was
    listed, counts where it lies in one of `roots` or beside such a module. Installed packages, the
    standard library and the folders in `excluded` never count.
    """
    installed = [
        sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")
    ]
    never = {Path(folder).resolve() for folder in [*installed, *excluded]}
    # The interpreter's own start may import a file from elsewhere, as Debian's does from /etc.
    start = ("sitecustomize", "usercustomize")
    origins = [
        getattr(module, "__file__", None)
        for name, module in list(sys.modules.items())
        if name not in start
    ]
    # A name without a folder is none of a file: some of torch's modules have one that says no more.
    named = [Path(name) for name in origins if isinstance(name, str)]
    modules = {name.resolve() for name in named if name.is_absolute()}
    modules = {file for file in modules if never.isdisjoint(file.parents)}
    homes = {Path(root).resolve() for root in roots} | {file.parent for file in modules}

    def counts(file: Path) -> bool:
        around = [file, *file.parents]
        return not homes.isdisjoint(around) and never.isdisjoint(around)

    seen = vars(sys.modules[MODULE])
    opened = {Path(source_of(name)).resolve() for name in seen["opened"]}
    files = modules | {file for file in opened if counts(file) and not file.is_dir()}
    listed = {Path(name).resolve(): names for name, names in seen["listed"].items()}
    listings = {
        str(folder): names
        for folder, names in listed.items()
        if counts(folder) and "__pycache__" not in folder.parts
    }
    used = {"files": sorted(map(str, files)), "listings": listings}
    Path(path).write_text(json.dumps(used), encoding="utf-8")


def names_in(folder: str) -> list[str] | None:
    """Return the sorted names in a folder without those that come by themselves; None if none.

    >>> names_in("no such folder") is None
    True
    """
    try:
        names = os.listdir(folder)  # noqa: PTH208 (the hook knows this call by who makes it)
    except OSError:
        return None
    return sorted(n for n in names if n[0] not in ".#" and n[-1] != "~" and n != "__pycache__")


def source_of(name: str) -> str:
    """Return the source file that a byte-code file was made from; any other name as it is.

    >>> source_of("data/words.txt")
    'data/words.txt'
    """
    if not name.endswith(".pyc"):
        return name
    try:
        return importlib.util.source_from_cache(name)
    except ValueError:
        return name

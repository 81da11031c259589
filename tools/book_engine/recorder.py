"""Runs inside a page's kernel: notes which files the page imports and reads.

Its source is sent to the kernel as text, so it uses the standard library only. `install` is called
before the first cell, `report` after the last; no name of the page is touched.

It sees files opened by Python code in the kernel's own process. Files that a subprocess or a C
library opens by itself stay unseen.
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
    """Start to note the files that the kernel opens for reading."""
    opened: set[str] = set()

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event != "open" or not isinstance(args[0], str | bytes | os.PathLike):
            return
        mode, flags = args[1], args[2]
        if mode:
            writes = any(letter in mode for letter in "wax")
        else:
            writes = bool(flags & (os.O_WRONLY | os.O_CREAT))
        if not writes:
            opened.add(str(Path.cwd() / os.fsdecode(args[0])))

    module = types.ModuleType(MODULE)
    vars(module)["opened"] = opened
    sys.modules[MODULE] = module
    sys.addaudithook(hook)


def report(path: str, roots: list[str], excluded: list[str]) -> None:
    """Write to `path` a JSON list of the files that the page used.

    A module of a project counts wherever it lies. Any other file counts where it was opened and
    lies in one of `roots` or beside such a module. Installed packages, the standard library and
    the folders in `excluded` never count.
    """
    installed = [
        sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")
    ]
    never = {Path(folder).resolve() for folder in [*installed, *excluded]}
    origins = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    modules = {Path(name).resolve() for name in origins if isinstance(name, str)}
    modules = {file for file in modules if never.isdisjoint(file.parents)}
    homes = {Path(root).resolve() for root in roots} | {file.parent for file in modules}
    opened = {Path(source_of(name)).resolve() for name in vars(sys.modules[MODULE])["opened"]}
    read = {
        file
        for file in opened
        if not homes.isdisjoint(file.parents) and never.isdisjoint(file.parents)
    }
    files = sorted(str(file) for file in modules | read if file.is_file())
    Path(path).write_text(json.dumps(files), encoding="utf-8")


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

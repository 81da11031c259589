"""What a sandbox leaves out for an exercise that forbids packages.

An empty folder is put over every copy of such a package that a submission could see, so that its
files are not there, however they are asked for. Of Plainformer itself a few files remain, because
the worker consists of them; no formula is among them.

The worker also refuses the imports, which only serves to say in the student's words why they fail.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from pathlib import Path

import plainformer

__all__ = ["KEPT", "copies", "ours", "without_imports"]

PACKAGE = Path(plainformer.__file__).resolve().parent
KEPT = (
    "__init__.py", "_lazy.py", "arrays.py",
    *(f"classroom/{name}.py"
      for name in ("__init__", "namespaces", "syscalls", "wire", "worker", "zygote")),
)  # fmt: skip
"""The files of Plainformer that a worker consists of."""


def ours(forbids: Collection[str]) -> bool:
    """Whether Plainformer itself is forbidden."""
    return PACKAGE.name in forbids


def copies(forbids: Collection[str], bound: Collection[tuple[str, str]]) -> list[tuple[str, bool]]:
    """Where forbidden packages would be visible, and whether it is a folder or a single file.

    Args:
        forbids: names of packages.
        bound: what of this machine can be read in a sandbox, and under which path.
    """
    found: dict[str, bool] = {}
    for path in _on_this_machine(forbids):
        for here, there in bound:
            if path.is_relative_to(here):
                found[str(Path(there, path.relative_to(here)))] = path.is_dir()
    return list(found.items())


def _on_this_machine(forbids: Collection[str]) -> Iterator[Path]:
    """Every copy of the packages, in the interpreter's folders and in those of the system."""
    places = {Path(each).resolve() for each in sys.path if each}
    for base in {Path("/usr"), Path("/usr/local"), Path(sys.base_prefix).resolve()}:
        for kind in ("site-packages", "dist-packages"):
            places |= {path.resolve() for path in base.glob(f"lib*/python3*/{kind}")}
    for place in sorted(places):
        for name in forbids:
            for path in (place / name, *place.glob(f"{name}.py"), *place.glob(f"{name}.*.so")):
                if path.exists() and path != PACKAGE:
                    yield path


def without_imports(cell: str, forbids: Collection[str]) -> str:
    """A cell without the lines that import forbidden packages; the others keep their numbers.

    The cell of imports is shared by all exercises of a notebook, and one of them may need what
    another one forbids.

    >>> without_imports("import torch\\nimport numpy as np", ["torch"])
    '\\nimport numpy as np'
    """
    from plainformer.classroom.fingerprints import parsed

    lines = cell.splitlines()
    for step in parsed(cell).body if forbids else ():
        names = [each.name for each in getattr(step, "names", ())]
        module = getattr(step, "module", None)
        tops = {each.partition(".")[0] for each in ([module] if module else names)}
        if tops & set(forbids):
            for number in range(step.lineno - 1, step.end_lineno or step.lineno):
                lines[number] = ""
    return "\n".join(lines)

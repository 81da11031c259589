"""Which cells of which pages run where only some packages are at hand; run in a process of its own.

    python probe.py < pages.json > answers.json

The input has the pages, each a list of sources, and the names of the packages. The cells of a page
run in order. The answer for a cell is true if it runs, or else those of its statements that do: a
page's first cell usually imports more than can be had, and later cells need the rest of it.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.abc
import io
import json
import signal
import sys
from pathlib import Path
from typing import Any

LONGEST = 120  # seconds for a cell


class OnlyThese(importlib.abc.MetaPathFinder):
    """Refuses to import anything but the standard library and the packages that are at hand."""

    def __init__(self, packages: list[str]) -> None:
        self.allowed = {*sys.stdlib_module_names, *packages, "__main__"}

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        """Raise for a package that is not at hand; leave all others to the usual finders."""
        if name.partition(".")[0] not in self.allowed:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def pieces(source: str) -> list[str]:
    r"""Return the statements of a cell, and an import as one line for each name.

    >>> pieces("import a.b as c\nfrom d import e, f as g\nx = 1")
    ['import a.b as c', 'from d import e', 'from d import f as g', 'x = 1']
    """
    lines = []
    for each in ast.parse(source).body:
        if isinstance(each, ast.Import | ast.ImportFrom):
            for alias in each.names:
                one = ast.copy_location(type(each)(**{**vars(each), "names": [alias]}), each)
                lines.append(ast.unparse(one))
        else:
            lines.append(ast.unparse(each))
    return lines


def runs(source: str, names: dict[str, Any]) -> bool:
    """Run a piece of code in a namespace, quietly and for a limited time; say whether it ends well.

    >>> runs("x = 1", names := {}), names["x"], runs("1 / 0", {})
    (True, 1, False)
    """
    alarm(LONGEST)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            exec(compile(source, "<cell>", "exec"), names)
    except BaseException:  # a cell may raise anything, SystemExit included
        return False
    finally:
        alarm(0)
    return True


def alarm(seconds: int) -> None:
    """Raise TimeoutError after that many seconds, or never for 0; Windows has no such signal."""
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, late)
        signal.alarm(seconds)


def late(*_: object) -> None:
    raise TimeoutError


def main() -> None:
    """Answer what is asked on standard input."""
    asked = json.load(sys.stdin)
    if "numpy" not in asked["packages"]:
        sys.path.insert(0, str(Path(__file__).with_name("page")))
        numpy_stand_in = importlib.import_module("numpy_stand_in")

        numpy_stand_in.install()
    sys.meta_path.insert(0, OnlyThese(asked["packages"]))
    answers: dict[str, list[bool | list[str]]] = {}
    for page, sources in asked["pages"].items():
        names: dict[str, Any] = {"__name__": "__main__"}
        answers[page] = [
            True if runs(each, names) else [one for one in pieces(each) if runs(one, names)]
            for each in sources
        ]
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()

"""The worker: loads a student's cells, then answers one call at a time.

It runs inside a sandbox and knows nothing but what the judge sends: no expected answer, no
reference, no secret. All that it says may be a lie, for the student's code lives in the same
process; the judge believes none of it. `PROTOCOL.md` says what goes back and forth.

    python -m plainformer.classroom.worker READS WRITES    (two file descriptors)
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import copy
import inspect
import linecache
import os
import pickle
import sys
import traceback
import types
from collections.abc import Callable
from importlib.abc import MetaPathFinder
from typing import Any

import numpy as np

from plainformer.classroom.syscalls import no_core
from plainformer.classroom.wire import pack, read_message

__all__ = ["Shell", "Worker", "serve", "without_checks"]

CELL = "<answer>"  # the file name of a student's code
SHOWN = 300  # characters of what is told of an exception or was printed


class Worker:
    """What a worker knows: the names that the student's cells have made.

    >>> worker = Worker()
    >>> worker.load({"cells": ["def double(x):\\n    return 2 * x"], "entry": "double", "n": 1})
    {'kind': 'loaded', 'callable': True, 'fits': True}
    >>> worker.call({"args": [21]})
    {'kind': 'returned', 'value': 42, 'changed': [], 'printed': ''}
    """

    def __init__(self) -> None:
        self.names: dict[str, Any] = {}
        self.lines: list[str] = []
        self.answer: Callable[..., Any] = lambda: None

    def load(self, message: dict[str, Any]) -> dict[str, Any]:
        """Run the cells; say whether the answer is there, and can be called with n arguments."""
        for name, source in message.get("modules", []):
            self._add_module(name, source)
        forbidden = message.get("forbids")
        if forbidden and not isinstance(sys.meta_path[0], Refusing):
            sys.meta_path.insert(0, Refusing(forbidden))
        self.names = {"__name__": "__main__", "__builtins__": builtins}
        cells = [_plain_python(cell) for cell in message["cells"]]
        with _listening() as printed:
            for cell in cells:
                self.lines = cell.splitlines()
                try:
                    exec(compile(cell, CELL, "exec"), self.names)
                except BaseException as error:
                    return {"kind": "raised", "printed": printed(), **self._told(error)}
        found = self.names.get(message["entry"])
        if not callable(found):
            return {"kind": "loaded", "callable": False, "fits": False}
        self.answer = found
        return {"kind": "loaded", "callable": True, "fits": _fits(found, message["n"])}

    def call(self, message: dict[str, Any]) -> dict[str, Any]:
        """Call the answer; say what it returned or raised, and which arguments it changed."""
        args = message["args"]
        given = copy.deepcopy(args)
        with _listening() as printed:
            try:
                value = self.answer(*given)
            except BaseException as error:
                return {"kind": "raised", "printed": printed(), **self._told(error)}
        changed = [i for i, (one, other) in enumerate(zip(args, given)) if not _same(one, other)]  # noqa: B905
        return {"kind": "returned", "value": value, "changed": changed, "printed": printed()}

    def _add_module(self, name: str, source: str) -> None:
        """A module of the exercise's, which its arguments need."""
        module, file = types.ModuleType(name), f"<{name}>"
        sys.modules[name] = module
        linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
        module.__file__ = file
        exec(compile(source, file, "exec"), vars(module))

    def _told(self, error: BaseException) -> dict[str, Any]:
        """An exception in words, and the student's own line."""
        steps = [step for step in traceback.extract_tb(error.__traceback__) if step[0] == CELL]
        number = steps[-1].lineno if steps else getattr(error, "lineno", None)
        number = number if isinstance(number, int) else 0
        line = self.lines[number - 1].strip() if 0 < number <= len(self.lines) else ""
        try:
            said = str(error)
        except BaseException:
            said = ""
        return {"error": type(error).__name__, "said": said[:SHOWN], "line": line[:SHOWN]}


def serve(reads: int, writes: int) -> None:
    """Answer one message after the other until there are no more."""
    worker = Worker()
    with os.fdopen(reads, "rb") as source, os.fdopen(writes, "wb", buffering=0) as target:
        while source.peek(1):
            message = read_message(source.read, made=pickle.loads)
            answer = {"load": worker.load, "call": worker.call}[message["kind"]](message)
            try:
                data = pack(answer)
            except BaseException as error:  # a value whose own methods fail
                data = pack({"kind": "raised", "printed": "", **worker._told(error)})
            target.write(data)


def _plain_python(cell: str) -> str:
    """A cell without what only IPython reads; its lines keep their numbers."""
    try:
        ast.parse(cell)
    except SyntaxError:
        with contextlib.suppress(ImportError):
            from IPython.core import inputtransformer2

            transform: Any = inputtransformer2.TransformerManager
            plain: str = transform().transform_cell(cell)
            return plain
    except (ValueError, RecursionError, MemoryError):
        pass  # a NUL, or brackets without end: `compile` says it again
    return cell


def _fits(function: Callable[..., Any], n: int) -> bool:
    try:
        inspect.signature(function).bind(*range(n))
    except TypeError:
        return False
    except ValueError:  # some built-in functions have no signature
        return True
    return True


def _same(before: Any, after: Any) -> bool:
    """Whether an argument is what it was; objects of unknown kinds count as kept."""
    try:
        if type(before) is type(after) is np.ndarray and before.dtype != object:  # the quick way
            alike = (before.dtype, before.shape) == (after.dtype, after.shape)
            return alike and before.tobytes() == after.tobytes()
        return pack({"": before}) == pack({"": after})
    except BaseException:
        return False


class _Ear:
    """Keeps the beginning of what is printed."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self.heard = ""

    def write(self, text: str) -> int:
        if len(self.heard) < SHOWN:
            self.heard = (self.heard + text)[:SHOWN]
        return len(text)

    def flush(self) -> None: ...

    def isatty(self) -> bool:
        return False


@contextlib.contextmanager
def _listening() -> Any:
    ear: Any = _Ear()
    with contextlib.redirect_stdout(ear), contextlib.redirect_stderr(ear):
        yield lambda: ear.heard


class Refusing(MetaPathFinder):
    """Says why a package that the exercise forbids is not there. It is the sandbox that lacks it;
    code could take this away, and would gain nothing."""

    def __init__(self, forbidden: list[str]) -> None:
        self.forbidden = forbidden

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if (top := name.partition(".")[0]) in self.forbidden:
            raise ModuleNotFoundError(f"this exercise is to be solved without {top}")


class Shell:
    """Stands where IPython's shell would: magics do nothing here."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *args, **options: None


def without_checks() -> None:
    """Let a cell import `check` and `hint`, which say nothing here."""
    module: Any = types.ModuleType("plainformer.exercises")
    module.check = module.hint = module.points = lambda *args: None
    own: Any = types.ModuleType("course_exercises")
    for each in (module, own):
        each.__path__ = []  # a package, whose modules the judge may send
        sys.modules[each.__name__] = each


if __name__ == "__main__":
    no_core()
    without_checks()
    builtins.get_ipython = Shell  # type: ignore[attr-defined]
    serve(int(sys.argv[1]), int(sys.argv[2]))

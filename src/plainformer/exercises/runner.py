"""Call an answer once, safely, and keep what came of it.

The answer gets deep copies of the arguments, so that it can spoil neither the next case nor the
comparison; what it prints is kept aside; whatever it raises, `sys.exit()` included, is caught.
"""

from __future__ import annotations

import contextlib
import copy
import dis
import inspect
import io
import linecache
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType
from typing import Any

import numpy as np

from plainformer.arrays import as_numpy
from plainformer.exercises.limit import OutOfTime, call_within

__all__ = ["Outcome", "does_nothing", "line_of", "run"]


@dataclass(frozen=True)
class Outcome:
    """What one call did: a value or an error, what it printed, which arguments it changed."""

    value: Any = None
    error: BaseException | None = None
    printed: str = ""
    changed: tuple[int, ...] = ()

    @property
    def out_of_time(self) -> bool:
        return isinstance(self.error, OutOfTime)


def run(function: Callable[..., Any], args: tuple[Any, ...], seconds: float) -> Outcome:
    """Call `function` with copies of `args` and a time limit; never raise for what it does.

    >>> run(lambda items: items.pop(), ([1, 2],), seconds=1.0)
    Outcome(value=2, error=None, printed='', changed=(0,))
    """
    given = copy.deepcopy(args)
    printed = io.StringIO()
    value, error = None, None
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            value = call_within(seconds, lambda: function(*given))
        except KeyboardInterrupt:  # the reader pressed "stop": that is for the notebook
            raise
        except BaseException as caught:
            error = caught
    changed = tuple(i for i in range(len(args)) if _changed(args[i], given[i]))
    # The copy keeps this answer as it was, should the next call change the same object.
    with contextlib.suppress(Exception):
        value = copy.deepcopy(value)
    return Outcome(value, error, printed.getvalue(), changed)


def does_nothing(function: Callable[..., Any]) -> bool:
    """Whether a function's body is empty: `...`, `pass`, a docstring, or a bare `return`.

    >>> def stub(x):
    ...     "Compute something."
    ...     ...
    >>> does_nothing(stub), does_nothing(lambda x: x)
    (True, False)
    """
    code = _code(function)
    if code is None:
        return False
    idle = {"RESUME", "NOP", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST"}
    return {step.opname for step in dis.get_instructions(code)} <= idle


def line_of(function: Callable[..., Any], error: BaseException) -> str | None:
    """Where in the reader's own code an error came from: "in line 3 of merge:  return x[9]"."""
    code, trace = _code(function), error.__traceback__
    found = None
    while trace is not None and code is not None:
        frame = trace.tb_frame
        if frame.f_code.co_filename == code.co_filename:
            found = frame.f_code, trace.tb_lineno
        trace = trace.tb_next
    if found is None:
        return None
    where, number = found
    if where.co_name.startswith("<"):  # a lambda or a comprehension has no name to look for
        where = code if code and number >= code.co_firstlineno else where
    text = linecache.getline(where.co_filename, number).strip()
    place = f"in line {number - where.co_firstlineno + 1} of {where.co_name}"
    return f"{place}:  {text}" if text else place


def _code(function: Callable[..., Any]) -> CodeType | None:
    """The compiled body of a function, a method, a wrapped function or a callable object."""
    function = getattr(function, "func", function)  # functools.partial
    function = inspect.unwrap(function)
    if not hasattr(function, "__code__"):
        function = getattr(type(function), "__call__", function)  # noqa: B004
    code = getattr(function, "__code__", None)
    return code if isinstance(code, CodeType) else None


def _changed(before: Any, after: Any) -> bool:
    """Whether an argument of a known kind was changed; objects of other kinds count as kept."""
    if hasattr(before, "shape"):
        before, after = as_numpy(before), as_numpy(after)
        return not np.array_equal(before, after, equal_nan=before.dtype.kind in "fc")
    if isinstance(before, dict):
        return list(before) != list(after) or any(_changed(before[k], after[k]) for k in before)
    if isinstance(before, list | tuple):
        pairs = zip(before, after, strict=False)
        return len(before) != len(after) or any(_changed(x, y) for x, y in pairs)
    if isinstance(before, str | bytes | bytearray | int | float | set | None):
        return type(before) is not type(after) or repr(before) != repr(after)
    return False

"""Call an answer once, safely, and keep what came of it.

The answer gets deep copies of the arguments, so that it can spoil neither the next case nor the
comparison. Everything that touches its result happens under the time limit: the call, the
inspection of the value (comparing and showing it) and the copy. What it prints is captured, up to
a readable length, and whatever it raises is caught, including `sys.exit()`.
"""

from __future__ import annotations

import array
import contextlib
import copy
import dis
import inspect
import io
import linecache
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import CodeType
from typing import Any, TypeVar

import numpy as np

from plainformer.arrays import as_numpy
from plainformer.exercises.limit import OutOfTime, call_within

__all__ = ["Outcome", "does_nothing", "guarded", "line_of", "run"]

_PRINTED = 10_000  # characters kept of what an answer prints
_KEPT = 20_000  # items of an answer, in all; a longer one is looked at and not kept
_T = TypeVar("_T")


@dataclass(frozen=True)
class Outcome:
    """What one call did: a value or an error, what it printed, which arguments it changed.

    `seen` is the result of inspecting the value. `returned` says whether the call came back, even
    if the inspection of its value then took too long, and `kept` whether `value` is a copy of what
    it returned or None because that was huge.
    """

    value: Any = None
    error: BaseException | None = None
    printed: str = ""
    changed: tuple[int, ...] = ()
    seen: Any = field(default=None, repr=False)
    returned: bool = field(default=True, repr=False)
    kept: bool = field(default=True, repr=False)

    @property
    def out_of_time(self) -> bool:
        return issubclass(type(self.error), OutOfTime)


def run(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    seconds: float,
    examine: Callable[[Any], Any] = lambda value: None,
) -> Outcome:
    """Call `function` with copies of `args` and a time limit; never raise for what it does.

    Args:
        function: the answer.
        args: its arguments, which stay unchanged.
        seconds: the limit for the call, the look at its value and the copy of it, together.
        examine: what to do with the value, in the same thread; `Outcome.seen` is what it returns.

    >>> run(lambda items: items.pop(), ([1, 2],), seconds=1.0)
    Outcome(value=2, error=None, printed='', changed=(0,))
    """
    given = copy.deepcopy(args)
    printed, returned = _Printed(), []

    def attempt() -> Outcome:
        value, error, seen = None, None, None
        try:
            value = function(*given)
            returned.append(True)
            seen = examine(value)
        except OutOfTime:
            raise
        except BaseException as caught:
            if _pressed_stop(caught):
                raise
            error = caught
        changed = tuple(i for i in range(len(args)) if _was_changed(args[i], given[i]))
        copied, kept = _copy(value)
        return Outcome(copied, error, printed.text(), changed, seen, bool(returned), kept)

    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed), _stays():
        try:
            outcome: Outcome = call_within(seconds, attempt)
        except OutOfTime as late:
            outcome = Outcome(None, late, printed.text(), (), None, bool(returned), False)
    return outcome


def guarded(question: Callable[[], _T], otherwise: _T, seconds: float = 1.0) -> _T:
    """Ask something of a reader's object, whose own methods may fail, leave Python or never end.

    >>> guarded(lambda: len([1, 2]), otherwise=0), guarded(lambda: len(3), otherwise=0)
    (2, 0)
    """

    def asked() -> _T:
        try:
            return question()
        except OutOfTime:
            raise
        except BaseException as error:
            if _pressed_stop(error):
                raise
            return otherwise

    try:
        with _stays():
            answer: _T = call_within(seconds, asked)
        return answer
    except OutOfTime:
        return otherwise


def does_nothing(function: Callable[..., Any]) -> bool:
    """Whether a function only returns a constant: `...`, `pass`, a docstring, a bare `return`.

    It is only called for a function that returned None.

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


class _Printed(io.TextIOBase):
    """Takes what an answer prints: the beginning is kept, the rest dropped. It cannot be closed."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._left = _PRINTED

    def write(self, text: str) -> int:
        if self._left > 0:
            self._parts.append(text[: self._left])
            self._left -= len(self._parts[-1])
        return len(text)

    def writable(self) -> bool:
        return True

    def close(self) -> None:
        """Stay open: an answer may close stdout, and its next call print."""

    def text(self) -> str:
        return "".join(self._parts)


@contextlib.contextmanager
def _stays() -> Iterator[None]:
    """Make `exit()` and `quit()` a SystemExit, which is caught, and nothing else.

    IPython's raise none: they ask the shell to end, and the kernel does, with all variables in it.
    Python's own close stdin first.
    """
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    before, stdin = getattr(shell, "keepkernel_on_exit", None), sys.stdin

    def leave() -> None:
        raise SystemExit

    sys.stdin = io.StringIO()
    if shell is not None:
        shell.ask_exit = leave
    try:
        yield
    finally:
        sys.stdin = stdin
        if shell is not None:
            vars(shell).pop("ask_exit", None)  # the method of its class is back
            if hasattr(shell, "keepkernel_on_exit"):
                shell.keepkernel_on_exit = before


def _pressed_stop(error: BaseException) -> bool:
    """Whether the reader has stopped the notebook, which is reported only to the main thread.

    Python looks for signals between two instructions, so an interrupt that comes from a `raise` is
    the answer's own.
    """
    stop = issubclass(type(error), KeyboardInterrupt)  # its __class__ may be anything
    if not stop or threading.current_thread() is not threading.main_thread():
        return False
    tb = error.__traceback__
    while tb is not None and tb.tb_next is not None:
        tb = tb.tb_next
    return tb is None or tb.tb_frame.f_code.co_code[tb.tb_lasti] != dis.opmap["RAISE_VARARGS"]


def _copy(value: Any) -> tuple[Any, bool]:
    """The value as it is now, in case the next call changes the same object, and whether it is
    kept.

    A value that cannot be copied is kept itself.
    """
    try:
        if _size(value) > _KEPT:
            return None, False
        return copy.deepcopy(value), True
    except OutOfTime:
        raise
    except BaseException as error:  # an answer's own __deepcopy__ may raise anything
        if _pressed_stop(error):
            raise
        return value, True


# Containers, including a reader's own subclasses, that hold as many items as their length says.
_SIZED = (
    str, bytes, bytearray, list, tuple, set, frozenset, dict, array.array, deque,
)  # fmt: skip


def _size(value: Any) -> int:
    """How many items a value holds, including nested lists; it stops counting once there are too
    many to keep."""
    count, todo = 0, [value]
    while todo and count <= _KEPT:
        one = todo.pop()
        count += 1
        if type(one) in (list, tuple, set, frozenset, dict) and len(one) <= _KEPT:
            todo += one.values() if isinstance(one, dict) else one
        elif isinstance(one, _SIZED):
            count += len(one)
        elif isinstance(one, np.ndarray):
            count += one.size
    return count


def _code(function: Callable[..., Any]) -> CodeType | None:
    """The compiled body of a function, a method, a wrapped function or a callable object."""
    function = getattr(function, "func", function)  # functools.partial
    with contextlib.suppress(ValueError):  # wrapped around itself
        function = inspect.unwrap(function)
    if not hasattr(function, "__code__"):
        function = getattr(type(function), "__call__", function)  # noqa: B004
    code = getattr(function, "__code__", None)
    return code if isinstance(code, CodeType) else None


def _was_changed(before: Any, after: Any) -> bool:
    try:
        return _changed(before, after)
    except OutOfTime:
        raise
    except BaseException as error:
        if _pressed_stop(error):
            raise
        return True  # what an answer put into it cannot even be looked at


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

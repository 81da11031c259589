"""Call a function that may never return, in this process, and get control back in time.

The reader's function lives in a notebook, so it cannot be sent to another process. Where this is
the main thread and the system has alarms (everywhere but on Windows), the function is called right
here, and the alarm's handler raises `OutOfTime` once the time is up. Python looks for signals even
within long arithmetic, which is why `10 ** 10**7` ends too, and why the stop button works as usual.

Elsewhere the function runs in a second thread while this one waits, and the interpreter is asked to
raise the exception in that thread (`PyThreadState_SetAsyncExc`), which ends an endless loop but
cannot end a long call into C.

One exception is not enough for `while True: try: … except: pass`, which swallows it. So it is
raised again and again: sooner or later one strikes outside the `try`. A second thread that survives
even that (an endless loop inside the `try` as well) is left behind: we no longer wait for it, but
it goes on using the processor until the kernel is restarted, and `OutOfTime.still_running` says so.

Without threads (Python in a browser), the limit does not apply.
"""

from __future__ import annotations

import contextvars
import ctypes
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

__all__ = ["Clock", "OutOfTime", "call_within"]

_LOOK = 0.1  # seconds between two checks for a pressed "stop"
_CLEAN_UP = 0.2  # seconds after the first attempt, for the `finally` of well-behaved code
_AGAIN = 0.001  # seconds between all further attempts
_GIVE_UP = 2.0  # seconds of attempts before a thread is left behind


class OutOfTime(BaseException):
    """The time is up. Not an Exception: `except Exception` in a reader's code lets it pass."""

    def __init__(self, still_running: bool = False) -> None:
        super().__init__("the time limit was reached")
        self.still_running = still_running


class Clock:
    """The limiter's only source of time. Tests replace it by one that they advance by hand."""

    def now(self) -> float:
        """The time in seconds, from any start."""
        return time.monotonic()

    def wait(self, running: threading.Lock, deadline: float) -> bool:
        """Wait for the lock in short steps, because Python does not notice "stop" while it waits
        for a lock.

        (`Thread.join` does not work here: in Python 3.11, after "stop" it reports a running thread
        as ended.)
        """
        while (left := deadline - self.now()) > 0:
            if running.acquire(timeout=min(left, _LOOK)):
                return True
        return running.acquire(blocking=False)


clock = Clock()


def call_within(seconds: float, function: Callable[[], Any]) -> Any:
    """Call `function()` and return its result; raise `OutOfTime` when it takes too long.

    Args:
        seconds: the limit, in seconds of wall-clock time; more than 0.
        function: takes no arguments. Whatever it raises comes through, `SystemExit` included.

    Raises:
        OutOfTime: the limit was reached.
        ValueError: `seconds` is not positive.

    >>> call_within(1.0, lambda: 2 + 2)
    4
    >>> def endless():
    ...     while True:
    ...         pass
    >>> call_within(0.05, endless)
    Traceback (most recent call last):
        ...
    plainformer.exercises.limit.OutOfTime: the time limit was reached
    """
    if not seconds > 0:
        raise ValueError(f"seconds must be more than 0; got {seconds}")
    deadline = clock.now() + seconds
    here = threading.current_thread() is threading.main_thread()
    if here and hasattr(signal, "setitimer"):
        return _with_alarm(deadline, function)
    return _in_second_thread(deadline, function)


def _with_alarm(deadline: float, function: Callable[[], Any]) -> Any:
    """Call the function in this thread, with an alarm that rings until it ends."""
    done = late = False

    def ring(*_: object) -> None:
        nonlocal late
        if done or clock.now() < deadline:
            return
        if not late:  # then leave some time for the `finally` of well-behaved code
            late = True
            signal.setitimer(signal.ITIMER_REAL, _CLEAN_UP, _AGAIN)
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, ring)
    try:
        first = min(max(deadline - clock.now(), _AGAIN), _LOOK)
        signal.setitimer(signal.ITIMER_REAL, first, _LOOK)
        value = function()
        done = True
    except BaseException:
        done = True
        if late:  # whatever it made of the alarm
            raise OutOfTime from None
        raise
    finally:
        done = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before or signal.SIG_DFL)
    if late:  # and yet it returned something
        raise OutOfTime
    return value


def _in_second_thread(deadline: float, function: Callable[[], Any]) -> Any:
    """Call the function in a thread of its own while this one waits."""
    outcome: list[tuple[bool, Any]] = []
    running = threading.Lock()  # held while the thread runs
    running.acquire()

    def work() -> None:
        try:
            try:
                outcome.append((True, function()))
            except BaseException as error:  # carried over to the thread that waits
                outcome.append((False, error))
        except OutOfTime:  # struck once more on its way out
            pass
        finally:
            running.release()

    # The copied context brings along what is set for this thread, such as numpy.errstate.
    run_in_context = contextvars.copy_context().run
    thread = threading.Thread(target=run_in_context, args=(work,), daemon=True, name="exercise")
    try:
        try:
            thread.start()
        except RuntimeError:  # no threads on this platform
            return function()
        ended = clock.wait(running, deadline)
    except BaseException:  # the reader pressed "stop" while we waited
        if thread.ident is not None:
            _interrupt(thread, running)
        raise
    if not ended:
        raise OutOfTime(still_running=not _interrupt(thread, running))
    returned, value = outcome[0]
    if returned:
        return value
    raise value


def _interrupt(thread: threading.Thread, running: threading.Lock) -> bool:
    """Raise OutOfTime in the thread until it ends; give up after a while. Say whether it ended."""
    ident = ctypes.c_ulong(thread.ident or 0)
    give_up = clock.now() + _GIVE_UP
    pause = _CLEAN_UP
    while clock.now() < give_up:
        struck = ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, ctypes.py_object(OutOfTime))
        if not struck:  # the thread has ended, whatever the lock says
            return True
        if clock.wait(running, clock.now() + pause):
            return True
        pause = _AGAIN
    return False

"""A worker in a sandbox, as the judge holds it: a process, two pipes, a watch over its memory."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from typing import Any

from plainformer.classroom.channel import Channel, Closed, TimeUp
from plainformer.classroom.sandbox.limits import Limits, OutOfMemory, used

__all__ = ["Command", "Process"]

# The limit of processor time sends the first signal, then the second; a shell adds 128.
OUT_OF_TIME = {sign * each + base for each in (24, 9) for sign, base in ((-1, 0), (1, 128))}

LAUNCHERS = 3  # what a sandbox itself has of processes

Command = Callable[[int, int, Limits], list[str]]
"""(reads, writes, limits) to the command line that starts a worker."""


class Process:
    """A worker that was started, and that ends with the `with` block.

    Args:
        command: makes its command line.
        limits: what it may use.
    """

    def __init__(self, command: Command, limits: Limits) -> None:
        self.limits = limits
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        self.channel = Channel(ours_in, ours_out, self._look)
        try:
            self.popen = subprocess.Popen(
                command(theirs_in, theirs_out, limits),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(theirs_in, theirs_out),
                env={"PATH": os.defpath, "LANG": "C.UTF-8"},  # /proc/1/environ shows it inside
                start_new_session=True,
            )
        except BaseException:
            self.channel.close()
            raise
        finally:
            os.close(theirs_in)
            os.close(theirs_out)

    def ask(self, message: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """Send a message and wait for the answer to it.

        Raises:
            TimeUp: it took longer.
            OutOfMemory: it used more memory than it may, or more processes.
            Closed: it has ended.
            ProtocolError: what it said is no message.
        """
        deadline = time.monotonic() + seconds
        try:
            self.channel.send(message, deadline)
            return self.channel.receive(deadline)
        except Closed:
            if self._status() in OUT_OF_TIME:
                raise TimeUp from None
            raise

    def end(self) -> None:
        """Kill it and all that it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.popen.pid, signal.SIGKILL)
        self.popen.wait()
        self.channel.close()

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *error: object) -> None:
        self.end()

    def _status(self) -> int | None:
        """How it ended, once it has closed its pipe; None if it goes on."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.popen.wait(1)
        return None

    def _look(self) -> None:
        memory, threads = used(self.popen.pid)
        # The system's own limit of processes holds for everybody but root.
        if memory > self.limits.memory or threads > self.limits.processes + LAUNCHERS:
            raise OutOfMemory

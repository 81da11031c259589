"""A worker in a sandbox, as the judge holds it: a process, two pipes, a watch over its memory."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from plainformer.classroom.channel import Channel, Closed, TimeUp
from plainformer.classroom.sandbox.cgroups import Group, place
from plainformer.classroom.sandbox.limits import Limits, OutOfMemory, tree, used

__all__ = ["Command", "Launched", "Process"]

LAUNCHERS = 3  # what a sandbox itself has of processes

Command = Callable[[int, int, Limits], list[str]]
"""(reads, writes, limits) to the command line that starts a worker."""


class Process(ABC):
    """A worker that was started, and that ends with the `with` block.

    Args:
        limits: what it may use.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.group: Group | None = None
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        self.channel = Channel(ours_in, ours_out, self._check_usage)
        try:
            self._begin(theirs_in, theirs_out)
            self._enclose()
        except BaseException:
            self.channel.close()
            raise
        finally:
            os.close(theirs_in)
            os.close(theirs_out)

    @abstractmethod
    def _begin(self, reads: int, writes: int) -> None:
        """Start it, with these two ends for it to keep."""

    @abstractmethod
    def _finish(self) -> None:
        """Kill it and all that it has started."""

    @abstractmethod
    def _how_it_ended(self) -> tuple[int, float] | None:
        """Its status and its seconds of processor time, once it has closed its pipe."""

    @abstractmethod
    def _processes(self) -> list[int]:
        """Those that its memory is counted in."""

    def _enclose(self) -> None:
        """Put it into a control group, where there are such; it has no student's code yet."""
        where = place()
        if where is None or not self._processes():  # a container has a group of its own
            return
        try:
            self.group = Group(where, self.limits, LAUNCHERS)
            self.group.add(self._processes)
        except OSError:  # the watch looks at it, then
            self._leave()

    def _leave(self) -> None:
        if self.group:
            self.group.end()
            self.group = None

    def ask(self, message: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """Send a message and wait for the answer to it.

        Raises:
            TimeUp: it took longer, of time or of the processor.
            OutOfMemory: it used more memory than it may, or more processes.
            Closed: it has ended.
            ProtocolError: what it said is no message.
        """
        deadline = time.monotonic() + seconds
        try:
            self.channel.send(message, deadline)
            return self.channel.receive(deadline)
        except Closed:
            self._explain(self._how_it_ended())
            raise

    def end(self) -> None:
        """Kill it and all that it has started."""
        self._finish()
        self._leave()
        self.channel.close()

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *error: object) -> None:
        self.end()

    def _explain(self, ended: tuple[int, float] | None) -> None:
        """Raise what a signal from outside means; a shell adds 128 to its number."""
        status, cpu = ended or (0, 0.0)
        name = -status if status < 0 else status - 128
        if name == signal.SIGXCPU or (name == signal.SIGKILL and cpu >= self.limits.cpu):
            raise TimeUp from None
        if name == signal.SIGKILL:  # here only a system that has run out of memory kills processes
            raise OutOfMemory from None

    def _check_usage(self) -> None:
        memory, threads = used(self._processes())
        # The system's own limit on processes applies to every user except root.
        if memory > self.limits.memory or threads > self.limits.processes + LAUNCHERS:
            raise OutOfMemory


class Launched(Process):
    """A worker that is a program of its own.

    Args:
        command: makes its command line.
        limits: what it may use.
    """

    variables: Mapping[str, str] = {"PATH": os.defpath, "LANG": "C.UTF-8"}
    """Its environment: /proc/1/environ shows it inside."""

    def __init__(self, command: Command, limits: Limits) -> None:
        self.command = command
        super().__init__(limits)

    def _begin(self, reads: int, writes: int) -> None:
        with hidden(self.command(reads, writes, self.limits)) as (line, options):
            self.popen = subprocess.Popen(
                line,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(reads, writes, *options),
                env=self.variables,
                start_new_session=True,
            )

    def _finish(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.popen.pid, signal.SIGKILL)
        self.popen.wait()

    def _how_it_ended(self) -> tuple[int, float] | None:
        before = _children()
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.popen.wait(1), _children() - before
        return None

    def _processes(self) -> list[int]:
        return tree(self.popen.pid)


@contextlib.contextmanager
def hidden(line: list[str]) -> Iterator[tuple[list[str], tuple[int, ...]]]:
    """bubblewrap's command line with its options in a pipe: /proc/1/cmdline shows them inside.

    They are the machine's paths. Another program's line stays as it is.
    """
    if Path(line[0]).name != "bwrap":
        yield line, ()
        return
    end = line.index("--")
    reads, writes = os.pipe()
    try:
        with os.fdopen(writes, "wb") as pipe:  # they are few enough for it to hold
            pipe.write("\0".join(line[1:end]).encode())
        yield [line[0], "--args", str(reads), *line[end:]], (reads,)
    finally:
        os.close(reads)


def _children() -> float:
    """Seconds of processor time of all children that have ended, and of theirs."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime

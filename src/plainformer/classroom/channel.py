"""Two pipes to a worker, with a deadline on every byte.

The worker runs a student's code: it may stop in the middle of a message, send without end, or not
read what it is sent. So both pipes are used without blocking, and while one side waits, the memory
of the worker is checked now and then.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable, Mapping
from typing import Any

from plainformer.classroom.wire import pack, read_message

__all__ = ["Channel", "Closed", "TimeUp"]

CHECK_EVERY = 0.05  # seconds between two checks while waiting
CHUNK = 1 << 16


class TimeUp(Exception):
    """The deadline has passed."""


class Closed(Exception):
    """The worker has ended, or has closed its end."""


class Channel:
    """Messages to and from a worker.

    Args:
        reads: a file descriptor that the worker writes to.
        writes: a file descriptor that the worker reads from.
        check: is called now and then during a wait; what it raises ends the wait.
    """

    def __init__(self, reads: int, writes: int, check: Callable[[], None] = lambda: None) -> None:
        self.reads, self.writes, self.check = reads, writes, check
        self.buffer = bytearray()
        self.next_check = 0.0
        os.set_blocking(reads, False)
        os.set_blocking(writes, False)

    def send(self, message: Mapping[str, Any], deadline: float) -> None:
        """Send all of it, or raise `TimeUp` or `Closed`."""
        data = memoryview(pack(message))
        while data:
            self._wait(self.writes, select.POLLOUT, deadline)
            try:
                data = data[os.write(self.writes, data[:CHUNK]) :]
            except BlockingIOError:
                continue
            except OSError:  # the reader has gone
                raise Closed from None

    def receive(self, deadline: float) -> dict[str, Any]:
        """The next message; raise `TimeUp`, `Closed`, or `ProtocolError` if it is not a valid
        one."""

        def read(size: int) -> bytes:
            while len(self.buffer) < size:
                self._wait(self.reads, select.POLLIN, deadline)
                try:
                    got = os.read(self.reads, CHUNK)
                except BlockingIOError:
                    continue
                if not got:
                    raise Closed
                self.buffer += got
            with memoryview(self.buffer) as view:
                data = bytes(view[:size])  # one copy, not two
            del self.buffer[:size]
            return data

        return read_message(read)

    def close(self) -> None:
        os.close(self.reads)
        os.close(self.writes)

    def _wait(self, descriptor: int, event: int, deadline: float) -> None:
        """Wait until the pipe is ready, calling `check` every `CHECK_EVERY` seconds."""
        poll = select.poll()
        poll.register(descriptor, event)
        while True:
            now = time.monotonic()
            if deadline <= now:
                raise TimeUp
            if self.next_check <= now:  # not for every one of possibly many pieces
                self.check()
                self.next_check = time.monotonic() + CHECK_EVERY
            if poll.poll(1000 * min(deadline - now, CHECK_EVERY)):
                return

"""The zygote: imports once what every answer needs, then forks a worker for each submission.

It runs inside one bubblewrap, and each fork is shut in once more. bubblewrap decides what of the
machine's files can be seen, which is the long part and the one that others have tried for years;
what is left for `namespaces` is a page. A zygote outside would have needed mounts of our own, and
its forks would have carried the machine's paths in their memory.

The zygote itself never runs a line of a student's. It hears one word at a time on a socket, from
the judge alone: start, with two pipes; end, or wait for it. So nothing goes from one submission to
the next: each is a copy of a process in which none has run.

    python -m plainformer.classroom.zygote SOCKET LIMITS SLOT MODULE…
"""

from __future__ import annotations

import builtins
import contextlib
import ctypes
import fcntl
import functools
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys

import numpy as np

from plainformer.classroom import namespaces, wire, worker

__all__ = ["serve"]

SUBREAPER = 36


def serve(control: socket.socket, limits: dict[str, int], slot: int) -> None:
    """Fork a worker at each "start", and end it at "end", until the judge is gone."""
    while True:
        word, pipes, _, _ = socket.recv_fds(control, 16, 2)
        if word != b"start" or len(pipes) != 2:
            return
        try:
            child, listens = namespaces.fork(functools.partial(_work, pipes), limits, slot)
        except OSError as error:
            control.send(str(error).encode()[:400])
            continue
        finally:
            for each in pipes:
                os.close(each)
        with os.fdopen(listens, "rb", buffering=0) as said:
            control.send(said.read(400) or b"it has ended")
        _until_told(control, child)


def _until_told(control: socket.socket, child: int) -> None:
    """Wait for "end", or "wait" for a second at most; then end it, and say how it ended."""
    word = control.recv(16)
    handle = os.pidfd_open(child)
    patience = select.poll()
    patience.register(handle, select.POLLIN)
    if word == b"wait":
        patience.poll(1000)
    # Killed as the first of its processes, and with it all others: the system sees to that.
    signal.pidfd_send_signal(handle, signal.SIGKILL)
    _, status, usage = os.wait4(child, 0)
    os.close(handle)
    with contextlib.suppress(ChildProcessError):
        while True:  # nobody else is expected here
            os.waitpid(-1, 0)
    told = {"status": os.waitstatus_to_exitcode(status), "cpu": usage.ru_utime + usage.ru_stime}
    if word in (b"wait", b"end"):
        control.send(json.dumps(told).encode())


def _work(pipes: list[int]) -> None:
    """Be a worker that has these two pipes, and no other way out."""
    reads, writes = (fcntl.fcntl(each, fcntl.F_DUPFD, 10) for each in pipes)
    os.dup2(reads, 3)
    os.dup2(writes, 4)
    # All forks share the zygote's own three, and with them whatever flags and locks one of them
    # leaves there, which the next one would find.
    nothing = os.open(os.devnull, os.O_RDWR)
    for each in range(3):
        os.dup2(nothing, each)
    os.closerange(5, 1 << 16)
    np.random.seed()
    worker.serve(3, 4)
    os._exit(0)


def _warm_up() -> None:
    """Do once, with code of our own, what every worker does: many things are made at first use."""
    first = worker.Worker()
    first.load({"cells": ["def double(x):\n    return 2 * x"], "entry": "double", "n": 1})
    answer = first.call({"args": [np.ones(2)]})
    wire.unpack(wire.pack(answer))


def main() -> None:
    """Import, say so, and serve."""
    number, limits, slot, *modules = sys.argv[1:]
    control = socket.socket(fileno=int(number))
    for name in modules:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    _warm_up()
    worker.without_checks()
    builtins.get_ipython = worker.Shell  # type: ignore[attr-defined]
    ctypes.CDLL(None).prctl(SUBREAPER, 1)
    gc.collect()
    gc.freeze()  # what is here already is never looked through again, so it stays shared
    os.dup2(0, 2)  # a pipe that all forks would share: words, and settings, would stay in it
    control.send(b"ready")
    serve(control, json.loads(limits), int(slot))


if __name__ == "__main__":
    main()

"""Shut the process that calls in, by what Linux lets every program ask for.

For a machine where no namespaces can be made and no containers started. Landlock holds its files:
a list of what may be read, one folder to write in. The filter of `syscalls` holds the rest: no
other process, no network, no program but this one. Limits hold what it takes.

The process must have one thread, and must have imported what it needs: afterwards no folder with
packages can be listed any more, and Python looks them up in what it has listed before.

But: Landlock says nothing of what a file is called, how large it is and whose it is. That it is
there can be seen, and so can the machine's name.

Source: man 7 landlock; Linux, `uapi/linux/landlock.h`, up to version 6 of its interface.
"""

from __future__ import annotations

import builtins
import ctypes
import json
import os
import resource
import struct
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from plainformer.classroom import worker
from plainformer.classroom.namespaces import drop_capabilities
from plainformer.classroom.syscalls import UNKNOWN, forbid, no_core

__all__ = ["NEEDED", "beneath", "main", "restrict", "ruleset", "version"]

NEEDED = 3  # the first version that knows of files that are cut short; Linux 6.2
WRITE_FILE, READ_FILE, READ_DIR, REMOVE_FILE, MAKE_FILE, CUT = (1 << i for i in (1, 2, 3, 5, 8, 14))
READ = READ_FILE | READ_DIR
SCRATCH = READ | WRITE_FILE | REMOVE_FILE | MAKE_FILE | CUT  # and no folders, links, or pipes
OF_FILES = WRITE_FILE | READ_FILE | CUT  # rights that a rule for a single file may name
DEVICES = {"/dev/null": READ_FILE | WRITE_FILE, "/dev/zero": READ_FILE, "/dev/urandom": READ_FILE}
CREATE, ADD, RESTRICT = 444, 445, 446  # system calls, of one number on every machine
DESCRIPTORS = 64
ONE_FILE = 8 << 20  # bytes; a file that has no name any more is seen by no watch
THREADS = 1 << 15  # the limit counts all of this user's; how many are ours is watched from outside


def version() -> int:
    """The version of Landlock's interface; 0 where there is none."""
    if sys.platform != "linux":
        return 0
    return max(0, int(ctypes.CDLL(None).syscall(CREATE, None, ctypes.c_size_t(0), 1)))


def ruleset(version: int) -> bytes:
    """What is to be held: all that this version knows of, and nothing that it does not.

    >>> len(ruleset(3)), len(ruleset(4)), len(ruleset(6))
    (8, 16, 24)
    """
    files = (1 << (16 if version >= 5 else 15)) - 1
    network = 3  # to listen, and to connect
    outside = 3  # sockets without a file, and signals
    kept = [files] + [network] * (version >= 4) + [outside] * (version >= 6)
    return struct.pack(f"={len(kept)}Q", *kept)


def beneath(root: Path, without: Path) -> Iterator[Path]:
    """A folder as few paths that cover all of it but a place in it.

    >>> [str(each) for each in beneath(Path("/usr"), Path("/etc/x"))]
    ['/usr']
    """
    if root == without:
        return
    if not without.is_relative_to(root):
        yield root
        return
    for each in sorted(root.iterdir()):
        yield from beneath(each, without)


def restrict(rules: Iterable[tuple[Path, int]]) -> None:
    """Hold this thread, and all that it starts, to these rights from now on.

    Args:
        rules: files and folders, with what may be done there and below.

    Raises:
        OSError: the kernel does not do it, or there are more threads, which it would not hold.
    """
    if len(list(Path("/proc/self/task").iterdir())) > 1:
        raise OSError("Landlock holds one thread alone, and there are more already")
    libc = ctypes.CDLL(None, use_errno=True)

    def call(*given: object) -> int:
        result = int(libc.syscall(*given))
        if result < 0:
            number = ctypes.get_errno()
            raise OSError(number, f"Landlock: {os.strerror(number)}")
        return result

    held = ruleset(version())
    number = call(CREATE, held, ctypes.c_size_t(len(held)), 0)
    for path, rights in rules:
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:  # it has gone, or is a link to nothing
            continue
        allowed = rights if path.is_dir() else rights & OF_FILES
        call(ADD, number, 1, struct.pack("=Qi", allowed, place), 0)
        os.close(place)
    libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
    call(RESTRICT, number, 0)
    os.close(number)


def shut_in(scratch: str, readable: Iterable[str], without: str, limits: Mapping[str, int]) -> None:
    """Be held to these files and limits, and to few system calls."""
    hidden = Path(without).resolve()
    places = [Path(each).resolve() for each in readable]
    rules = [(path, READ) for place in places for path in beneath(place, hidden)]
    rules += [(Path(name), rights) for name, rights in DEVICES.items()]
    restrict([*rules, (Path(scratch), SCRATCH)])
    for name, most in (
        (resource.RLIMIT_NOFILE, DESCRIPTORS),
        (resource.RLIMIT_FSIZE, min(ONE_FILE, limits["files"])),
        (resource.RLIMIT_DATA, 2 * limits["memory"]),  # the watch looks at less, and later
        (resource.RLIMIT_NPROC, min(THREADS, _hard(resource.RLIMIT_NPROC))),
    ):
        resource.setrlimit(name, (most, most))
    resource.setrlimit(resource.RLIMIT_CPU, (limits["cpu"], limits["cpu"] + 1))
    no_core()
    drop_capabilities()
    if not forbid(alone=True):
        raise OSError(UNKNOWN)


def _hard(limit: int) -> int:
    most = resource.getrlimit(limit)[1]
    return THREADS if most == resource.RLIM_INFINITY else most


def main(reads: int, writes: int, told: str) -> None:
    """Be a worker that is shut in.

    Args:
        reads, writes: file descriptors.
        told: as JSON, what `shut_in` is to be called with.
    """
    settings = json.loads(told)
    os.chdir(settings["scratch"])
    first = worker.Worker()  # what is imported at first use is imported now
    first.load({"cells": ["import numpy.random\n%pwd"], "entry": "", "n": 0})
    shut_in(**settings)
    worker.without_checks()
    builtins.get_ipython = worker.Shell  # type: ignore[attr-defined]
    worker.serve(reads, writes)

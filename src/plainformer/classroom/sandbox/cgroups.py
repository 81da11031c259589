"""Control groups, version 2: the kernel's own limits of memory and of processes, for a whole tree.

Where a folder of `/sys/fs/cgroup` is ours to write, each worker gets a group of its own, and the
kernel ends it at its limit, between two looks of the watch too. That is so for root in most
containers, and for anybody who starts the grader in a scope of its own:

    systemd-run --user --scope --property=Delegate=yes plainformer-class grade week-1

Everywhere the watch of `limits` adds up what the processes have.

Files in a worker's /tmp also count as memory, so a group may use that much more. Version 1 is not
used, because it cannot be delegated to an ordinary user.

Source: Linux, admin-guide/cgroup-v2.rst.
"""

from __future__ import annotations

import contextlib
import os
import time
import uuid
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from plainformer.classroom.sandbox.limits import Limits

__all__ = ["Group", "place", "writable"]

ROOT, OWN = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")
LEAF = "plainformer-grader"  # where we go ourselves: a group with groups in it has no processes
NEEDED = {"memory", "pids"}
TURNS = 20  # what was killed takes a moment to go


@cache
def place() -> Path | None:
    """Where this process may make groups; None where it may not. Looked for once."""
    return writable(ROOT, OWN)


def writable(root: Path, own: Path) -> Path | None:
    """The same, with the places where the kernel tells of it.

    Args:
        root: where version 2 is mounted.
        own: says in which group this process is.
    """
    try:
        line = next(each for each in own.read_text().splitlines() if each.startswith("0::"))
        group = root / line.removeprefix("0::").lstrip("/")
        group = group.parent if group.name == LEAF else group
        if not set((group / "cgroup.controllers").read_text().split()) >= NEEDED:
            return None
        if not set((group / "cgroup.subtree_control").read_text().split()) >= NEEDED:
            _enable(group)
        return group
    except (OSError, StopIteration):
        return None


def _enable(group: Path) -> None:
    """Let groups in this one have limits, which it may not while we are in it ourselves."""
    wanted = " ".join(f"+{each}" for each in sorted(NEEDED))
    try:
        (group / "cgroup.subtree_control").write_text(wanted)
    except OSError:
        leaf = group / LEAF
        leaf.mkdir(exist_ok=True)
        (leaf / "cgroup.procs").write_text(str(os.getpid()))
        try:
            (group / "cgroup.subtree_control").write_text(wanted)
        except OSError:  # another process is in it as well
            (group / "cgroup.procs").write_text(str(os.getpid()))
            leaf.rmdir()
            raise


class Group:
    """A group of one worker's.

    Args:
        parent: where it is made.
        limits: of the worker.
        more: processes of the sandbox itself.
    """

    def __init__(self, parent: Path, limits: Limits, more: int) -> None:
        self.folder = parent / f"plainformer-{uuid.uuid4().hex}"
        self.folder.mkdir()
        self._write("memory.max", limits.memory + limits.files)
        self._write("pids.max", limits.processes + more)
        self._write("memory.oom.group", 1)  # all of it ends, not one process
        with contextlib.suppress(OSError):  # a machine without swap has none
            self._write("memory.swap.max", 0)

    def add(self, processes: Callable[[], Iterable[int]]) -> None:
        """Take processes in; asked again, until it has all that were started meanwhile."""
        known: set[int] = set()
        while new := set(processes()) - known:
            for pid in sorted(new):
                with contextlib.suppress(ProcessLookupError):  # it has just ended
                    self._write("cgroup.procs", pid)
            known |= new

    def end(self) -> None:
        """Kill what is in it, and take it away."""
        with contextlib.suppress(OSError):
            self._write("cgroup.kill", 1)
        for _ in range(TURNS):
            with contextlib.suppress(OSError):
                self.folder.rmdir()
                return
            time.sleep(0.01)

    def _write(self, name: str, value: int) -> None:
        (self.folder / name).write_text(f"{value}\n")

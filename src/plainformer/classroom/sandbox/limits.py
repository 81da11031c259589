"""What one submission may use, and a watch over what it does use."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Limits", "OutOfMemory", "tree", "used"]

# What a program has allocated, in memory or swapped out, and its page tables, which grow even when
# empty memory is only read. A shared mapping without a file also counts as memory.
_FIELDS = re.compile(rb"^(RssAnon|RssShmem|VmSwap|VmPTE|Threads):\s*(\d+)", re.MULTILINE)
_MEMORY = (b"RssAnon", b"RssShmem", b"VmSwap", b"VmPTE")


@dataclass(frozen=True)
class Limits:
    """Limits of one submission.

    Attributes:
        memory: bytes of all its processes together.
        cpu: seconds of one process's processor time.
        processes: how many processes and threads it may have.
        files: bytes that it may write, in all, to its own temporary folder.
    """

    memory: int = 1 << 30
    cpu: int = 60
    processes: int = 64
    files: int = 64 << 20


class OutOfMemory(Exception):
    """A submission uses more memory than it may, or more processes."""


def tree(root: int) -> list[int]:
    """A process and its descendants, as /proc tells them; none where there is no /proc.

    >>> import os
    >>> os.getpid() in tree(os.getpid()) or not Path("/proc/self").exists()
    True
    """
    found, todo = [], [root]
    while todo:
        pid = todo.pop()
        found.append(pid)
        try:
            for task in Path(f"/proc/{pid}/task").iterdir():
                todo += map(int, (task / "children").read_text().split())
        except OSError:  # it has just ended
            continue
    return found


def used(processes: Iterable[int]) -> tuple[int, int]:
    """What processes have: bytes of memory that no file holds, and threads.

    Memory that no process has mapped is not seen, such as a memory file (`syscalls` forbids it).

    >>> import os
    >>> used([os.getpid()])[1] >= 1 or not Path("/proc/self").exists()
    True
    """
    memory = threads = 0
    for pid in processes:
        try:
            # As bytes, because a process may give itself a name that is not text.
            fields = dict(_FIELDS.findall(Path(f"/proc/{pid}/status").read_bytes()))
        except OSError:  # it has just ended
            continue
        memory += 1024 * sum(int(fields.get(name, 0)) for name in _MEMORY)
        threads += int(fields.get(b"Threads", 0))
    return memory, threads

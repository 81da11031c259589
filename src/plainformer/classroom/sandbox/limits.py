"""What one submission may use, and a watch over what it does use."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Limits", "OutOfMemory", "tree", "used"]

PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


@dataclass(frozen=True)
class Limits:
    """Limits of one submission.

    Attributes:
        memory: bytes of all its processes together.
        cpu: seconds of one process's processor time.
        processes: how many it may have.
        files: bytes that it may write, in all, to its own temporary folder.
    """

    memory: int = 1 << 30
    cpu: int = 60
    processes: int = 64
    files: int = 64 << 20


class OutOfMemory(Exception):
    """A submission uses more memory than it may."""


def tree(root: int) -> list[int]:
    """A process and its descendants, as /proc tells them; none where there is no /proc.

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


def used(root: int) -> int:
    """Bytes of memory that a process and its descendants hold and that no file holds for them."""
    total = 0
    for pid in tree(root):
        try:
            _, resident, shared, *_ = map(int, Path(f"/proc/{pid}/statm").read_text().split())
        except (OSError, ValueError):
            continue
        total += (resident - shared) * PAGE
    return total

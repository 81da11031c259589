"""No sandbox: the worker is a process like any other, and may do all that you may.

For a machine that has none, and work that you have read. Every result says that it was made so.
"""

from __future__ import annotations

import sys

from plainformer.classroom.sandbox.limits import Limits
from plainformer.classroom.sandbox.process import Launched

__all__ = ["command", "start"]


def command(reads: int, writes: int, limits: Limits) -> list[str]:
    """The command line that starts a worker which reads and writes these descriptors."""
    worker = "plainformer.classroom.worker"
    return [sys.executable, "-m", worker, str(reads), str(writes)]


def start(limits: Limits) -> Launched:
    """A worker in no sandbox."""
    return Launched(command, limits)

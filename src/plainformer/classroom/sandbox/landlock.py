"""Landlock: no namespaces, no programs, only what the kernel lets every process ask of itself.

The last one before none, for a machine where bubblewrap may make no user namespace. The worker is a
process of your own, which reads Python, its packages and this package without its exercises, and
writes into a folder of its own, which goes with it. `classroom/landlock.py` says how it is held.

But: that a file is there can be seen, though not what is in it; and so can the machine's name. What
it writes is looked at now and then, and is on your disk until it ends. GAPS are the hostile answers
that find this out.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path

import plainformer
from plainformer.classroom.channel import Closed, TimeUp
from plainformer.classroom.sandbox import bubblewrap
from plainformer.classroom.sandbox.limits import Limits, OutOfMemory
from plainformer.classroom.sandbox.process import Launched
from plainformer.classroom.wire import ProtocolError

__all__ = ["GAPS", "available", "command", "start"]

GAPS = {
    "other people's files": "that a file is there can be seen, and not what is in it",
    "the machine's devices": "that a device is there can be seen; it cannot be opened",
    "the machine's name and clock": "the machine's name can be seen",
}
if hasattr(os, "geteuid") and os.geteuid() == 0:
    GAPS["to be root"] = "it is root, without any of root's powers"
NEEDS = "Landlock needs Linux 6.2 or later, with landlock among its security modules"
FILES = 4096  # that one submission may have in its folder


def available() -> str | None:
    """Why there is no Landlock here; None if there is."""
    if sys.platform != "linux":
        return "Landlock is a part of Linux alone"
    from plainformer.classroom.landlock import NEEDED, version

    if version() < NEEDED:
        return NEEDS
    if said := _refused():
        return f"Landlock is here, and no worker starts in it ({said})"
    return None


@cache
def _refused() -> str:
    """What goes wrong with a worker that is asked for nothing; an empty text if nothing does."""
    try:
        with start(Limits()) as worker:
            worker.ask({"kind": "load", "cells": [], "entry": "", "n": 0}, 60.0)
    except (OSError, Closed, TimeUp, OutOfMemory, ProtocolError) as error:
        return str(error) or type(error).__name__
    return ""


def command(reads: int, writes: int, limits: Limits, scratch: str) -> list[str]:
    """The command line that starts a worker which reads and writes these descriptors."""
    package = Path(plainformer.__file__).resolve().parent
    packages = [str(path) for path in bubblewrap.site_packages()]
    told = {
        "scratch": scratch,
        "readable": [*bubblewrap.SYSTEM, sys.base_prefix, *packages, str(package)],
        "without": str(package / "exercises"),
        "limits": {name: getattr(limits, name) for name in ("memory", "cpu", "files")},
    }
    program = (
        f"import sys\nsys.path[:0] = {[str(package.parent), *packages]!r}\n"
        "from plainformer.classroom.landlock import main\n"
        f"main({reads}, {writes}, {json.dumps(told)!r})\n"
    )
    return [*bubblewrap.python(), "-c", program]


def start(limits: Limits, *, torch: bool = False) -> Landlocked:
    """A worker that is held."""
    return Landlocked(limits)


class Landlocked(Launched):
    """A worker with a folder of its own, which is looked at as its memory is."""

    def __init__(self, limits: Limits) -> None:
        self.scratch = tempfile.mkdtemp(prefix="plainformer-scratch-")
        words = [word for word in bubblewrap.variables() if word != "--setenv"]
        known = dict(zip(words[::2], words[1::2], strict=True))
        self.variables = {**known, "HOME": self.scratch}
        try:
            super().__init__(
                lambda reads, writes, each: command(reads, writes, each, self.scratch), limits
            )
        except BaseException:
            shutil.rmtree(self.scratch, ignore_errors=True)
            raise

    def _finish(self) -> None:
        super()._finish()
        shutil.rmtree(self.scratch, ignore_errors=True)  # it is flat: there may be no folders in it

    def _look(self) -> None:
        super()._look()
        sizes = [each.stat().st_blocks * 512 for each in os.scandir(self.scratch)]
        if len(sizes) > FILES or sum(sizes) > self.limits.files:
            raise OutOfMemory

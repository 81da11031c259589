"""Choose a sandbox by its name, or the best one that this machine has."""

from __future__ import annotations

from collections.abc import Callable

from plainformer.arrays import check_choice
from plainformer.classroom.sandbox import bubblewrap, unsafe
from plainformer.classroom.sandbox.limits import Limits
from plainformer.classroom.sandbox.process import Command, Process

__all__ = ["SANDBOXES", "choose"]

SANDBOXES = {"bubblewrap": bubblewrap}  # the best first


def choose(name: str = "best", limits: Limits | None = None) -> Callable[[], Process]:
    """What starts a worker.

    Args:
        name: "bubblewrap"; "best" for the first that works here; "unsafe" for none.
        limits: of each submission.

    Raises:
        OSError: what is asked for is not here; the message says how to get it.
    """
    check_choice(name, "sandbox", ["best", *SANDBOXES, "unsafe"])
    if name == "unsafe":
        return _starter(unsafe.command, limits)
    missing = []
    for each, sandbox in SANDBOXES.items():
        if name in ("best", each):
            if (why := sandbox.available()) is None:
                return _starter(sandbox.command, limits)
            missing.append(why)
    raise OSError(
        f"{'; '.join(missing)}. To run students' code without a sandbox, say so: --unsafe"
    )


def _starter(command: Command, limits: Limits | None) -> Callable[[], Process]:
    return lambda: Process(command, limits or Limits())

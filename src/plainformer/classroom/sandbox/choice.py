"""Choose a sandbox by its name, or the best one that this machine has."""

from __future__ import annotations

from collections.abc import Callable

from plainformer.arrays import check_choice
from plainformer.classroom.sandbox import bubblewrap, container, unsafe, zygote
from plainformer.classroom.sandbox.limits import Limits
from plainformer.classroom.sandbox.process import Process

__all__ = ["SANDBOXES", "choose"]

SANDBOXES = {"zygote": zygote, "bubblewrap": bubblewrap, "container": container}  # the best first


def choose(
    name: str = "best", limits: Limits | None = None, *, torch: bool = False
) -> Callable[[], Process]:
    """What starts a worker.

    Args:
        name: "zygote", "bubblewrap", "container"; "best" for the first that works here;
            "unsafe" for none.
        limits: of each submission.
        torch: whether it is likely to be imported; a zygote then has it already.

    Raises:
        OSError: what is asked for is not here; the message says how to get it.
    """
    check_choice(name, "sandbox", ["best", *SANDBOXES, "unsafe"])
    limits = limits or Limits()
    if name == "unsafe":
        return lambda: unsafe.start(limits)
    missing = []
    for each, sandbox in SANDBOXES.items():
        if name in ("best", each):
            if (why := sandbox.available()) is None:
                return lambda start=sandbox.start: start(limits, torch=torch)  # type: ignore[misc]
            missing.append(why)
    raise OSError(
        f"{'; '.join(dict.fromkeys(missing))}. To run students' code without a sandbox, say so: "
        "--unsafe"
    )

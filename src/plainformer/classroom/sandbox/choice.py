"""Choose a sandbox by its name, or the best one that this machine has."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from plainformer.arrays import check_choice
from plainformer.classroom.sandbox import bubblewrap, container, unsafe, zygote
from plainformer.classroom.sandbox.limits import Limits
from plainformer.classroom.sandbox.process import Process

__all__ = ["SANDBOXES", "best", "choose"]

SANDBOXES = {  # the best first
    "zygote": zygote,
    "bubblewrap": bubblewrap,
    "container": container,
}


def best(name: str = "best") -> tuple[str, list[str]]:
    """The first sandbox that works here, or this one; and why those before it do not.

    Returns:
        Its name, empty if there is none, and sentences.
    """
    missing: list[str] = []
    for each, sandbox in SANDBOXES.items():
        if name in ("best", each):
            if (why := sandbox.available()) is None:
                return each, missing
            missing.append(why)
    return "", missing


def choose(
    name: str = "best",
    limits: Limits | None = None,
    *,
    torch: bool = False,
    forbids: tuple[str, ...] = (),
) -> Callable[[], Process]:
    """What starts a worker.

    Args:
        name: "zygote", "bubblewrap" or "container"; "best" for the first that works here; "unsafe"
            for none.
        limits: of each submission.
        torch: whether it is likely to be imported; a zygote then has it already.
        forbids: packages that the sandbox leaves out; without a sandbox, nothing is left out.

    Raises:
        OSError: what is asked for is not here; the message says how to get it.
    """
    check_choice(name, "sandbox", ["best", *SANDBOXES, "unsafe"])
    limits = limits or Limits()
    if name == "unsafe":
        return lambda: unsafe.start(limits)
    found, missing = best(name)
    if found:
        start = SANDBOXES[found].start
        return lambda: cast(Process, start(limits, torch=torch, forbids=forbids))
    raise OSError(
        f"{'; '.join(dict.fromkeys(missing))}. To run students' code without a sandbox, say so: "
        "--unsafe"
    )

"""Say what this machine can promise: which sandboxes it has, and what they hold back.

An honest answer must earn its point; every hostile one in `hostile/` must earn none and leave no
trace. What is not promised is tried as well, so that a teacher sees what it means. This takes a
minute or two.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from plainformer.classroom.hostile import FORGERIES, HARM, NOT_PROMISED
from plainformer.classroom.judge import judge
from plainformer.classroom.sandbox import Limits, Process, cgroups
from plainformer.classroom.sandbox.choice import SANDBOXES, best
from plainformer.classroom.sandbox.limits import tree
from plainformer.exercises.spec import Case, Exercise

__all__ = [
    "LIMITS",
    "TRIES",
    "admitted",
    "advice",
    "available",
    "examine",
    "honest",
    "kept_by",
]

LIMITS = Limits(memory=400 << 20, cpu=20)
VANISHING = 10.0  # seconds, because a killed process may still be ending on a busy machine
PLACES = ("/", "/usr", "/etc", "/root", "/home", "/var/tmp")
TRIES = 1 + len(FORGERIES) + len(HARM)
HONEST = "def double(x): return [2 * each for each in x]"


def double(x: list[int]) -> list[int]:
    """Twice each number."""
    return [2 * each for each in x]


EXERCISE = Exercise(
    id="doctor.1",
    title="Twice",
    reference=double,
    cases=(Case(([1, 2],), [2, 4]),),
    generate=lambda rng: (rng.integers(100, size=3).tolist(),),
    hints=(),
    n_generated=5,
)


def available() -> dict[str, str]:
    """Each sandbox, the best first, and what is missing for it; an empty text for nothing."""
    return {name: sandbox.available() or "" for name, sandbox in SANDBOXES.items()}


def kept_by() -> str:
    """What limits a submission's memory on this machine."""
    if cgroups.place():
        return "memory and processes: watched, and limited by the kernel (cgroup v2)"
    return "memory and processes: watched; this user may make no group of cgroup v2"


def advice() -> list[str]:
    """What a teacher should change before students' work is run here, in sentences."""
    found = []
    if os.geteuid() == 0:
        found.append("You are root: an ordinary user is enough, and loses less if all else fails.")
    name, missing = best()
    if not name:
        found.append(
            "There is no sandbox here, so do not run students' work. Install one of these: "
            f"{'; '.join(dict.fromkeys(missing))}."
        )
    return found


def honest(start: Callable[[], Process]) -> str:
    """What is wrong with a sandbox in which an honest answer fails; an empty text for nothing."""
    mark = judge(EXERCISE, [HONEST], start, secret=b"", student="", seconds=60.0)
    return "" if mark.status == "ok" else f"{mark.status}: {mark.text}"


def examine(start: Callable[[], Process], seconds: float = 2.0) -> Iterator[tuple[str, str]]:
    """Try a sandbox with what students could hand in.

    Args:
        start: starts a worker in it.
        seconds: of each hostile answer; many use all of them.

    Yields:
        What was tried, and what is wrong with how it ended; an empty text if nothing is.
    """
    _adopt_orphans()
    yield "an honest answer", honest(start)
    mine = set(tree(os.getpid()))
    for name, cell in FORGERIES.items():
        mark = judge(EXERCISE, [cell], start, secret=b"", student="", seconds=seconds)
        yield name, "it earned a point" if mark.points else ""
    with _somebody_who_listens():
        for name, cell in HARM.items():
            mark = judge(EXERCISE, [cell], start, secret=b"", student="", seconds=seconds)
            escaped = mark.text.partition("escaped: ")[2].partition("\n")[0]
            yield name, "it earned a point" if mark.points else escaped or _traces(mine)


def admitted(start: Callable[[], Process]) -> Iterator[tuple[str, bool]]:
    """Try what is not promised; yield what was tried, and whether it was held all the same."""
    for name, cell in NOT_PROMISED.items():
        yield name, not judge(EXERCISE, [cell], start, secret=b"", student="", seconds=60.0).points


def _adopt_orphans() -> None:
    """Let a process whose parent has ended become our own child, so that `tree` finds it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER


def _traces(mine: set[int]) -> str:
    """What an answer has left outside, besides my own processes; an empty text for nothing."""
    deadline = time.monotonic() + VANISHING
    found, quiet = "", 0
    # Nothing must be found twice: one look may fall between a parent's end and our own adopting.
    while quiet < 2 and time.monotonic() < deadline:
        left = _left(mine)
        found, quiet = (left, 0) if left else (found, quiet + 1)
        time.sleep(0.02)
    return found if quiet < 2 else ""


def _left(mine: set[int]) -> str:
    found = [str(path) for place in PLACES for path in Path(place).glob("left_by_*")]
    for pid in set(tree(os.getpid())) - mine:
        with contextlib.suppress(OSError):
            if Path(f"/proc/{pid}/cmdline").read_bytes():  # what has ended has none
                found.append(f"process {pid}")
    return ", ".join(found)


@contextlib.contextmanager
def _somebody_who_listens() -> Iterator[None]:
    """Listen on this machine's own network, and on an abstract socket, which the answer "the
    network" tries to reach."""
    with socket.socket() as one, socket.socket(socket.AF_UNIX) as other:
        if hasattr(socket, "SO_REUSEPORT"):  # another doctor may listen too, and end before us
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        with contextlib.suppress(OSError):
            one.bind(("127.0.0.1", 47629))
            one.listen()
        with contextlib.suppress(OSError):  # another doctor listens already
            other.bind("\0plainformer-hostile")
            other.listen()
        yield

"""Workers that are forked from a process which has imported everything: many times as fast.

A zygote (see `classroom/zygote.py`) waits in a bubblewrap of its own for each process of the
grader's. A submission's worker is a fork of it, in fresh namespaces. What a submission may see and
do is what it may in `bubblewrap`.

As root, bubblewrap is started as root, and every fork becomes a user that nothing else belongs to.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
from functools import cache

from plainformer.classroom.sandbox import bubblewrap
from plainformer.classroom.sandbox.limits import Limits, tree
from plainformer.classroom.sandbox.process import Process

__all__ = ["Forked", "available", "command", "start"]

STARTING = 120.0  # seconds for a zygote's imports, on a machine that is busy
ROOT_KEEPS = ("SYS_ADMIN", "SETUID", "SETGID", "SETPCAP", "KILL")  # the zygote, not its forks
IMPORTS = (
    *("IPython.core.inputtransformer2", "numpy.random", "numpy.linalg", "dataclasses", "heapq"),
    *(f"plainformer.{part}" for part in ("inputs", "attention", "blocks", "decoding")),
)
TORCH = (
    "torch", "plainformer.attention.modules",
    "plainformer.blocks.modules.pretrained", "plainformer.blocks.modules.tracing",
)  # fmt: skip


def available() -> str | None:
    """Why a zygote does not work here; None if it does."""
    if why := bubblewrap.available():
        return why
    if said := _refused(str(shutil.which("bwrap"))):
        return f"bubblewrap is here, and a zygote cannot work in it ({said})"
    return None


@cache
def _refused(path: str) -> str:
    """What goes wrong with a fork that ends at once; an empty text if nothing does. Tried once."""
    try:
        with start(Limits()):
            return ""
    except OSError as error:
        return str(error)


def command(
    control: int, limits: Limits, modules: tuple[str, ...], forbids: tuple[str, ...] = ()
) -> list[str]:
    """The command line that starts a zygote which is told on this descriptor what to do."""
    root = bubblewrap.rules()
    slot = bubblewrap.FIRST_SLOT + os.getpid() if root else 0
    own = ["--uid", "65534", "--gid", "65534", "--unshare-user", "--cap-drop", "ALL"]
    if root:
        own = ["--cap-drop", "ALL"]
        own += [word for each in ROOT_KEEPS for word in ("--cap-add", f"CAP_{each}")]
    told = {name: getattr(limits, name) for name in ("cpu", "processes", "files")}
    return [
        str(shutil.which("bwrap")), "--unshare-pid", "--unshare-net", "--unshare-ipc",
        "--unshare-uts", "--unshare-cgroup-try", *own, "--hostname", "sandbox",
        "--die-with-parent", "--new-session", "--clearenv",
        *bubblewrap.variables(), *bubblewrap.files(forbids),
        *bubblewrap.own(limits, proc="writable"),
        "--chdir", "/tmp", "--", *bubblewrap.python(),
        "-c", bubblewrap.run("plainformer.classroom.zygote"),
        str(control), json.dumps(told), str(slot), *modules,
    ]  # fmt: skip


class Zygote:
    """A zygote that waits to be told; one worker of it lives at a time."""

    def __init__(self, limits: Limits, *, torch: bool, forbids: tuple[str, ...] = ()) -> None:
        wanted = IMPORTS + (TORCH if torch else ())
        modules = tuple(each for each in wanted if each.partition(".")[0] not in forbids)
        if "torch" in forbids:
            modules = tuple(each for each in modules if each not in TORCH)
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self.popen = subprocess.Popen(
                command(theirs.fileno(), limits, modules, forbids),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=(theirs.fileno(),),
                env={"PATH": os.defpath, "LANG": "C.UTF-8"},
                start_new_session=True,
            )
        said = self.hear(STARTING)
        if said != b"ready":
            self.end()
            words = (
                self.popen.stderr.read(2000).decode(errors="replace") if self.popen.stderr else ""
            )
            raise OSError(words.strip()[-300:] or "a zygote did not start")
        self.pid = tree(self.popen.pid)[-1]

    def hear(self, seconds: float) -> bytes:
        """What it says next; nothing if it says nothing in time, or is no more."""
        poll = select.poll()
        poll.register(self.control, select.POLLIN)
        if not poll.poll(1000 * seconds):
            return b""
        with contextlib.suppress(OSError):
            return self.control.recv(4096)
        return b""

    def tell(self, word: bytes, pipes: tuple[int, ...] = ()) -> None:
        """Tell it something; that it is no more is heard soon enough."""
        with contextlib.suppress(OSError):
            socket.send_fds(self.control, [word], pipes)

    def end(self) -> None:
        """End it, and its worker if there is one."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.popen.pid, signal.SIGKILL)
        self.popen.wait()
        self.control.close()


Key = tuple[int, Limits, bool, tuple[str, ...]]

_waiting: dict[Key, list[Zygote]] = {}
"""Those that have no worker now, by the process that they belong to: a fork of ours has none."""


@atexit.register
def _end_all() -> None:
    for (owner, *_), zygotes in _waiting.items():
        for each in zygotes if owner == os.getpid() else ():
            each.end()


def start(limits: Limits, *, torch: bool = False, forbids: tuple[str, ...] = ()) -> Forked:
    """A worker in a fresh sandbox.

    Args:
        limits: of the submission.
        torch: whether it had better be imported already.
        forbids: packages that it has not.

    Raises:
        OSError: there can be none here; or the machine has no room for it now.
    """
    key = (os.getpid(), limits, torch, forbids)
    waiting = _waiting.setdefault(key, [])
    if waiting:
        try:
            return Forked(waiting.pop(), key)
        except OSError:  # it was ended from outside
            pass
    return Forked(Zygote(limits, torch=torch, forbids=forbids), key)


class Forked(Process):
    """A worker that a zygote forked, and that ends with the `with` block."""

    def __init__(self, zygote: Zygote, key: Key) -> None:
        self.zygote, self.key = zygote, key
        self.ended: dict[str, float] | None = None
        super().__init__(key[1])

    def _begin(self, reads: int, writes: int) -> None:
        self.zygote.tell(b"start", (reads, writes))
        said = self.zygote.hear(STARTING)
        if said != b"ready":
            self.zygote.end()
            raise OSError(said.decode(errors="replace") or "the zygote has ended")

    def _finish(self) -> None:
        if self.ended is None:
            self._hear_the_end(b"end")
        if self.ended:
            _waiting[self.key].append(self.zygote)

    def _how_it_ended(self) -> tuple[int, float] | None:
        self._hear_the_end(b"wait")
        return (int(self.ended["status"]), self.ended["cpu"]) if self.ended else None

    def _hear_the_end(self, word: bytes) -> None:
        self.zygote.tell(word)
        said = self.zygote.hear(STARTING)
        self.ended = json.loads(said) if said else {}
        if not said:
            self.zygote.end()

    def _processes(self) -> list[int]:
        return tree(self.zygote.pid)[1:]

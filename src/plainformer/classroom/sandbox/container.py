"""podman or docker: a container for each submission, where bubblewrap may not work.

The image needs Python and what this package needs, and not the package itself: that is bound from
here, without its exercises. It is asked for by its name and never fetched:

    podman build --tag plainformer-classroom FOLDER_OF_THE_RECIPE

podman needs no image at all: without one it gets an empty root folder, into which this machine's
Python and its packages are bound, read-only, as bubblewrap has them.

A container takes a second to start. Its memory is limited by its own control group, and its use
cannot be seen from here.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
import uuid
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from plainformer.classroom.sandbox import bubblewrap
from plainformer.classroom.sandbox.limits import Limits
from plainformer.classroom.sandbox.process import Launched

__all__ = ["Way", "available", "command", "start"]

DESCRIPTORS = 64
TURNS = 3
FIRST_USER, USERS = 10_000, 50_000  # in the range that an ordinary user's podman has
IMAGE = "plainformer-classroom"
PROGRAMS = ("podman", "docker")  # podman needs no daemon, and no root
# The two ends of the worker are its standard ones here; what a student's code prints is not.
MOVE = (
    "import os, sys\n"
    "sys.argv[1:] = [str(os.dup(each)) for each in (0, 1)]\n"
    "nothing = os.open(os.devnull, os.O_RDWR)\n"
    "for each in (0, 1): os.dup2(nothing, each)\n"
    "os.close(nothing)\n"
    "for each in ('HOSTNAME', 'PATH', 'TERM', 'container'): os.environ.pop(each, None)\n"
)


@dataclass(frozen=True)
class Way:
    """How containers are started here.

    Attributes:
        program: podman or docker.
        runtime: which of its runtimes, if not the usual one.
        root: a folder that stands for an image; empty for the image.
    """

    program: str
    runtime: str = ""
    root: str = ""


def available() -> str | None:
    """Why containers do not work here; None if they do."""
    if not any(map(shutil.which, PROGRAMS)):
        return "podman and docker are missing; on Debian and Ubuntu: sudo apt-get install podman"
    way, said = _way()
    if way is None:
        return f"{said[0]} is here, and has no image {IMAGE!r} that it can start ({said[1]})"
    return None


@cache
def _way() -> tuple[Way | None, tuple[str, str]]:
    """The first way that works, or what the first one said. Tried once."""
    said = ("", "")
    for program in filter(None, map(shutil.which, PROGRAMS)):
        roots = ["", root_folder()] if Path(program).name == "podman" else [""]
        runtimes = ["runsc"] if shutil.which("runsc") else ["", *filter(shutil.which, ["runc"])]
        for root in roots:
            for runtime in runtimes:
                way = Way(program, runtime, root)
                line = command(way, f"plainformer-{uuid.uuid4().hex}", Limits(), "import numpy")
                tried = subprocess.run(
                    line, check=False, capture_output=True, stdin=subprocess.DEVNULL
                )
                if not tried.returncode:
                    return way, said
                said = (
                    said
                    if said[0]
                    else (program, tried.stderr.decode(errors="replace").strip()[-200:])
                )
    return None, said


@cache
def root_folder() -> str:
    """An empty root: places for what is bound, and the links that systems have. It goes with us."""
    folder = tempfile.mkdtemp(prefix="plainformer-root-")
    atexit.register(_remove, folder, os.getpid())
    Path(folder).chmod(0o755)
    inside = [there for _, there in bubblewrap.bound() if not Path(there).is_file()]
    for each in ("proc", "sys", "dev", "tmp", "run", "etc", *(path.lstrip("/") for path in inside)):
        Path(folder, each).mkdir(parents=True, exist_ok=True)
    for each in bubblewrap.SYSTEM:
        place = Path(folder, each.lstrip("/"))
        if Path(each).is_symlink():
            place.symlink_to(Path(each).readlink())
        elif Path(each).is_file():
            place.touch()
    return folder


def _remove(folder: str, owner: int) -> None:
    if owner == os.getpid():  # and not a fork of ours
        shutil.rmtree(folder, ignore_errors=True)


def command(way: Way, name: str, limits: Limits, program: str = "") -> list[str]:
    """The command line that starts a worker which reads and writes its standard ends."""
    return [*_options(way, name, limits), *_inside(way, limits, program)]


def _options(way: Way, name: str, limits: Limits) -> list[str]:
    variables = [word.removeprefix("--set") for word in bubblewrap.variables()]
    names, values = variables[1::3], variables[2::3]
    # The limit of processes counts all containers' of a user: each has one of its own.
    user = FIRST_USER + os.getpid() % USERS
    podman = Path(way.program).name == "podman"  # it knows no limit of inodes: memory holds them
    return [
        way.program, *([f"--runtime={way.runtime}"] if podman and way.runtime else []),
        "run", "--rm", "--interactive", "--pull=never", f"--name={name}",
        *([f"--runtime={way.runtime}"] if way.runtime and not podman else []),
        # podman would add places to write in that have no limit, and the machine's list of hosts.
        *(["--read-only-tmpfs=false", "--no-hosts"] if podman else []),
        "--network=none", "--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges",
        f"--user={user}:{user}", "--hostname=sandbox", "--ipc=private", "--shm-size=1m",
        f"--memory={limits.memory}", f"--memory-swap={limits.memory}",
        f"--ulimit=nproc={limits.processes}:{limits.processes}",
        f"--pids-limit={limits.processes}", f"--ulimit=nofile={DESCRIPTORS}:{DESCRIPTORS}",
        f"--tmpfs=/tmp:rw,nosuid,nodev,size={limits.files}{'' if podman else ',nr_inodes=4096'}"
        ",mode=1777",
        *(f"--env={key}={value}" for key, value in zip(names, values, strict=True)),
        "--workdir=/tmp",
    ]  # fmt: skip


def _inside(way: Way, limits: Limits, program: str) -> list[str]:
    """What can be seen in there, and the program."""
    course = f"{bubblewrap.COURSE}/plainformer"
    bound = bubblewrap.bound() if way.root else bubblewrap.bound()[-1:]
    hidden = (
        bubblewrap.hides() if way.root else [f"{course}/{each}" for each in bubblewrap.SOLUTIONS]
    )
    # podman would fill the place with what it is to hide.
    empty = ",notmpcopyup" if Path(way.program).name == "podman" else ""
    # Where we have no list of system calls, podman and docker have theirs.
    worker = bubblewrap.run("plainformer.classroom.worker", limits, forbids=False)
    return [
        *(f"--volume={here}:{there}:ro" for here, there in bound),
        *(f"--tmpfs={each}:ro,size=4k{empty}" for each in hidden),
        *(["--rootfs", way.root] if way.root else [IMAGE]),
        *(bubblewrap.python() if way.root else ["python3", "-I"]), "-c",
        f"{bubblewrap.paths()}{program}" if program else MOVE + worker,
    ]  # fmt: skip


def start(limits: Limits, *, torch: bool = False, forbids: tuple[str, ...] = ()) -> Launched:
    """A worker in a fresh container.

    Raises:
        OSError: there is no container here, or packages are forbidden: what an image has of them
            is not known here.
    """
    if forbids:
        raise OSError(
            f"podman and docker cannot leave out {', '.join(forbids)}, which an exercise forbids; "
            "mark it with bubblewrap"
        )
    way, _ = _way()
    if way is None:
        raise OSError(available())
    return Contained(way, limits)


class Contained(Launched):
    """A container; the program that starts it is not its parent, so to kill that is not enough."""

    def __init__(self, way: Way, limits: Limits) -> None:
        self.program, self.name = way.program, f"plainformer-{uuid.uuid4().hex}"
        super().__init__(lambda *_: command(way, self.name, limits), limits)

    def _begin(self, reads: int, writes: int) -> None:
        self.popen = subprocess.Popen(
            self.command(reads, writes, self.limits),
            stdin=reads,
            stdout=writes,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def _finish(self) -> None:
        podman = Path(self.program).name == "podman"  # which waits else; docker does not
        now = ["--time=0"] if podman else []
        line = [self.program, "rm", "--force", *now, self.name]
        for _ in range(TURNS):  # on a busy machine it may not be there yet, or not let go
            if not subprocess.run(line, check=False, capture_output=True).returncode:
                break
        super()._finish()

    def _processes(self) -> list[int]:
        return []

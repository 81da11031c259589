"""podman or docker: a container for each submission, where bubblewrap may not work.

The image needs Python and what this package needs, and not the package itself: that is bound from
here, without its exercises. It is asked for by its name and never fetched:

    podman build --tag plainformer-classroom FOLDER_OF_THE_RECIPE

But: a container takes a second to start. Its memory is limited by its own control group; what
it has is not seen from here.
"""

from __future__ import annotations

import shutil
import subprocess
import uuid
from functools import cache
from pathlib import Path

import plainformer
from plainformer.classroom.sandbox import bubblewrap
from plainformer.classroom.sandbox.limits import Limits
from plainformer.classroom.sandbox.process import Launched

__all__ = ["available", "command", "start"]

IMAGE = "plainformer-classroom"
PROGRAMS = ("podman", "docker")  # podman needs no daemon, and no root
# The two ends of the worker are its standard ones here; what a student's code prints is not.
MOVE = (
    "import os, sys\n"
    "sys.argv[1:] = [str(os.dup(each)) for each in (0, 1)]\n"
    "for each in (0, 1): os.dup2(os.open(os.devnull, os.O_RDWR), each)\n"
)


def available() -> str | None:
    """Why there are no containers here; None if there are."""
    program = _program()
    if program is None:
        return "podman and docker are missing; on Debian and Ubuntu: sudo apt-get install podman"
    if said := _refused(program):
        return f"{program} is here, and has no image {IMAGE!r} that it can start ({said})"
    return None


def _program() -> str | None:
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


@cache
def _refused(program: str) -> str:
    """What it says when it cannot start a container; an empty text if it can. Tried once."""
    line = [program, "run", "--rm", "--pull=never", "--network=none", IMAGE, "true"]
    tried = subprocess.run(line, check=False, capture_output=True, text=True, errors="replace")
    return (tried.stderr.strip()[-200:] or "it failed") if tried.returncode else ""


def command(program: str, name: str, limits: Limits) -> list[str]:
    """The command line that starts a worker which reads and writes its standard ends."""
    package = Path(plainformer.__file__).resolve().parent
    inside = f"{bubblewrap.COURSE}/plainformer"
    variables = [word.removeprefix("--set") for word in bubblewrap.variables()]
    names, values = variables[1::3], variables[2::3]
    runtime = ["--runtime=runsc"] if shutil.which("runsc") else []
    return [
        program, "run", "--rm", "--interactive", "--pull=never", f"--name={name}", *runtime,
        "--network=none", "--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges",
        "--user=65534:65534", "--hostname=sandbox", "--ipc=private", "--shm-size=1m",
        f"--memory={limits.memory}", f"--memory-swap={limits.memory}",
        f"--pids-limit={limits.processes}",
        f"--tmpfs=/tmp:rw,nosuid,nodev,size={limits.files},nr_inodes=4096,mode=1777",
        f"--volume={package}:{inside}:ro", f"--tmpfs={inside}/exercises:ro,size=4k",
        *(f"--env={key}={value}" for key, value in zip(names, values, strict=True)),
        "--workdir=/tmp", IMAGE, "python3", "-I", "-c",
        # Where we have no list of system calls, podman and docker have theirs.
        MOVE + bubblewrap.run("plainformer.classroom.worker", limits, forbids=False),
    ]  # fmt: skip


def start(limits: Limits, *, torch: bool = False) -> Launched:
    """A worker in a fresh container."""
    program = _program()
    if program is None:
        raise OSError(available())
    return Contained(program, limits)


class Contained(Launched):
    """A container; the program that starts it is not its parent, so to kill that is not enough."""

    def __init__(self, program: str, limits: Limits) -> None:
        self.program, self.name = program, f"plainformer-{uuid.uuid4().hex}"
        super().__init__(lambda *_: command(program, self.name, limits), limits)

    def _begin(self, reads: int, writes: int) -> None:
        self.popen = subprocess.Popen(
            self.command(reads, writes, self.limits),
            stdin=reads,
            stdout=writes,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def _finish(self) -> None:
        line = [self.program, "rm", "--force", self.name]
        subprocess.run(line, check=False, capture_output=True)
        super()._finish()

    def _processes(self) -> list[int]:
        return []

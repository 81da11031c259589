"""bubblewrap: a process with its own users, processes, network and files, and nothing else.

What a submission sees: the system's programs and libraries (all of /usr), Python with its packages,
and this package without its exercises, all of it read-only; a /tmp of limited size; no network, no
other process, none of the machine's variables.

Where root starts it, every submission becomes a user that nothing else belongs to. Root in a user
namespace would still be the owner of `/dev/null`, and could change its permissions for the whole
machine; and the system's limit of processes does not hold for root.

Source: bubblewrap's manual, version 0.8.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path

import plainformer
from plainformer.classroom.sandbox import leaving_out
from plainformer.classroom.sandbox.limits import Limits
from plainformer.classroom.sandbox.process import Launched

__all__ = [
    "available", "bound", "command", "files", "hides", "own", "paths", "python", "rules", "run",
    "shows", "site_packages", "start", "variables",
]  # fmt: skip

ISOLATION = ("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
             "--unshare-cgroup-try")  # fmt: skip
POWER = 1 << 6 | 1 << 7 | 1 << 8 | 1 << 21  # SETGID, SETUID, SETPCAP, SYS_ADMIN
FIRST_SLOT = 2_000_000_000  # users whom no system gives away; and the number of our own process
COURSE, PACKAGES = "/course", "/packages"
SOLUTIONS = ("exercises", "classroom/template")  # folders of the package
DESCRIPTORS = 64  # pipes and sockets hold memory of the kernel's, which no watch sees
SYSTEM = ("/usr", "/lib", "/lib64", "/lib32", "/bin", "/etc/ld.so.cache", "/etc/alternatives")


def available() -> str | None:
    """Why bubblewrap does not work here, with the command that fixes it; None if it works."""
    if sys.platform != "linux":
        return "bubblewrap runs on Linux alone"
    path = shutil.which("bwrap")
    if path is None:
        return "bubblewrap is missing; on Debian and Ubuntu: sudo apt-get install bubblewrap"
    if said := _refused(path):
        return (
            f"bubblewrap is here and no worker starts in it ({said}): it must be version 0.8 or "
            "later, and may have to be let make user namespaces: on Ubuntu 24.04 by sudo sysctl "
            "kernel.apparmor_restrict_unprivileged_userns=0, in Docker by its seccomp profile"
        )
    return None


@cache
def _refused(path: str) -> str:
    """What it says when no worker can start in it; an empty text if one can. Tried once."""
    line = command(0, 0, Limits(), "plainformer.classroom.wire", path)
    tried = subprocess.run(line, check=False, capture_output=True, text=True, errors="replace")
    if not tried.returncode:
        return ""
    return tried.stderr.strip()[-200:] or f"exit status {tried.returncode}"


@cache
def rules() -> bool:
    """Whether we are root of the machine, and not of a container that lends us little of it."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return False
    said = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    users = Path("/proc/self/uid_map").read_text().split()
    return int(said["CapEff"], 16) & POWER == POWER and int(users[2]) > 2 * FIRST_SLOT


def start(limits: Limits, *, torch: bool = False, forbids: tuple[str, ...] = ()) -> Launched:
    """A worker in a fresh sandbox, which has none of the packages that are forbidden."""
    return Launched(partial(command, forbids=forbids), limits)


def command(
    reads: int,
    writes: int,
    limits: Limits,
    module: str = "plainformer.classroom.worker",
    program: str | None = None,
    forbids: tuple[str, ...] = (),
) -> list[str]:
    """The command line that starts a worker which reads and writes these descriptors."""
    own_user = ["--unshare-user", "--disable-userns", "--uid", "65534", "--gid", "65534"]
    if rules():  # enough to become a user, and no other power
        kept = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")
        own_user = [word for each in kept for word in ("--cap-add", each)]
    return [
        str(program or shutil.which("bwrap")), *ISOLATION, "--cap-drop", "ALL", *own_user,
        "--hostname", "sandbox", "--die-with-parent", "--new-session", "--clearenv",
        *variables(), *files(forbids), *own(limits),
        "--chdir", "/tmp", "--", *python(), "-c", run(module, limits),
        str(reads), str(writes),
    ]  # fmt: skip


def variables() -> Iterator[str]:
    """The environment."""
    # One thread, so that a submission gets the same resources whatever else is being graded.
    for name, value in (
        ("HOME", "/tmp"), ("LANG", "C.UTF-8"), ("PYTHONHASHSEED", "0"), ("OMP_NUM_THREADS", "1"),
        ("OPENBLAS_NUM_THREADS", "1"), ("MKL_NUM_THREADS", "1"), ("MPLBACKEND", "agg"),
    ):  # fmt: skip
        yield from ("--setenv", name, value)


def files(forbids: tuple[str, ...] = ()) -> Iterator[str]:
    """What can be read, without the packages that are forbidden.

    A folder is made first, by its name, because those that bwrap implies are 0700.
    """
    for each in (COURSE, PACKAGES, "/etc"):
        yield from ("--perms", "0755", "--dir", each)
    for each in SYSTEM:
        if Path(each).is_symlink():
            yield from ("--symlink", str(Path(each).readlink()), each)
    for here, there in bound():
        if here == there and there not in SYSTEM:
            for parent in reversed(Path(there).parents):
                if parent != Path("/"):
                    yield from ("--perms", "0755", "--dir", str(parent))
        yield from ("--ro-bind", here, there)
    package = f"{COURSE}/{leaving_out.PACKAGE.name}"
    forbidden = leaving_out.copies(forbids, bound())
    if leaving_out.ours(forbids):
        forbidden.append((package, True))
    for place, folder in forbidden:
        yield from ("--tmpfs", place) if folder else ("--ro-bind", "/dev/null", place)
    if leaving_out.ours(forbids):
        yield from ("--perms", "0755", "--dir", f"{package}/classroom")
        for name in leaving_out.KEPT:
            yield from ("--ro-bind", str(leaving_out.PACKAGE / name), f"{package}/{name}")
    for each in [place for place, folder in forbidden if folder]:
        yield from ("--remount-ro", each)
    for each in hides():
        if not any(Path(each).is_relative_to(place) for place, _ in forbidden):
            yield from ("--tmpfs", each, "--remount-ro", each)


def bound() -> list[tuple[str, str]]:
    """What of this machine can be read in there: where it is here, and where it is there."""
    found = [(each, each) for each in SYSTEM if Path(each).exists() and not Path(each).is_symlink()]
    base = Path(sys.base_prefix).resolve()
    if not base.is_relative_to("/usr"):
        found.append((str(base), str(base)))
    found += [(str(path), f"{PACKAGES}/{i}") for i, path in enumerate(site_packages())]
    package = Path(plainformer.__file__).resolve().parent
    return [*found, (str(package), f"{COURSE}/plainformer")]


def hides() -> list[str]:
    """Where references and wrong answers would be visible, the book's and those of the template,
    which no submission should see."""
    package = Path(plainformer.__file__).resolve().parent
    places = [
        str(Path(there, path.relative_to(here)))
        for path in (package / each for each in SOLUTIONS)
        for here, there in bound()
        if path.is_relative_to(here)
    ]
    return list(dict.fromkeys(places))


def shows(folder: Path) -> bool:
    """Whether a folder lies in what every submission can read, such as /usr/src/app."""
    package = Path(plainformer.__file__).resolve().parent
    places = [*map(Path, SYSTEM), Path(sys.base_prefix), package, *site_packages()]
    return any(folder.resolve().is_relative_to(each.resolve()) for each in places)


def own(limits: Limits, proc: str = "read-only") -> Iterator[str]:
    """What is the sandbox's own: processes, devices, a /tmp."""
    yield from ("--proc", "/proc", "--dev", "/dev")
    # When root creates them, another user has to be able to write there; the folder is private
    # anyway.
    may = "0777" if rules() else "0700"
    yield from ("--perms", may, "--size", str(limits.files), "--tmpfs", "/tmp")
    yield from ("--perms", may, "--size", str(1 << 20), "--tmpfs", "/dev/shm")  # unbounded else
    # A submission owns these folders; where root grades, the kernel's settings in /proc too.
    for each in ("/dev", "/proc", "/") if proc == "read-only" else ("/dev", "/"):
        yield from ("--remount-ro", each)


def site_packages() -> list[Path]:
    """Where this interpreter's packages are; not the folder that it was started in."""
    places = [Path(path).resolve() for path in sys.path if path]
    base = Path(sys.base_prefix).resolve()
    names = ("site-packages", "dist-packages")
    return [
        path
        for path in dict.fromkeys(places)
        if path.name in names and path.is_dir() and not path.is_relative_to(base)
    ]


def python() -> list[str]:
    """The interpreter that the environment was made from, without any environment."""
    found = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    return [str(found), "-I"]


def paths() -> str:
    """The line with which the interpreter finds the packages."""
    found = [COURSE, *(f"{PACKAGES}/{i}" for i in range(len(site_packages())))]
    return f"import sys\nsys.path[:0] = {found!r}\n"


def run(module: str, limits: Limits | None = None, *, forbids: bool = True) -> str:
    """What the interpreter runs: limits first, if there are to be any, then a module.

    Where system calls cannot be forbidden it ends, unless something else forbids them.
    """
    first = f"import runpy\n{paths()}"
    if limits:
        if forbids and rules():
            first += "from plainformer.classroom.namespaces import become\n"
            first += f"become({FIRST_SLOT + os.getpid()})\n"
        first += (
            "import resource as r\n"
            f"r.setrlimit(r.RLIMIT_CPU, ({limits.cpu}, {limits.cpu + 1}))\n"
            f"r.setrlimit(r.RLIMIT_NPROC, ({limits.processes}, {limits.processes}))\n"
            f"r.setrlimit(r.RLIMIT_NOFILE, ({DESCRIPTORS}, {DESCRIPTORS}))\n"
            "from plainformer.classroom.syscalls import UNKNOWN, forbid, no_core\n"
            "no_core()\n"
        )
        first += "forbid() or sys.exit(UNKNOWN)\n" if forbids else "forbid()\n"
    return f"{first}sys.argv[0] = 'worker'\nrunpy.run_module({module!r}, run_name='__main__')\n"

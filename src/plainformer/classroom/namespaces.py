"""Shut a forked process in: users, processes, network and files of its own, and no power over them.

For the zygote, whose forks must be as far from one another as two sandboxes are. What they see of
the machine's files is settled already, by the bubblewrap that the zygote runs in; here each gets a
/tmp, a /proc and a network of its own, and gives up the rest.

Where root grades, each submission of those that run at once is another user (`slot`), whom no other
process belongs to: the system's limit of processes does not hold for root. An ordinary user makes a
user namespace first.

Source: man 7 namespaces, user_namespaces, capabilities; man 2 prctl.
"""

from __future__ import annotations

import ctypes
import os
import resource
from collections.abc import Callable
from pathlib import Path

from plainformer.classroom.syscalls import UNKNOWN, forbid, no_core

__all__ = ["become", "drop_capabilities", "fork"]

NEW_USER = 0x10000000
NEW_OTHERS = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x20000000 | 0x40000000
READ_ONLY, NO_SETUID, NO_DEVICES, NO_PROGRAMS, ALL_BELOW, PRIVATE = 1, 2, 4, 8, 1 << 14, 1 << 18
REMOUNT, BIND = 32, 4096
DEVICES = [b"/dev/" + each for each in (b"null", b"zero", b"full", b"random", b"urandom", b"tty")]
NOBODY = 65534
DESCRIPTORS = 64  # a pipe or a socket holds memory of the kernel's, which no watch sees
INODES = 4096  # so does an empty file


def fork(run: Callable[[], None], limits: dict[str, int], slot: int) -> tuple[int, int]:
    """Start a function in a process that is shut in.

    Args:
        run: what it does; it does not come back from it.
        limits: "files", bytes of its /tmp; "cpu", seconds; "processes".
        slot: the user that it is, where root calls; 0 for an ordinary user's own.

    Returns:
        The process, and a descriptor which says, once it is shut in, b"ready", or what failed. It
        is a child of the caller's, who must be a subreaper.
    """
    (listens, says), (outside, inside) = os.pipe(), os.pipe()
    middle = os.fork()  # namespaces of processes and users take another fork
    if not middle:
        told = says
        try:
            if not slot:
                _enter(NEW_USER)
                _map_users(os.geteuid(), os.getegid())
            _enter(NEW_OTHERS)
            inner = os.fork()
            if inner:
                os.write(says, inner.to_bytes(4, "big"))
                os._exit(0)
            told = inside
            os.close(says)
            _shut_in(limits, slot)
            os.write(told, b"ready")
            run()
        except BaseException as error:
            os.write(told, f"{type(error).__name__}: {error}".encode()[:400])
        finally:
            os._exit(1)
    os.close(says)
    os.close(inside)
    os.waitpid(middle, 0)
    with os.fdopen(listens, "rb") as first:
        number = first.read()
    if len(number) == 4:
        return int.from_bytes(number, "big"), outside
    os.close(outside)
    raise OSError(number.decode(errors="replace") or "a process ended before it was shut in")


def _shut_in(limits: dict[str, int], slot: int) -> None:
    os.setsid()  # a signal to one's group would reach the zygote in another namespace
    _mount(b"none", b"/", b"", ALL_BELOW | PRIVATE)
    safe = NO_SETUID | NO_DEVICES
    # As root, /proc is another's, and the map of users is written there once more below.
    proc = safe | NO_PROGRAMS | (0 if slot else READ_ONLY)
    writable = 0 if slot else _open("/proc")
    _mount(b"proc", b"/proc", b"proc", proc)
    owner = slot or os.geteuid()
    for place, size in ((b"/tmp", limits["files"]), (b"/dev/shm", 1 << 20)):
        options = f"size={size},nr_inodes={INODES},mode=0700,uid={owner},gid={owner}"
        _mount(b"tmpfs", place, b"tmpfs", safe, options.encode())
    _mount(b"tmpfs", b"/dev/pts", b"tmpfs", safe | READ_ONLY, b"size=4k,nr_inodes=1")
    # The devices are the machine's own: who may write to one could also set the time of its last
    # change, which every later submission would see. A read-only mount forbids that alone.
    for each in DEVICES:
        kept = os.statvfs(each).f_flag & (NO_SETUID | NO_DEVICES | NO_PROGRAMS)
        _mount(b"none", each, b"", REMOUNT | BIND | READ_ONLY | kept)
    if slot:
        os.setgroups([])
        os.setresgid(slot, slot, slot)
        os.setresuid(slot, slot, slot)
        _prctl(4, 1)  # PR_SET_DUMPABLE: its own files in /proc are its own again
        _enter(NEW_USER)
        _map_users(slot, slot)
        Path("/proc/sys/user/max_user_namespaces").write_text("0")
    else:
        file = os.open("sys/user/max_user_namespaces", os.O_WRONLY, dir_fd=writable)
        os.write(file, b"0")
    os.chdir("/tmp")
    for name, most in (
        (resource.RLIMIT_NPROC, limits["processes"]),
        (resource.RLIMIT_NOFILE, DESCRIPTORS),
    ):
        resource.setrlimit(name, (most, most))
    no_core()
    resource.setrlimit(resource.RLIMIT_CPU, (limits["cpu"], limits["cpu"] + 1))
    drop_capabilities()
    if not forbid():
        raise OSError(UNKNOWN)


def become(slot: int) -> None:
    """Be, from root, a user whom no other process belongs to, and without a power of any kind."""
    _drop_bounding()
    os.setgroups([])
    os.setresgid(slot, slot, slot)
    os.setresuid(slot, slot, slot)
    drop_capabilities()


def drop_capabilities() -> None:
    """Give up all that root could do, now and in whatever is started."""
    _drop_bounding()
    _prctl(47, 4)  # PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    _checked(_libc.capset(header, (ctypes.c_uint32 * 6)()), "capset")


def _drop_bounding() -> None:
    for each in range(64):
        if _libc.prctl(24, each, 0, 0, 0):  # PR_CAPBSET_DROP
            break  # there are no more, or it is none of ours to give up


def _map_users(user: int, group: int) -> None:
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{NOBODY} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{NOBODY} {group} 1")


def _open(folder: str) -> int:
    return os.open(folder, os.O_PATH | os.O_DIRECTORY)


_libc = ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> None:
    if result:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def _enter(kinds: int) -> None:
    _checked(_libc.unshare(kinds), "unshare")


def _mount(source: bytes, place: bytes, kind: bytes, flags: int, options: bytes = b"") -> None:
    done = _libc.mount(source, place, kind, ctypes.c_ulong(flags), options)
    _checked(done, f"mount {place.decode()}")


def _prctl(what: int, value: int) -> None:
    _checked(_libc.prctl(what, value, 0, 0, 0), "prctl")

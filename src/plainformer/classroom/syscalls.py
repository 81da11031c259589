"""Forbid a process, and all that it starts, a few system calls that no answer needs.

Memory that belongs to no process escapes the memory check: a memory file (`memfd_create`), System
V's shared memory. The kernel's keys are their owner's in every namespace. New namespaces and
mounts would give a submission privileges inside them. The rest is forbidden because most
vulnerabilities of the last years were there. A process that calls them is told that they do not
exist (ENOSYS).

Source: man 2 seccomp; the numbers are those of Linux's `unistd.h`.
"""

from __future__ import annotations

import contextlib
import ctypes
import platform
import struct

__all__ = ["CALLS", "MACHINES", "UNKNOWN", "forbid", "no_core", "steps"]

UNKNOWN = f"system calls cannot be forbidden on this machine ({platform.machine()})"
# The number that the kernel has for a machine, and that of each call there: x86_64, aarch64.
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
CALLS = {
    "shmget": (29, 194), "msgget": (68, 186), "semget": (64, 190), "add_key": (248, 217),
    "request_key": (249, 218), "keyctl": (250, 219), "perf_event_open": (298, 241),
    "memfd_create": (319, 279), "bpf": (321, 280), "userfaultfd": (323, 282),
    "ptrace": (101, 117), "syslog": (103, 116), "mount": (165, 40), "umount2": (166, 39),
    "pivot_root": (155, 41), "chroot": (161, 51), "unshare": (272, 97), "setns": (308, 268),
    "setrlimit": (160, 164),  # a limit that is lowered may be one that held (`no_core`)
    # Those that came late have one number everywhere. A library without clone3 takes clone.
    "io_uring_setup": (425, 425), "memfd_secret": (447, 447), "open_tree": (428, 428),
    "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431),
    "fsmount": (432, 432), "fspick": (433, 433), "clone3": (435, 435),
    "mount_setattr": (442, 442),
}  # fmt: skip
CLONE, SOCKET, PRLIMIT, FCNTL = (56, 220), (41, 198), (302, 261), (72, 25)
HINTS = (1036, 1038)  # of fcntl: they stay with a file, and old kernels let anybody set them
FAMILIES = (1, 2, 10)  # of sockets: UNIX, IPv4, IPv6; some of the others are in no namespace
NAMESPACES = 0x7E020000  # flags of clone
LOAD, IF_EQUAL, IF_LARGER, IF_ANY, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, DENY, KILL = 0x7FFF0000, 0x00050000 | 38, 0x80000000
NUMBER, MACHINE, FIRST, SECOND, THIRD = 0, 4, 16, 24, 32  # where a call's number and arguments are
Step = tuple[int, int, int, int]
"""What, how many steps to skip if so, and if not, and a number."""


def forbid() -> bool:
    """Forbid them from now on, and return whether this machine can."""
    if platform.machine() not in MACHINES:
        return False
    program = [struct.pack("=HBBI", *step) for step in steps(platform.machine())]
    code = ctypes.create_string_buffer(b"".join(program))
    told = struct.pack("@HP", len(program), ctypes.addressof(code))
    libc = ctypes.CDLL(None)
    libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
    return bool(libc.prctl(22, 2, told, 0, 0) == 0)  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER


def steps(machine: str) -> list[Step]:
    """The kernel's filter, as it is looked through for each call: the first RETURN counts."""
    which = list(MACHINES).index(machine)
    deny, allow = (RETURN, 0, 0, DENY), (RETURN, 0, 0, ALLOW)
    found = [(LOAD, 0, 0, MACHINE), (IF_EQUAL, 1, 0, MACHINES[machine]), (RETURN, 0, 0, KILL)]
    found += [(LOAD, 0, 0, NUMBER), (IF_LARGER, 0, 1, 1 << 30), deny]  # x86's second numbers
    for numbers in CALLS.values():
        found += [(IF_EQUAL, 0, 1, numbers[which]), deny]
    cloned = [(LOAD, 0, 0, FIRST), (IF_ANY, 0, 1, NAMESPACES), deny]
    opened = [(LOAD, 0, 0, FIRST)]
    for family in FAMILIES:
        opened += [(IF_EQUAL, 0, 1, family), allow]
    limited = []  # a new limit is a pointer, whose halves are looked at one after the other
    for half in (THIRD, THIRD + 4):
        limited += [(LOAD, 0, 0, half), (IF_EQUAL, 1, 0, 0), deny]
    hinted = [(LOAD, 0, 0, SECOND)]
    for hint in HINTS:
        hinted += [(IF_EQUAL, 0, 1, hint), deny]
    for call, body in (
        (CLONE, [*cloned, allow]),
        (SOCKET, [*opened, deny]),
        (PRLIMIT, [*limited, allow]),
        (FCNTL, [*hinted, allow]),
    ):
        found += [(IF_EQUAL, 0, len(body), call[which]), *body]
    return [*found, allow]


def no_core() -> None:
    """Leave no copy of its memory when this process, or what it starts, is ended by a signal.

    1 and not 0: where the machine hands such copies to a program, the kernel looks at no limit but
    a limit of 1 (Linux, fs/coredump.c).
    """
    with contextlib.suppress(ImportError):  # Windows has none
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
        most = 1 if hard else 0
        if (soft, hard) != (most, most):  # it may be done already, and forbidden
            resource.setrlimit(resource.RLIMIT_CORE, (most, most))

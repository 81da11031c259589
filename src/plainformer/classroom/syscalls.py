"""Forbid a process, and all that it starts, a few system calls that no answer needs.

Memory that belongs to no process is seen by no watch: a file of memory (`memfd_create`), System V's
shared memory. The kernel's keys are their owner's in every namespace. New namespaces and mounts
would make of a submission the master of something. The rest is forbidden because most holes of the
last years were there. To whoever asks, they do not exist (ENOSYS).

Source: man 2 seccomp; the numbers are those of Linux's `unistd.h`.
"""

from __future__ import annotations

import ctypes
import platform
import struct

__all__ = ["forbid"]

# shmget, msgget, semget, add_key, request_key, keyctl, perf_event_open, memfd_create, bpf,
# userfaultfd, io_uring_setup, memfd_secret, ptrace, syslog;
# mount, umount2, pivot_root, chroot, unshare, setns, clone3 (a library then takes clone).
BOTH = (425, 447, *range(428, 434), 435, 442)  # those that came late have one number everywhere
CALLS = {
    "x86_64": (
        *(29, 68, 64, 248, 249, 250, 298, 319, 321, 323, 101, 103),
        *(165, 166, 155, 161, 272, 308, *BOTH),
    ),
    "aarch64": (
        *(194, 186, 190, 217, 218, 219, 241, 279, 280, 282, 117, 116),
        *(40, 39, 41, 51, 97, 268, *BOTH),
    ),
}
# The machine's own number, and those of clone and of socket.
MACHINES = {"x86_64": (0xC000003E, 56, 41), "aarch64": (0xC00000B7, 220, 198)}
FAMILIES = (1, 2, 10)  # of sockets: UNIX, IPv4, IPv6; some of the others are in no namespace
NAMESPACES = 0x7E020000  # the flags of clone that make some
LOAD, IF_EQUAL, IF_LARGER, IF_ANY, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, DENY, KILL = 0x7FFF0000, 0x00050000 | 38, 0x80000000


def forbid() -> bool:
    """Forbid them from now on; say whether this machine can."""
    if platform.machine() not in CALLS:
        return False
    machine, clone, sockets = MACHINES[platform.machine()]
    # Each step: what, how many steps to skip if so, and if not, and a number.
    steps = [(LOAD, 0, 0, 4), (IF_EQUAL, 1, 0, machine), (RETURN, 0, 0, KILL), (LOAD, 0, 0, 0)]
    steps += [(IF_LARGER, 0, 1, 1 << 30), (RETURN, 0, 0, DENY)]  # x86's second set of numbers
    for number in CALLS[platform.machine()]:
        steps += [(IF_EQUAL, 0, 1, number), (RETURN, 0, 0, DENY)]
    steps += [(IF_EQUAL, 0, 4, clone), (LOAD, 0, 0, 16)]  # its first argument
    steps += [(IF_ANY, 0, 1, NAMESPACES), (RETURN, 0, 0, DENY), (LOAD, 0, 0, 0)]
    steps += [(IF_EQUAL, 1, 0, sockets), (RETURN, 0, 0, ALLOW), (LOAD, 0, 0, 16)]
    for family in FAMILIES:
        steps += [(IF_EQUAL, 0, 1, family), (RETURN, 0, 0, ALLOW)]
    steps.append((RETURN, 0, 0, DENY))
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    program = struct.pack("@HP", len(steps), ctypes.addressof(code))
    libc = ctypes.CDLL(None)
    libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
    return bool(libc.prctl(22, 2, program, 0, 0) == 0)  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER

"""Answers that take more than their share: files, memory, processes.

Where one succeeds it says "escaped", or leaves a trace to be found.
"""

__all__ = ["EXCESS"]

EXCESS = {
    "files outside": """
import os, pathlib
for place in ("/", "/usr", "/etc", "/course", "/packages/0", "/root", "/home", "/proc", "/var/tmp"):
    try: (pathlib.Path(place) / "left_by_a_student").write_text("here")
    except OSError: pass
def double(x): return [0]
""",
    "files in folders that are its own": """
import os, pathlib
def double(x):
    for place in ("/", "/dev", "/dev/pts", "/proc", "/course/plainformer/exercises"):
        for mode in (None, 0o755):
            try:
                if mode: os.chmod(place, mode)
                (pathlib.Path(place) / "left").write_text("here")
            except OSError: continue
            raise OSError(f"escaped: a file in {place}, which has no limit")
    return [0]
""",
    "a disk filled": """
def fill(path):
    try:
        with open(path, "wb") as file:
            while True: file.write(b"x" * (1 << 20))
    except OSError: pass
for path in ("/tmp/full", "/dev/shm/full", "full"): fill(path)
def double(x): return [0]
""",
    "memory without end": """
def double(x):
    kept = []
    while True: kept.append(bytearray(10 << 20))
""",
    "memory that is shared with nobody": """
import mmap
def double(x):
    kept = []
    while True:
        kept.append(mmap.mmap(-1, 10 << 20))
        kept[-1].write(bytes(10 << 20))
        if len(kept) > 100: raise OSError("escaped: a gigabyte")
""",
    "memory that belongs to no process": """
import ctypes, os
def double(x):
    try: os.memfd_create("kept")
    except OSError: pass
    else: raise OSError("escaped: a file of memory")
    if ctypes.CDLL(None).shmget(0, 1 << 20, 0o1600) != -1:
        raise OSError("escaped: shared memory of System V")
    return [0]
""",
    "memory in many processes": """
import os
def double(x):
    for _ in range(20):
        if os.fork() == 0:
            kept = bytearray(100 << 20)
            while True: kept[::4096] = kept[::4096]
    while True: pass
""",
    "a fork bomb": """
import os
def double(x):
    while True:
        try: os.fork()
        except OSError: pass
""",
    "threads without end": """
import threading, time
def double(x):
    while True:
        try: threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
        except RuntimeError: pass
""",
    "a process that lives on": """
import os, time
child = os.fork()
if child == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(10**6)
    os._exit(0)
os.waitpid(child, 0)  # now nobody who is looked after is its parent
def double(x): return [0]
""",
    "files without number": """
def double(x):
    for i in range(50_000):
        try: open(f"/tmp/{i}", "w").close()
        except OSError: return [0]
    raise OSError("escaped: fifty thousand files")
""",
    "pipes without number": """
import os
def double(x):
    kept = []
    for i in range(1000):
        try: kept.append(os.pipe())
        except OSError: return [0]
    raise OSError("escaped: a thousand pipes")
""",
    "sockets full of what nobody reads": """
import socket
def double(x):
    kept, held = [], 0
    try:
        while held < 64 << 20:
            kept.append(socket.socketpair())
            kept[-1][0].setblocking(False)
            try:
                while True: held += kept[-1][0].send(bytes(4096))
            except BlockingIOError: pass
    except OSError: return [0]
    raise OSError("escaped: 64 MiB of the kernel's memory")
""",
    "limits of its own": """
import resource as r
def double(x):
    for name in ("NPROC", "NOFILE", "CORE", "CPU"):
        limit = getattr(r, f"RLIMIT_{name}")
        soft, hard = r.getrlimit(limit)
        assert hard != r.RLIM_INFINITY, f"escaped: {name} has no limit"
        try: r.setrlimit(limit, (hard, hard + 1))
        except (ValueError, OSError): continue
        raise OSError(f"escaped: a higher limit, {name}")
    return [0]
""",
    "a place before all others": """
import os
def double(x):
    before = os.nice(0)
    try: now = os.nice(-1)
    except OSError: return [0]
    assert now >= before, "escaped: a higher priority"
    return [0]
""",
    "an alarm": """
import signal, time
signal.setitimer(signal.ITIMER_REAL, 0.05)
def double(x): time.sleep(1)
""",
    "a flood of words": """
import os, sys
def double(x):
    for _ in range(200):
        print("x" * 1_000_000)
        sys.__stdout__.write("x" * 1_000_000)
        sys.__stderr__.write("x" * 1_000_000)
    return [0]
""",
}

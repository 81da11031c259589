"""Answers that try to be marked right without being right, or to do harm.

`doctor` runs them on a teacher's own machine, the tests on ours. Each is what a student could hand
in for a function `double(x)` that should return 2·x for a list of numbers. None may earn a point,
and none may leave a trace: a file outside, a process that lives on, a word on the network.
"""

__all__ = ["FORGERIES", "HARM"]

FORGERIES = {
    "an object that is equal to everything": """
class Equal(list):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    __hash__ = None
def double(x): return Equal()
""",
    "a number that is equal to everything": """
class Equal(int):
    def __eq__(self, other): return True
    def __hash__(self): return 0
def double(x): return [Equal(0) for _ in x]
""",
    "an object whose class lies": """
class Liar:
    @property
    def __class__(self): return list
    def __iter__(self): return iter([])
    def __len__(self): return 3
def double(x): return Liar()
""",
    "an array of objects": """
import numpy as np
class Equal:
    def __eq__(self, other): return True
def double(x): return np.array([Equal() for _ in x], dtype=object)
""",
    "a pickle that runs": """
class Bomb:
    def __reduce__(self): return (print, ("forged",))
def double(x): return Bomb()
""",
    "answers for the judge, written straight into the pipe": """
import os, json, struct
def frame(b): return struct.pack(">I", len(b)) + b
text = json.dumps({"kind": "returned", "value": {"list": [0]}, "changed": [], "printed": ""})
message = frame(text.encode()) + frame(struct.pack(">I", 0))
for fd in range(3, 30):
    try: os.write(fd, message * 100)
    except OSError: pass
def double(x): return [0]
""",
    "a worker of its own": """
import sys
main = sys.modules["__main__"]
def call(self, message):
    return {"kind": "returned", "value": True, "changed": [], "printed": "", "points": 1,
            "status": "ok", "expected": True}
main.Worker.call = call
def double(x): return None
""",
    "the judge's modules, patched": """
import plainformer.classroom.wire as wire
import numpy as np
np.isclose = lambda *a, **k: np.True_
np.array_equal = lambda *a, **k: True
wire.pack = lambda message: b""
def double(x): return [0]
""",
    "the frames of whoever calls": """
import sys
def double(x):
    frame = sys._getframe()
    while frame:
        for name, value in list(frame.f_locals.items()):
            if "expected" in name or "reference" in name: return value
        frame = frame.f_back
    return [0]
""",
    "objects of the garbage collector": """
import gc
def double(x):
    for each in gc.get_objects():
        if type(each).__name__ == "Exercise":
            return each.reference(x)
    return [0]
""",
    "the course's own reference": """
def double(x):
    from plainformer.exercises.registry import exercise
    return exercise("inputs.tokenization.1").reference(x)
""",
    "a NaN for every number": """
def double(x): return [float("nan") for _ in x]
""",
    "an early end that looks like success": """
import os
def double(x): os._exit(0)
""",
    "an exit that looks like success": """
def double(x): raise SystemExit(0)
""",
    "a message cut short": """
import os, struct
def double(x):
    for fd in range(3, 30):
        try: os.write(fd, struct.pack(">I", 1000) + b"{")
        except OSError: pass
    os._exit(0)
""",
    "a frame of four gigabytes": """
import os
def double(x):
    for fd in range(3, 30):
        try: os.write(fd, b"\\xff\\xff\\xff\\xff")
        except OSError: pass
    os._exit(0)
""",
    "lists a hundred thousand deep": """
def double(x):
    deep = []
    for _ in range(100_000): deep = [deep]
    return deep
""",
    "a list in itself": """
def double(x):
    x.append(x)
    return x
""",
    "a generator without end": """
def double(x):
    while True: yield 0
""",
    "a list without end": """
class Endless(list):
    def __iter__(self):
        while True: yield 0
def double(x): return Endless()
""",
    "a dict without end": """
from collections.abc import Mapping
class Endless(Mapping):
    def __getitem__(self, key): return 0
    def __len__(self): return 1
    def __iter__(self):
        i = 0
        while True:
            yield i
            i += 1
def double(x): return Endless()
""",
    "keys that all have one hash": """
def double(x): return {i * (2**61 - 1): 0 for i in range(20_000)}
""",
    "a text of a hundred million letters": """
def double(x): return "x" * 100_000_000
""",
    "an array of a gigabyte": """
import numpy as np
def double(x): return np.zeros(130_000_000)
""",
    "a function that only looks as if it were one": """
class double:
    def __init__(self, x): pass
""",
    "an exception whose text has no end": """
class Long(Exception):
    def __str__(self): return "x" * 200_000_000
def double(x): raise Long
""",
    "an exception whose text raises": """
class Broken(Exception):
    def __str__(self): raise SystemExit
def double(x): raise Broken
""",
    "an exception of a name for a terminal to obey": """
Evil = type("\\x1b[2J<script>alert(1)</script>", (Exception,), {})
def double(x): raise Evil("\\x1b]0;owned\\x07")
""",
    "a loop that cannot be interrupted": """
import signal
for each in range(1, 32):
    try: signal.signal(each, signal.SIG_IGN)
    except (OSError, ValueError): pass
def double(x):
    while True:
        try:
            while True: pass
        except BaseException: pass
""",
    "a sleep": """
import time
def double(x): time.sleep(10**6)
""",
    "one long call into C": """
def double(x): return 10 ** 10 ** 8
""",
    "a loop outside the function": """
while True: pass
def double(x): return [2 * each for each in x]
""",
}
"""What tries to earn the point."""

HARM = {
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
    "the kernel's settings": """
def double(x):
    for name in ("kernel/core_pattern", "vm/drop_caches", "kernel/printk"):
        try: open(f"/proc/sys/{name}", "r+").close()
        except OSError: continue
        raise OSError(f"escaped: {name} can be written")
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
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(10**6)
    os._exit(0)
def double(x): return [0]
""",
    "a signal to everybody": """
import os, signal
def double(x):
    try: os.kill(-1, signal.SIGKILL)
    except OSError: pass
    os.kill(os.getppid(), signal.SIGKILL)
""",
    "the network": """
import socket
def reached(family, place):
    try:
        with socket.socket(family, socket.SOCK_STREAM) as each:
            each.settimeout(1)
            each.connect(place)
            return True
    except OSError:
        return False
def double(x):
    assert not reached(socket.AF_INET, ("127.0.0.1", 47629)), "escaped: the machine's network"
    assert not reached(socket.AF_UNIX, "\\0plainformer-hostile"), "escaped: an abstract socket"
    return [0]
""",
    "the launcher's variables": """
import pathlib
def double(x):
    seen = b""
    for each in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try: seen += each.read_bytes()
        except OSError: pass
    assert b"COURSE_SECRET" not in seen, "escaped: the secret"
    return [0]
""",
    "new namespaces": """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def double(x):
    assert libc.unshare(0x10000000) != 0, "escaped: a user namespace of its own"
    assert libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) != 0, "escaped: a mount"
    return [0]
""",
    "other people's files": """
import pathlib, sys
def double(x):
    on_the_way_to_python = map(str, pathlib.Path(sys.base_prefix).parents)
    for place in {"/etc/shadow", "/root/.ssh", "/home", "/var", "/work", "/opt"}.difference(
        on_the_way_to_python
    ):
        assert not pathlib.Path(place).exists(), f"escaped: {place}"
    return [0]
""",
}
"""What tries to do harm; where it succeeds it says "escaped", or leaves a trace to be found.
"The network" needs somebody who listens, on 127.0.0.1, port 47629."""

"""Answers that want what is not theirs: the network, secrets, the machine, other people.

Where one succeeds it says "escaped". "The network" needs a listener on 127.0.0.1, port 47629.
"""

__all__ = ["PRYING"]

PRYING = {
    "the kernel's settings": """
def double(x):
    for name in ("kernel/core_pattern", "vm/drop_caches", "kernel/printk"):
        try: open(f"/proc/sys/{name}", "r+").close()
        except OSError: continue
        raise OSError(f"escaped: {name} can be written")
    return [0]
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
    "somebody else's process": """
import os
def double(x):
    for pid in range(3, 50_000):
        try: os.kill(pid, 0)
        except ProcessLookupError: continue
        except PermissionError: pass
        raise OSError(f"escaped: process {pid} can be seen")
    return [0]
""",
    "a debugger": """
import ctypes
def double(x):
    assert ctypes.CDLL(None).ptrace(0x4206, 1, 0, 0) != 0, "escaped: ptrace"
    return [0]
""",
    "the launcher's command line": """
import pathlib
def double(x):
    for each in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        assert b"--ro-bind" not in each.read_bytes(), "escaped: the machine's paths"
    return [0]
""",
    "what it may do": """
def double(x):
    fields = dict(line.split(":", 1) for line in open("/proc/self/status"))
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(fields[name], 16) == 0, f"escaped: {name} is {fields[name].strip()}"
    assert fields["NoNewPrivs"].strip() == "1", "escaped: new privileges"
    assert fields["Seccomp"].strip() == "2", "escaped: every system call"
    return [0]
""",
    "to be root": """
import os
def double(x):
    for call in (os.setuid, os.setgid, os.seteuid):
        try: call(0)
        except OSError: continue
        raise OSError("escaped: root")
    assert 0 not in (os.getuid(), os.geteuid(), os.getgid()), "escaped: root already"
    return [0]
""",
    "a device of its own": """
import os, stat
def double(x):
    for kind in (stat.S_IFBLK, stat.S_IFCHR):
        try: os.mknod("/tmp/device", kind | 0o600, os.makedev(1, 1))
        except OSError: continue
        raise OSError("escaped: a device")
    return [0]
""",
    "the machine's devices": """
import os
def double(x):
    for name in ("mem", "kmsg", "kvm", "sda", "vda", "fuse", "net/tun", "vhost-vsock"):
        assert not os.path.exists(f"/dev/{name}"), f"escaped: /dev/{name}"
    for name in ("null", "zero", "urandom"):
        path = f"/dev/{name}"
        try: os.chmod(path, os.stat(path).st_mode & 0o7777)
        except OSError: continue
        raise OSError(f"escaped: {path} is its own")
    try: open("/dev/tty").close()
    except OSError: return [0]
    raise OSError("escaped: a terminal")
""",
    "other kinds of networks": """
import socket
def double(x):
    for family, kind in ((17, 3), (40, 1), (38, 5), (31, 3), (16, 3), (2, 3)):
        try: socket.socket(family, kind).close()
        except OSError: continue
        raise OSError(f"escaped: a socket of family {family}, kind {kind}")
    return [0]
""",
    "keys that the kernel keeps": """
import ctypes
def double(x):
    key = ctypes.CDLL(None).syscall(248, b"user", b"left", b"here", 4, -3)
    assert key == -1, "escaped: the kernel's keys"
    return [0]
""",
    "the kernel's newest doors": """
import ctypes
def double(x):
    libc = ctypes.CDLL(None)
    for number in (425, 428, 430, 432, 435, 442):
        assert libc.syscall(number, 0, 0, 0, 0, 0, 0) == -1, f"escaped: system call {number}"
    return [0]
""",
    "the kernel's log": """
import ctypes
def double(x):
    text = ctypes.create_string_buffer(100)
    assert ctypes.CDLL(None).klogctl(3, text, 100) == -1, "escaped: the kernel's log"
    return [0]
""",
    "the exercises' files": """
import pathlib, sys
def double(x):
    for place in sys.path:
        for each in pathlib.Path(place).glob("plainformer/exercises/*"):
            raise OSError(f"escaped: {each}")
    return [0]
""",
    "a neighbour's work": """
import pathlib
def double(x):
    for pattern in ("*/submissions", "*/*/submissions", "*/secret.txt", "*/*/secret.txt", "tmp/*"):
        for each in pathlib.Path("/").glob(pattern):
            raise OSError(f"escaped: {each}")
    return [0]
""",
    "the machine's variables": """
import os
def double(x):
    known = {"HOME", "LANG", "PWD", "PYTHONHASHSEED", "MPLBACKEND", "LC_CTYPE"}
    more = {each for each in os.environ if not each.endswith("_NUM_THREADS")} - known
    assert not more, f"escaped: {sorted(more)}"
    return [0]
""",
    "the machine's name and clock": """
import socket, time
def double(x):
    assert socket.gethostname() == "sandbox", "escaped: the machine's name"
    try: socket.sethostname("mine")
    except OSError: pass
    else: raise OSError("escaped: a name of its own")
    try: time.clock_settime(time.CLOCK_REALTIME, 0)
    except OSError: return [0]
    raise OSError("escaped: the clock")
""",
    "the files that others have open": """
import os
def double(x):
    own = len(os.listdir("/proc/self/fd"))
    assert own <= 7, f"escaped: {own} open files"
    return [0]
""",
}

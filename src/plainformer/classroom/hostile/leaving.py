"""Answers that leave something behind for the next submission, as two students might agree to do.

Each is handed in twice, under two names: the first time it leaves a sign wherever it can, and the
second time it says "escaped" if a sign is there.
"""

__all__ = ["LEAVING"]

DESCRIPTORS = """
import fcntl, os
def double(x):
    for fd in range(3):
        if fcntl.fcntl(fd, fcntl.F_GETSIG) == 10 or fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_APPEND:
            raise OSError(f"escaped: what another submission has set on descriptor {fd}")
    for fd in range(3):
        try:
            fcntl.fcntl(fd, fcntl.F_SETSIG, 10)
            fcntl.fcntl(fd, fcntl.F_SETFL, os.O_APPEND)
        except OSError: pass
    return [0]
"""
FILES = """
import fcntl, sys
HINT = (3).to_bytes(8, "little")
def double(x):
    for path in (sys.executable, "/dev/null", fcntl.__file__):
        try: file = open(path, "rb")
        except OSError: continue
        try: found = fcntl.fcntl(file, 1035, bytes(8))
        except OSError: continue
        assert found != HINT, f"escaped: what another submission has set on {path}"
        try: fcntl.fcntl(file, 1036, HINT)
        except OSError: pass
    return [0]
"""

LEAVING = {
    "a sign on an open file": DESCRIPTORS,
    "the sign on an open file, looked for": DESCRIPTORS,
    "a sign on a file of the machine's": FILES,
    "the sign on a file of the machine's, looked for": FILES,
}

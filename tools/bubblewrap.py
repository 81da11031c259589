"""Find bubblewrap for the classroom's tests, or install it from the system's packages.

    python tools/bubblewrap.py

As root on Debian and its relatives it is installed. Where that is impossible the program says so in
one line, and fails only with ``CI=true``; the tests that need it are then skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from browsers import is_root, run_all

SKIPPED = "bubblewrap is missing (sudo apt-get install bubblewrap): its tests will be skipped"


def works() -> bool:
    """True if there is a bubblewrap that may make a sandbox here."""
    if shutil.which("bwrap") is None:
        return False
    command = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


def main() -> int:
    """Return 1 where there is none and ``CI=true``, 0 otherwise."""
    if not works() and is_root() and shutil.which("apt-get"):
        run_all([["apt-get", "update"], ["apt-get", "install", "-y", "bubblewrap"]])
    if works():
        return 0
    print(SKIPPED, file=sys.stderr)
    return int(os.environ.get("CI") == "true")


if __name__ == "__main__":
    sys.exit(main())

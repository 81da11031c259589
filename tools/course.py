"""Run a target of the course, such as ``python tools/course.py book``; doors.py has them all.

This file checks the version of the Python that runs it before it imports anything that an old
version could not parse. Its own syntax is that of Python 2.6, so that an old Python prints a
helpful message and not a SyntaxError.
"""

import os
import sys

OLDEST = (3, 11)

if sys.version_info < OLDEST:
    needed = ".".join(map(str, OLDEST))
    found = ".".join(map(str, sys.version_info[:3]))
    sys.exit(
        "Plainformer needs Python " + needed + " or newer, but " + sys.executable + " is " + found
        + ".\nRun it with a newer one, for example: python" + needed + " tools/course.py book"
        + "\nor, with make: make PYTHON=python" + needed + " book"
    )  # fmt: skip

if __name__ == "__main__":
    from doors import main

    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has closed the pipe, as in `python tools/course.py | head -1`. That is fine
        # for the list of targets, but any other output means that a target was interrupted.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1 if sys.argv[1:] else 0
    sys.exit(status)

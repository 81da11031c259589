"""Open a door of the course: ``python tools/course.py book``, and so on; doors.py has them all.

This file looks at the Python that runs it, before anything is read that an old one cannot read.
So it is written in the Python of 2008, and an old Python gets a sentence instead of a SyntaxError.
"""

import os
import sys

OLDEST = (3, 11)

if sys.version_info < OLDEST:
    needed = ".".join(map(str, OLDEST))
    found = ".".join(map(str, sys.version_info[:3]))
    sys.exit(
        "Plainformer needs Python " + needed + " or newer, and " + sys.executable + " is " + found
        + ".\nCall a newer one, for example: python" + needed + " tools/course.py book"
        + "\nor, with make: make PYTHON=python" + needed + " book"
    )  # fmt: skip

if __name__ == "__main__":
    from doors import main

    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:
        # Nobody reads on, as in `python tools/course.py | head -1`. That is enough of the list, but
        # a door was left halfway.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1 if sys.argv[1:] else 0
    sys.exit(status)

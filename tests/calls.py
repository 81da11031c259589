"""Which functions of the package a call passes through."""

import sys
from pathlib import Path

import plainformer

PACKAGE = str(Path(plainformer.__file__).parent)


def functions_passed(call):
    """The code objects of the package's functions that a call passes through."""
    passed = set()

    def record(frame, event, _):
        if event == "call" and frame.f_code.co_filename.startswith(PACKAGE):
            passed.add(frame.f_code)

    sys.setprofile(record)
    try:
        call()
    finally:
        sys.setprofile(None)
    return passed

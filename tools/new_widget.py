"""Make the rooms of a new widget: the smallest one that works, its line, its case in the tests.

Usage: ``python tools/new_widget.py my_picture``
"""

import sys

from room_engine.command import run
from room_engine.widget import plan_widget

ARGUMENTS = {"name": "such as my_picture; the class is then MyPicture"}


def main(words: list[str] | None = None) -> int:
    """Make them, or say why not; return the exit status."""
    return run(words, "Make the rooms of a new widget.", ARGUMENTS, plan_widget)


if __name__ == "__main__":
    sys.exit(main())

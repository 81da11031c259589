"""Make the rooms of a new chapter: page, code, exercise, tests, and its line in each list.

Usage: ``python tools/new_chapter.py blocks my_idea``
"""

import sys

from room_engine.chapter import plan_chapter
from room_engine.command import run

ARGUMENTS = {"part": "inputs, attention, blocks, …", "name": "such as my_idea"}


def main(words: list[str] | None = None) -> int:
    """Make them, or say why not; return the exit status."""
    return run(words, "Make the rooms of a new chapter.", ARGUMENTS, plan_chapter)


if __name__ == "__main__":
    sys.exit(main())

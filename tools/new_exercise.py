"""Make the rooms of a new exercise: its file, its stub and its solution, a wrong answer.

Usage: ``python tools/new_exercise.py attention.masking my_task``
"""

import sys

from room_engine.command import run
from room_engine.exercise import plan_exercise

ARGUMENTS = {
    "chapter": "its part and its name, such as attention.masking",
    "name": "the function that a reader writes, such as my_task",
}


def main(words: list[str] | None = None) -> int:
    """Make them, or say why not; return the exit status."""
    return run(words, "Make the rooms of a new exercise.", ARGUMENTS, plan_exercise)


if __name__ == "__main__":
    sys.exit(main())

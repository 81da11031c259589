"""What the three commands share: asking, refusing with a sentence, saying what was made."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from .names import Refused
from .rooms import Rooms
from .unfilled import unfilled

ROOT = Path(__file__).resolve().parents[2]


def run(
    words: list[str] | None, about: str, arguments: dict[str, str], plan: Callable[..., None]
) -> int:
    """Read the words of a command, let ``plan`` plan its rooms, and write them.

    ``plan`` takes the rooms and one string for each of the ``arguments``. Returns the exit status.
    """
    parser = argparse.ArgumentParser(description=about)
    for name, said in arguments.items():
        parser.add_argument(name, help=said)
    parser.add_argument("--root", type=Path, default=ROOT, help="the project's folder")
    asked = vars(parser.parse_args(words))
    rooms = Rooms(asked["root"])
    try:
        plan(rooms, *(asked[name] for name in arguments))
        made = rooms.write()
    except Refused as refusal:
        print(f"Nothing was made: {refusal}.", file=sys.stderr)
        return 2
    waiting = unfilled(asked["root"])
    print("Made:", *(f"  {each}" for each in made), sep="\n")
    print("", "The book is not built while these are unfilled:", sep="\n")
    print(*(f"  {each}" for each in waiting), sep="\n")
    print("", "CONTRIBUTING.md says in which order.", sep="\n")
    return 0

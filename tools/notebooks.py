"""Write notebooks/ from book/: ``python tools/notebooks.py``, or compare with ``--check``.

A page of a part (book/inputs/…, book/attention/… and so on) becomes a portable notebook, and a
sheet of its exercises where it has some. Pages outside the parts (the index, the map, the appendix)
become none. The work is done in `notebook_engine`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from book_engine.chapters import ChapterError
from notebook_engine.blocks import PageError
from notebook_engine.files import out_of_step, write
from public_address import AddressError

ROOT = Path(__file__).resolve().parent.parent


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return 1 where --check finds a difference or a page cannot be read."""
    parser = argparse.ArgumentParser(description="Write the portable notebooks from the chapters.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if out of step")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    try:
        if chosen.check:
            problems = out_of_step(chosen.root)
            advice = "run: make notebooks, or python tools/notebooks.py"
            print("\n".join([*problems, advice] if problems else ["in step"]))
            return 1 if problems else 0
        print("\n".join(write(chosen.root)) or "nothing to do: the notebooks are in step")
    except (AddressError, ChapterError, PageError) as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Finds what a new room still waits for, and says what is missing and where.

A place to fill looks like ``[fill in : what is missing]``, without the space before the colon. The
book is not built while there is one, and a test finds it as well.
"""

from __future__ import annotations

import re
from pathlib import Path

MARK = re.compile(r"\[fill in: ([^\]]*)\]")
WHERE = ("_toc.yml", "book", "src", "tests")
KINDS = {".md", ".py", ".pyi", ".js", ".css", ".yml", ".txt"}


def mark(missing: str) -> str:
    """Return a place to fill."""
    return f"[fill in: {missing}]"


def unfilled(root: Path) -> list[str]:
    """Return a sentence for each place of the project that waits for something."""
    files = [
        file
        for place in WHERE
        for file in sorted((root / place).rglob("*") if (root / place).is_dir() else [root / place])
        if file.suffix in KINDS and file.is_file()
    ]
    waiting = []
    for file in files:
        text = file.read_text(encoding="utf-8", errors="replace")
        name = file.relative_to(root).as_posix()
        for number, line in enumerate(text.splitlines() if "[fill in: " in text else [], start=1):
            waiting += [
                f"{name}, line {number}: still to fill in: {missing}"
                for missing in MARK.findall(line)
            ]
    return waiting

"""What all verbs do alike with what they made: write it or only say so, print it for a script."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from plainformer.files import atomic_write

__all__ = ["DRY", "print_json", "put"]

DRY = "do all but write the file"


def put(options: argparse.Namespace, out: Path, data: bytes | str) -> str:
    """Write a file, unless it is only to be said; return what to say of it."""
    if options.dry_run:
        return f"{out} (not written)"
    out.parent.mkdir(parents=True, exist_ok=True)
    atomic_write(out, data)
    return str(out)


def print_json(value: Any) -> None:
    """Print what a script reads."""
    print(json.dumps(value, indent=1))

"""The verbs that deal with the world outside a course: to collect, and to hand back."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from plainformer.classroom.collect import collect
from plainformer.classroom.course import load_course
from plainformer.classroom.marks import Place

__all__ = ["add_verbs", "print_json"]


def add_verbs(verbs: Any) -> None:
    """Add them to a parser's."""
    verb = verbs.add_parser(
        "collect",
        help="bring what was handed in together, whatever it came in",
        description="From zips as Moodle and Canvas make them, folders, and lists of git "
        "repositories (lines `student,address`) to submissions/ASSIGNMENT/. Exit status: 0, "
        "everything was looked at, and what is wrong with single hand-ins is listed; 1, a source "
        "cannot be read.",
    )
    verb.add_argument("sources", nargs="+", type=Path, metavar="SOURCE")
    verb.add_argument("--assignment", required=True, metavar="NAME")
    verb.add_argument("--dry-run", action="store_true", help="only say what would be collected")
    verb.add_argument("--json", action="store_true", help="a list of all hand-ins, for a script")
    verb.set_defaults(run=_collect)


def print_json(value: Any) -> None:
    """Print what a script reads."""
    print(json.dumps(value, indent=1))


def _collect(options: argparse.Namespace) -> int:
    course = load_course(options.course)
    place = Place(course, course.assignment(options.assignment))
    rows = collect(place, options.sources, write=not options.dry_run)
    if options.json:
        print_json([asdict(row) for row in rows])
        return 0
    for row in rows:
        if row.said:
            print(f"{row.status:17} {row.student or '-'}: {row.said}")
    would = " would be there" if options.dry_run else ""
    print(f"{place.submissions}{would}: {_counted(row.status for row in rows)}")
    return 0


def _counted(statuses: Iterable[str]) -> str:
    return ", ".join(f"{number} {status}" for status, number in Counter(statuses).items())

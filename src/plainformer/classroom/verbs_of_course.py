"""The verbs that start something: a course, its secret, an exercise, a rehearsal of the marking."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from plainformer.classroom.course import SECRET, SETTINGS, CourseError, load_course, new_secret
from plainformer.classroom.new import new_course, new_exercise
from plainformer.classroom.output import DRY
from plainformer.classroom.rehearsal import rehearse

__all__ = ["add_verbs"]


def add_verbs(verbs: Any) -> None:
    """Add them to a parser's."""
    verb = verbs.add_parser("new", help="start a course, with ten exercises as a pattern")
    verb.add_argument("folder", type=Path, nargs="?", help="a new one")
    verb.add_argument("--dry-run", action="store_true", help=DRY)
    verb.add_argument("--secret", action="store_true", help="only a new secret, for --course")
    verb.set_defaults(run=_new)

    verb = verbs.add_parser("new-exercise", help="the skeleton of an exercise of your own")
    verb.add_argument("name")
    verb.add_argument("--dry-run", action="store_true", help=DRY)
    verb.set_defaults(run=_new_exercise)

    verb = verbs.add_parser("rehearse", help="made-up notebooks, to try the next steps with")
    verb.add_argument("assignment")
    verb.add_argument("--students", type=int, default=60, choices=range(4, 61), metavar="4-60")
    verb.add_argument("--seed", type=int, default=0, help="others hand in other answers")
    verb.add_argument("--out", type=Path, help="a folder; rehearsal/ASSIGNMENT without")
    verb.set_defaults(run=_rehearse)


def _new(options: argparse.Namespace) -> int:
    if options.secret:
        load_course(options.course)
        if options.dry_run:
            print(f"{options.course / SECRET}: not written; hidden cases would be others")
            return 0
        new_secret(options.course)
        print(f"{options.course / SECRET}: a new secret; hidden cases are others now")
        return 0
    if options.folder is None:
        raise CourseError("new needs the name of a folder, or --secret")
    files = new_course(options.folder, write=not options.dry_run)
    if options.dry_run:
        print(f"{options.folder} (not written): {', '.join(files)}")
        return 0
    print(
        f"{options.folder}: a course of two weeks, with public exercises as a pattern. Next:\n"
        f"  plainformer-class --course {options.folder} validate week-1\n"
        f"  plainformer-class --course {options.folder} release week-1"
    )
    return 0


def _new_exercise(options: argparse.Namespace) -> int:
    path = new_exercise(options.course, options.name, write=not options.dry_run)
    print(f"{path}{' (not written)' * options.dry_run}: list course.{options.name} in {SETTINGS}")
    return 0


def _rehearse(options: argparse.Namespace) -> int:
    out = options.out or options.course / "rehearsal" / options.assignment
    made = rehearse(options.course, options.assignment, out, options.students, options.seed)
    print(f"{out}: {len(made)} notebooks")
    return 0

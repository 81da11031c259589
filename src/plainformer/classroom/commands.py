"""The command `plainformer-class`: a verb, and what it is about.

The exit status is 0 when everything is done; 1 when something is wrong with the course or the
machine, as the message says, or when something failed in `validate` or `doctor`; 2 when the
command line is wrong; 130 when it was stopped by Ctrl-C, and finished work is kept.
"""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from tqdm import tqdm

from plainformer.classroom import (
    verbs_of_bank,
    verbs_of_course,
    verbs_of_feedback,
    verbs_of_integrity,
    verbs_of_marks,
    verbs_of_papers,
)
from plainformer.classroom.agents import beside
from plainformer.classroom.course import Assignment, CourseError, load_course
from plainformer.classroom.doctor import (
    LIMITS,
    TRIES,
    admitted,
    advice,
    available,
    examine,
    kept_by,
)
from plainformer.classroom.export import as_csv, as_json
from plainformer.classroom.grade import Shard, grade, to_mark
from plainformer.classroom.kinds import surprises
from plainformer.classroom.look import look
from plainformer.classroom.manual import write_sheet
from plainformer.classroom.marks import AssignmentFiles
from plainformer.classroom.merge import merge
from plainformer.classroom.output import DRY, print_json, put
from plainformer.classroom.public import public_ids, warn_of_public
from plainformer.classroom.release import release
from plainformer.classroom.sandbox import choose
from plainformer.classroom.sandbox.choice import SANDBOXES, best
from plainformer.classroom.settled import settled
from plainformer.classroom.validate import Finding, validate
from plainformer.classroom.verbs_of_lms import (
    add_verbs,
    export_sheet,
    sheet_options,
)
from plainformer.exercises.spec import Exercise

__all__ = ["main"]

FOR_SCRIPTS = "what it found, as JSON, for a script"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb; return the exit status."""
    options = _parser().parse_args(arguments)
    try:
        status: int = options.run(options)
        return status
    except (ValueError, OSError) as error:  # CourseError is one
        print(f"plainformer-class: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nstopped; run it again to go on", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="plainformer-class",
        description="Collect and mark exercises of the course.",
        epilog="Exit status: 0, done; 1, something is wrong with the course or with the machine, "
        "or did not hold in validate or doctor; 2, with the command line; 130, stopped by Ctrl-C: "
        "run it again to go on.",
    )
    parser.add_argument(
        "--course", type=Path, default=Path(), metavar="FOLDER", help="with course.toml; here"
    )
    verbs = parser.add_subparsers(title="verbs", required=True, metavar="VERB")

    verbs_of_course.add_verbs(verbs)

    verb = verbs.add_parser("release", help="the notebook that students get")
    verb.add_argument("assignment")
    verb.add_argument("--out", type=Path, help="an .ipynb file; release/ASSIGNMENT.ipynb without")
    verb.add_argument("--dry-run", action="store_true", help=DRY)
    verb.add_argument("--json", action="store_true", help=FOR_SCRIPTS)
    verb.set_defaults(run=_release)

    verb = verbs.add_parser("validate", help="show that an assignment marks as it should")
    verb.add_argument("assignment")
    verb.add_argument(
        "--exercise",
        action="append",
        default=[],
        metavar="ID",
        help="only this one; may be repeated",
    )
    verb.add_argument("--unsafe", action="store_true", help="without a sandbox")
    verb.add_argument("--json", action="store_true", help=FOR_SCRIPTS)
    verb.set_defaults(run=_validate)

    verb = verbs.add_parser("grade", help="mark what has no mark yet")
    verb.add_argument("assignment")
    verb.add_argument("-j", "--jobs", type=_count, help="answers at the same time")
    verb.add_argument("--shard", type=_shard, metavar="I/N", help="a part of the students")
    verb.add_argument(
        "--unsafe", action="store_true", help="without a sandbox, and every mark says so"
    )
    verb.add_argument(
        "--look",
        action="store_true",
        help="then serve pages, on this machine only, to see every answer and mark by hand",
    )
    verb.add_argument("--port", type=_port, default=0, help="of these pages; any without it")
    verb.add_argument("--dry-run", action="store_true", help="only say what would be marked")
    verb.add_argument("--json", action="store_true", help=FOR_SCRIPTS)
    verb.set_defaults(run=_grade)

    verb = verbs.add_parser("questions", help="the table in which a person marks questions")
    verb.add_argument("assignment")
    verb.add_argument("--dry-run", action="store_true", help=DRY)
    verb.add_argument("--json", action="store_true", help=FOR_SCRIPTS)
    verb.set_defaults(run=_questions)

    verb = verbs.add_parser("merge", help="bring the marks of several machines together")
    verb.add_argument("assignment")
    verb.add_argument("folders", nargs="+", type=Path, help="other copies of the course")
    verb.add_argument("--dry-run", action="store_true", help="only say how many would be new")
    verb.add_argument("--json", action="store_true", help=FOR_SCRIPTS)
    verb.set_defaults(run=_merge)

    verbs_of_feedback.add_verbs(verbs)

    verb = verbs.add_parser("export", help="marks as a table")
    verb.add_argument("assignment")
    verb.add_argument("--out", type=Path, help="a CSV file; without it, it is printed")
    verb.add_argument("--unsafe", action="store_true", help="marks that were made so")
    verb.add_argument("--json", action="store_true", help="with every mark's words, for a script")
    sheet_options(verb)
    verb.set_defaults(run=_export)

    add_verbs(verbs)
    verbs_of_marks.add_verbs(verbs)
    verbs_of_bank.add_verbs(verbs)
    verbs_of_integrity.add_verbs(verbs)
    verbs_of_papers.add_verbs(verbs)

    verb = verbs.add_parser("doctor", help="say what this machine can promise")
    verb.add_argument("--sandbox", choices=["best", *SANDBOXES], default="best", help="to examine")
    verb.add_argument("--json", action="store_true", help=FOR_SCRIPTS)
    verb.set_defaults(run=_doctor)
    return parser


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number, 1 or more; got {text!r}")
    return int(text)


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"must be a number from 0 to 65535; got {text!r}")
    return int(text)


def _shard(text: str) -> Shard:
    try:
        return Shard.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _release(options: argparse.Namespace) -> int:
    course = load_course(options.course)
    assignment = course.assignment(options.assignment)
    out = options.out or course.folder / "release" / f"{assignment.name}.ipynb"
    text = release(course, assignment)
    said = put(options, out, text)
    agents, asks = beside(course, out)
    told = "" if asks is None else put(options, agents, asks)
    if options.json:
        ids = [each.id for each in assignment.exercises]
        book, template = public_ids(assignment)
        print_json({"file": str(out), "exercises": ids, "public": book, "template": template})
    else:
        print(f"{said}: {len(assignment.exercises)} exercises")
        if told:
            print(f"{told}: asks coding assistants to tutor, and not to solve")
    warn_of_public(assignment)
    return 0


def _validate(options: argparse.Namespace) -> int:
    course = load_course(options.course)
    assignment = course.assignment(options.assignment)
    sandbox = "unsafe" if options.unsafe else course.sandbox
    chosen = _chosen(assignment, options.exercise)
    failed = 0
    everything: list[Finding] = []
    for exercise in tqdm(chosen, unit="exercises", delay=2):
        start = choose(sandbox, course.limits, forbids=exercise.forbids)
        found = list(validate(exercise, start, secret=course.secret, seconds=course.seconds))
        wrong = [each for each in found if not each.holds]
        failed += len(wrong)
        everything += found
        if options.json:
            continue
        tqdm.write(f"{exercise.id}: {len(found) - len(wrong)} of {len(found)} as they should be")
        for each in wrong:
            tqdm.write(f"  {each}")
        for surprise in surprises(exercise):
            tqdm.write(f"  Is this fair? {surprise}.")
    if options.json:
        print_json([{**asdict(each), "holds": each.holds} for each in everything])
    warn_of_public(assignment)
    return 1 if failed else 0


def _chosen(assignment: Assignment, names: Sequence[str]) -> Sequence[Exercise]:
    """The exercises of an assignment, or those of these names."""
    known = {each.id: each for each in assignment.exercises}
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; it has {', '.join(known)}"
            raise CourseError(f"{assignment.name} has no exercise {name!r}{hint}")
    return [known[name] for name in names] or assignment.exercises


def _grade(options: argparse.Namespace) -> int:
    if options.dry_run:
        return _would_grade(options)
    counted = grade(
        options.course,
        options.assignment,
        jobs=options.jobs,
        shard=options.shard,
        sandbox="unsafe" if options.unsafe else None,
    )
    if options.json:
        print_json(dict(sorted(counted.items())))
    else:
        print("  ".join(f"{status}: {n}" for status, n in sorted(counted.items())))
    if options.look:
        look(options.course, options.assignment, "unsafe" if options.unsafe else None, options.port)
    return 0


def _would_grade(options: argparse.Namespace) -> int:
    sandbox = "unsafe" if options.unsafe else None
    found, total = to_mark(options.course, options.assignment, shard=options.shard, sandbox=sandbox)
    if options.json:
        print_json({"answers": found.total(), "of": total, "students": dict(found)})
        return 0
    names = ", ".join(f"{student} ({n})" for student, n in found.items())
    print(f"{found.total()} of {total} answers would be marked{': ' if names else ''}{names}")
    return 0


def _questions(options: argparse.Namespace) -> int:
    course = load_course(options.course)
    files = AssignmentFiles(course, course.assignment(options.assignment))
    path, left = write_sheet(files, write=not options.dry_run)
    if options.json:
        print_json({"file": str(path), "left": left})
    else:
        said = " (not written)" * options.dry_run
        print(f"{path}{said}: {left} answers have no points yet")
    return 0


def _merge(options: argparse.Namespace) -> int:
    course = load_course(options.course)
    files = AssignmentFiles(course, course.assignment(options.assignment))
    new = merge(files, options.folders, write=not options.dry_run)
    if options.json:
        print_json({"new": new})
    else:
        print(f"{new} new marks{' (not written)' * options.dry_run}")
    return 0


def _export(options: argparse.Namespace) -> int:
    sandbox = "unsafe" if options.unsafe else None
    marks = settled(options.course, options.assignment, sandbox).marks
    if options.moodle or options.canvas:
        return export_sheet(options, marks)
    table = as_json(marks) if options.json else as_csv(marks)
    if options.out is None:
        print(table, end="")
    else:
        print(put(options, options.out, table))
    return 0


def _doctor(options: argparse.Namespace) -> int:
    sandboxes = available()
    if not options.json:
        for name, missing in sandboxes.items():
            print(f"{name}: {missing or 'here'}")
        print(kept_by())
        for sentence in advice():
            print(sentence)
    tries: dict[str, str] = {}
    start = choose(options.sandbox, LIMITS)
    for tried, wrong in tqdm(examine(start), unit="tries", delay=2, total=TRIES):
        tries[tried] = wrong
        if not options.json:
            tqdm.write(f"FAILED  {tried}: {wrong}" if wrong else f"CONTAINED  {tried}")
    failed = sum(map(bool, tries.values()))
    not_promised = dict(admitted(start))
    if options.json:
        examined = best(options.sandbox)[0]
        told = {"sandboxes": sandboxes, "advice": advice(), "limits": kept_by()}
        told = {**told, "not_promised": not_promised}
        print_json({**told, "examined": examined, "tries": tries})
        return 1 if failed else 0
    for tried, held in not_promised.items():
        print(f"{'CONTAINED' if held else 'NOT CONTAINED, AND NOT PROMISED'}  {tried}")
    if failed:
        print(f"{failed} were not contained: do not grade here.")
    else:
        print("Everything that is promised was contained.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

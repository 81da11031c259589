"""The verb that writes the book's practice tasks for the systems that courses are run with."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tqdm import tqdm

from plainformer.classroom.bank.gift import as_gift, as_question, gift_questions
from plainformer.classroom.bank.package import as_package
from plainformer.classroom.bank.qti import qti_questions
from plainformer.classroom.bank.questions import LeftOut, Question
from plainformer.classroom.output import DRY, print_json, put
from plainformer.exercises.order import CHAPTERS
from plainformer.exercises.practice import Task, chapter_tasks

__all__ = ["add_verbs", "questions_of"]

PACKAGE = "plainformer-practice.zip"

Ask = Callable[[Task], Sequence[Question]]


def add_verbs(verbs: Any) -> None:
    """Add it to a parser's."""
    verb = verbs.add_parser(
        "bank",
        help="the book's practice tasks as question banks",
        description="Writes the short tasks of the book's pages for other systems: GIFT, a text "
        "file for each chapter, which Moodle imports, or one package of IMS QTI 2.1. All chapters "
        "take about a minute. It needs no course.",
    )
    verb.add_argument("--format", choices=["gift", "qti"], required=True)
    verb.add_argument(
        "--chapter", nargs="+", choices=CHAPTERS, metavar="CHAPTER", default=CHAPTERS,
        help="such as attention.masking; all without",
    )  # fmt: skip
    verb.add_argument(
        "--out", type=Path, default=Path("bank"), metavar="FOLDER", help="bank without"
    )
    verb.add_argument("--dry-run", action="store_true", help=DRY)
    verb.add_argument("--json", action="store_true", help="what it wrote, for a script")
    verb.set_defaults(run=_bank)


def questions_of(tasks: Sequence[Task], ask: Ask) -> tuple[list[Question], dict[str, str]]:
    """The questions that tasks become, and the tasks that a format cannot ask, each with why."""
    found: list[Question] = []
    without: dict[str, str] = {}
    for task in tasks:
        try:
            found += ask(task)
        except LeftOut as reason:
            without[task.id] = str(reason)
    return found, without


def _bank(options: argparse.Namespace) -> int:
    chapters: dict[str, list[Question]] = {}
    without: dict[str, str] = {}
    ask = _gift if options.format == "gift" else qti_questions
    for chapter in tqdm(dict.fromkeys(options.chapter), unit="chapters", delay=2):
        chapters[chapter], missing = questions_of(chapter_tasks(chapter), ask)
        without |= missing
    counted = {
        put(options, options.out / name, data): count
        for name, (data, count) in _files(options.format, chapters).items()
    }
    if options.json:
        print_json({"files": counted, "left out": without})
        return 0
    for path, count in counted.items():
        print(f"{path}: {count} questions")
    for task, reason in without.items():
        print(f"{task} is left out: {reason}", file=sys.stderr)
    return 0


def _gift(task: Task) -> Sequence[Question]:
    questions = gift_questions(task)
    for question in questions:
        as_question(question)  # which says so if it cannot be written
    return questions


def _files(
    kind: str, chapters: Mapping[str, Sequence[Question]]
) -> dict[str, tuple[bytes | str, int]]:
    """What to write: under each name the data, and how many questions they hold."""
    if kind == "gift":
        return {f"{name}.txt": (as_gift(name, each), len(each)) for name, each in chapters.items()}
    return {PACKAGE: (as_package(chapters), sum(map(len, chapters.values())))}

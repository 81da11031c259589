"""Marks on the disk: one small file for each student and exercise.

A file is named by what it depends on: the student's answer, the exercise's specification, the
limits, and the course's secret. So to mark again does only what is missing, and what has changed is
marked anew. Times are nowhere in it: two runs write the same bytes.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from plainformer.classroom.course import Assignment, Course, CourseError
from plainformer.classroom.judge import Mark
from plainformer.classroom.sources import closure
from plainformer.exercises.spec import Exercise
from plainformer.files import atomic_write

__all__ = [
    "AssignmentFiles",
    "anything_collected",
    "read_mark",
    "specification",
    "students",
    "write_mark",
]

FORMAT = "3"  # of marks; another one whenever the judge marks otherwise than before
OF_RULES = ("taken", "waiting")  # of a mark: worked out anew each time, and never written
MARKS, SUBMISSIONS = "marks", "submissions"


@dataclass(frozen=True)
class AssignmentFiles:
    """Where the files of an assignment are."""

    course: Course
    assignment: Assignment

    @property
    def submissions(self) -> Path:
        return self.course.folder / SUBMISSIONS / self.assignment.name

    @property
    def marks(self) -> Path:
        return self.course.folder / MARKS / self.assignment.name

    def mark(self, student: str, exercise: Exercise, key: str) -> Path:
        return self.marks / student / f"{exercise.id}-{key}.json"

    def key(self, exercise: Exercise, work: str, sandbox: str, student: str) -> str:
        """What a mark depends on, in sixteen digits."""
        limits = f"{self.course.seconds} {self.course.limits}"
        secret = self.course.secret.decode()
        sandboxed = str(sandbox != "unsafe")  # which one it was is not part of a mark
        parts = (FORMAT, specification(exercise), work, sandboxed, limits, student, secret)
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def specification(exercise: Exercise) -> str:
    """All that says how an exercise is marked, as text."""
    module = sys.modules[exercise.reference.__module__]
    changed = Path(inspect.getfile(module)).stat().st_mtime_ns
    return "\n".join([exercise.id, str(exercise.points), _sources(module.__name__, changed)])


@functools.cache
def _sources(module: str, changed: int) -> str:
    """A module's text, and that of the exercises that it imports."""
    return "\n".join(source for _, source in closure([module]))


def anything_collected(files: AssignmentFiles) -> bool:
    """Whether there is a notebook of any student."""
    return any(files.submissions.glob("*.ipynb"))


def students(files: AssignmentFiles) -> dict[str, Path]:
    """Each student's notebook, by the student's name in the course.

    Raises:
        CourseError: nothing was collected, or under a name that can be no folder's.
    """
    found = {path.stem: path for path in sorted(files.submissions.glob("*.ipynb"))}
    if not found:
        raise CourseError(
            f"{files.submissions} must hold a notebook for each student, named after them; it "
            "holds none. `plainformer-class collect` fills it."
        )
    for name in found:
        # A folder of marks has this name, and a folder in a zip: `..` would climb out of both.
        if name.startswith(".") or "\\" in name or not name.isprintable():
            raise CourseError(
                f"a notebook's name must be a student's: text without \\ that does not begin with "
                f"a dot; got {f'{name}.ipynb'!r} in {files.submissions}. Rename it, or move it away"
            )
    return found


def write_mark(path: Path, mark: Mark, facts: Mapping[str, Any]) -> None:
    """Write a mark, whole or not at all; facts of the same kind for every mark go with it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = {name: value for name, value in asdict(mark).items() if name not in OF_RULES}
    body = {**kept, **facts}
    text = json.dumps(body, indent=1, sort_keys=True)  # ASCII: a lone surrogate too can be written
    atomic_write(path, text + "\n")


def read_mark(path: Path) -> Mark | None:
    """A mark that was written; None for none, or one that is damaged."""
    try:
        body = json.loads(path.read_text(encoding="ascii"))
        names = [name for name in Mark.__dataclass_fields__ if name not in OF_RULES]
        given = {name: body[name] for name in names}
        pairs: Iterable[str] = ("public", "hidden")
        given["groups"] = tuple(map(tuple, given["groups"]))
        return Mark(**{**given, **{name: tuple(given[name]) for name in pairs}})
    except (OSError, ValueError, KeyError, TypeError):
        return None

"""A course as a teacher keeps it: a folder with `course.toml`, a secret, and exercises of its own.

    [course]
    name = "Transformers in two weeks"

    [grading]                          # all of it may be left out
    sandbox = "best"
    memory = 1024                      # MiB, of one submission
    seconds = 20                       # of one exercise; without it, what the exercise says

    [assignments.week-1]
    title = "Attention"
    due = 2026-12-04T18:00:00+01:00
    exercises = ["course.masking.1", { id = "attention.lookup.2", points = 3 }]
    questions = [{ id = "heat_map", points = 3, code = true }]   # for a person to mark

Late penalties, accommodations, rubrics and groups are in `rules_in_settings.py`.

Exercises are the book's, or files in `exercises/`, each with an `EXERCISE` as the book's have;
questions are texts in `questions/`. A mistake in the settings is named with its line.
"""

from __future__ import annotations

import datetime
import difflib
import importlib.util
import re
import secrets
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from plainformer.classroom.notebook import answer_id
from plainformer.classroom.questions import Question, read_question
from plainformer.classroom.rules import Accommodation, LatePolicy
from plainformer.classroom.rules_in_settings import (
    accommodations,
    groups_of,
    late_policy,
    rubrics_of,
)
from plainformer.classroom.sandbox.limits import Limits
from plainformer.classroom.settings import CourseError, Settings
from plainformer.exercises.registry import exercise as of_the_book
from plainformer.exercises.registry import exercise_ids
from plainformer.exercises.spec import Exercise
from plainformer.files import atomic_write

__all__ = ["Assignment", "Course", "CourseError", "load_course", "new_secret"]

SETTINGS, SECRET, FOLDER = "course.toml", "secret.txt", "exercises"
WITH_NAMES = (  # folders of a course, with students' names, work or marks
    "submissions/", "marks/", "manual/", "feedback/", "export/", "report/", "similar/", "papers/",
    "talks/", "gradescope/", "*.csv",
)  # fmt: skip
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,40}")
ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,50}")  # a notebook's cell has 64 characters for it


@dataclass(frozen=True)
class Assignment:
    """Exercises and questions that are handed out and collected together.

    Attributes:
        name: short, for files and commands.
        title: for people.
        due: until when; None for no limit.
        exercises: in order, each with the points that it earns here.
        questions: that a person marks, in order.
        late: what lateness costs; None for nothing.
        rubrics: by exercise or question, what each named deduction takes off.
        groups: of students who hand in together.
    """

    name: str
    title: str
    due: datetime.datetime | None
    exercises: tuple[Exercise, ...]
    questions: tuple[Question, ...] = ()
    late: LatePolicy | None = None
    rubrics: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    groups: tuple[tuple[str, ...], ...] = ()

    @property
    def points(self) -> dict[str, float]:
        """What everything that has a mark can give, by its id."""
        return {
            **{each.id: each.points for each in self.exercises},
            **{each.id: each.points for each in self.questions},
        }

    @property
    def titles(self) -> list[str]:
        """Everything that has a mark: exercises, then questions."""
        return [each.title for each in self.exercises] + [each.title for each in self.questions]


@dataclass(frozen=True)
class Course:
    """A course's settings.

    Attributes:
        folder: where it is.
        name: for people.
        assignments: by their names.
        sandbox: which one; see `choose`.
        limits: of one submission.
        seconds: of one exercise; None for what the exercise says.
        package: what pip installs where a student has no package yet; a name or an address.
        students: what each student is granted, by name.
    """

    folder: Path
    name: str
    assignments: Mapping[str, Assignment]
    sandbox: str = "best"
    limits: Limits = field(default_factory=Limits)
    seconds: float | None = None
    package: str = ""
    students: Mapping[str, Accommodation] = field(default_factory=dict)

    @property
    def secret(self) -> bytes:
        """The secret that hidden cases are drawn from.

        Raises:
            CourseError: the file is missing or empty.
        """
        path = self.folder / SECRET
        try:
            text = path.read_text(encoding="ascii").strip()
        except (OSError, ValueError):
            text = ""
        if len(text) < 32:
            raise CourseError(
                f"{path} must hold the course's secret, 32 characters or more. If it is lost, "
                "`plainformer-class new --secret` makes another; students' hidden cases change."
            )
        return text.encode()

    def assignment(self, name: str) -> Assignment:
        """One assignment.

        Raises:
            CourseError: there is none of this name.
        """
        if name not in self.assignments:
            known = ", ".join(self.assignments) or "none yet"
            raise CourseError(f"there is no assignment {name!r}; {SETTINGS} has {known}")
        return self.assignments[name]


def new_secret(folder: Path) -> None:
    """Write a course's secret, and keep it out of git, with all that has students' names."""
    (folder / SECRET).touch(0o600)  # before there is anything to read in it
    (folder / SECRET).chmod(0o600)
    atomic_write(folder / SECRET, secrets.token_hex(32) + "\n")
    ignored = folder / ".gitignore"
    lines = ignored.read_text(encoding="utf-8").splitlines() if ignored.exists() else []
    if missing := [each for each in (SECRET, *WITH_NAMES) if each not in lines]:
        atomic_write(ignored, "\n".join([*lines, *missing, ""]))


def load_course(folder: Path) -> Course:
    """Read a course's settings, and find its exercises.

    Args:
        folder: with `course.toml`.

    Raises:
        CourseError: a setting is missing, unknown or wrong; the message names the line.
    """
    path = folder / SETTINGS
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(
            f"{path} must be a text file with the course's settings; {error}. "
            "`plainformer-class new` makes a course."
        ) from None
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CourseError(f"{path} must be TOML; {error}") from None
    return _Reader(path, text).course(given)


class _Reader(Settings):
    """Turns settings into a course."""

    def course(self, given: dict[str, Any]) -> Course:
        self.check_keys(given, "")
        course, grading = self.table(given, "course"), self.table(given, "grading")
        own = _own_exercises(self.path.parent / FOLDER)
        with self.within("grading"):
            late = late_policy(self, grading, None)
        together = groups_of(self, given.get("groups", False), ())
        assignments = {
            name: self.assignment(name, body, own, late, together)
            for name, body in self.table(given, "assignments", keys=False).items()
        }
        self.inside = []
        granted = accommodations(self, given, assignments)
        return Course(
            self.path.parent,
            self.text(course, "name", "[course]"),
            assignments,
            self.text(grading, "sandbox", "[grading]", "best"),
            Limits(memory=int(self.number(grading, "memory", 1024, least=128) * (1 << 20))),
            self.number(grading, "seconds", None, least=1),
            self.text(course, "package", "[course]") if "package" in course else "",
            granted,
        )

    def assignment(
        self,
        name: str,
        body: Any,
        own: Mapping[str, Exercise],
        late: LatePolicy | None,
        together: tuple[tuple[str, ...], ...],
    ) -> Assignment:
        where = f"[assignments.{name}]"
        self.inside = ["assignments", name]
        if not NAME.fullmatch(name):
            raise self.error(
                name, f"an assignment's name must be letters, digits and -; got {name!r}"
            )
        if not isinstance(body, dict):
            raise self.error(name, f"{where} must be a table")
        self.check_keys(body, "assignments")
        listed = body.get("exercises")
        if not isinstance(listed, list) or not listed:
            raise self.error(name, f"{where} must list its exercises")
        found = tuple(self.exercise(each, own) for each in listed)
        cells = [answer_id(each.id) for each in found]
        for each in found:
            if cells.count(answer_id(each.id)) > 1:
                raise self.error(
                    each.id, f"{where} lists {each.id} twice, or one that differs in . and - alone"
                )
        asked = body.get("questions", [])
        if not isinstance(asked, list):
            raise self.error("questions", f"{where} must have a list of questions")
        questions = [self.question(each) for each in asked]
        names = [each.id for each in found] + [each.id for each in questions]
        for question in questions:
            if names.count(question.id) > 1:
                raise self.error(question.id, f"{where} asks {question.id} twice")
        title = self.text(body, "title", where, name)
        return Assignment(
            name,
            title,
            self.time(body, "due"),
            found,
            tuple(questions),
            late_policy(self, body, late),
            rubrics_of(self, body, names),
            groups_of(self, body.get("groups", False), together),
        )

    def exercise(self, listed: Any, own: Mapping[str, Exercise]) -> Exercise:
        body = {"id": listed} if isinstance(listed, str) else listed
        if not isinstance(body, dict) or not isinstance(body.get("id"), str):
            raise self.error("exercises", "an exercise must be its id, or { id = …, points = … }")
        name: str = body["id"]
        with self.within(name):
            self.check_keys(body, "exercises")
            points = self.number(body, "points", None, least=0)
        if name in own:
            found = own[name]
        else:
            try:
                found = of_the_book(name)
            except ValueError:
                known = [*own, *exercise_ids()]
                near = difflib.get_close_matches(name, known, 1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise self.error(name, f"there is no exercise {name!r}{hint}") from None
        return found if points is None else replace(found, points=points)

    def question(self, asked: Any) -> Question:
        if not isinstance(asked, dict) or not isinstance(asked.get("id"), str):
            raise self.error("questions", "a question must be { id = …, points = … }")
        name: str = asked["id"]
        with self.within(name):
            self.check_keys(asked, "questions")
            points = self.number(asked, "points", 1, least=0)
            code = asked.get("code", False)
            if not isinstance(code, bool):
                raise self.error("code", f"code must be true or false; got {code!r}")
        try:
            return read_question(self.path.parent, name, points, code)
        except ValueError as error:
            raise self.error(name, str(error)) from None


def _own_exercises(folder: Path) -> dict[str, Exercise]:
    """The exercises in a course's folder, by their ids."""
    found: dict[str, Exercise] = {}
    for path in sorted(folder.glob("*.py")):
        name = f"course_exercises.{path.stem}"
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            continue
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # `inspect.getsource` looks there
        try:
            spec.loader.exec_module(module)
        except Exception as error:
            raise CourseError(
                f"{path} must be Python that runs; {type(error).__name__}: {error}"
            ) from None
        own = getattr(module, "EXERCISE", None)
        if not isinstance(own, Exercise):
            raise CourseError(f"{path} must have an EXERCISE, as the exercises of the book have")
        if not ID.fullmatch(own.id):
            raise CourseError(
                f"{path} must have an id of at most 51 letters, digits, dots, - and _; "
                f"got {own.id!r}"
            )
        if own.id in found:
            raise CourseError(f"{path} has the id {own.id!r}, which another file has already")
        found[own.id] = own
    return found

"""Reading a TOML file of settings so that every mistake is named with its line."""

from __future__ import annotations

import contextlib
import datetime
import difflib
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

__all__ = ["CourseError", "Settings"]

KEYS = {
    "": ("course", "grading", "assignments", "students", "groups"),
    "course": ("name", "package"),
    "grading": ("sandbox", "memory", "seconds", "late"),
    "assignments": ("title", "due", "exercises", "questions", "late", "rubric", "groups"),
    "exercises": ("id", "points"),
    "questions": ("id", "points", "code"),
    "late": ("per_day", "per_hour", "grace_minutes", "most", "of"),
    "students": ("extra_hours", "deadlines", "exempt"),
}


class CourseError(ValueError):
    """What is wrong with a course's folder, and where; for its teacher."""


class Settings:
    """The tools of a reader; it keeps the text to name the lines of mistakes."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.lines = [line.partition("#")[0] for line in text.splitlines()]
        self.inside: list[str] = []  # the path of names that is being read now

    @contextlib.contextmanager
    def within(self, name: str) -> Iterator[None]:
        """Look for what is wrong below a name."""
        self.inside.append(name)
        yield
        self.inside.pop()

    def table(self, given: dict[str, Any], name: str, *, keys: bool = True) -> dict[str, Any]:
        """A table inside another; an empty one if it is not there."""
        body = given.get(name, {})
        if not isinstance(body, dict):
            raise self.error(name, f"{name} must be a table, [{name}]")
        if keys:
            self.check_keys(body, name)
        return body

    def check_keys(self, body: Mapping[str, Any], kind: str) -> None:
        """Refuse keys that no setting of this kind has."""
        for key in body:
            if key not in KEYS[kind]:
                near = difflib.get_close_matches(key, KEYS[kind], 1)
                known = (
                    f"did you mean {near[0]!r}?" if near else f"known are {', '.join(KEYS[kind])}"
                )
                raise self.error(key, f"there is no setting {key!r} here; {known}")

    def text(
        self, body: Mapping[str, Any], key: str, where: str, default: str | None = None
    ) -> str:
        """A text that is not empty."""
        value = body.get(key, default)
        if not isinstance(value, str) or not value.strip():
            raise self.error(key, f"{where} must have {key}, a text; got {value!r}")
        return value

    def number(
        self,
        body: Mapping[str, Any],
        key: str,
        default: Any,
        *,
        least: float,
        most: float = math.inf,
    ) -> Any:
        """A finite number within limits, or the default."""
        value = body.get(key, default)
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is not None and not (number and least <= value <= most and value < math.inf):
            limits = f"{least} or more" if most == math.inf else f"from {least} to {most}"
            raise self.error(key, f"{key} must be a number, {limits}; got {value!r}")
        return value

    def time(self, body: Mapping[str, Any], key: str) -> datetime.datetime | None:
        """A date and a time with its zone, or None."""
        value = body.get(key)
        if value is None or (isinstance(value, datetime.datetime) and value.tzinfo is not None):
            return value
        raise self.error(
            key, f"{key} must be a date and a time with its zone: 2026-12-04T18:00:00+01:00"
        )

    def error(self, key: str, said: str) -> CourseError:
        """An error that names the line of a key or name, searched below the tables that contain
        it."""
        at, found = 0, None
        for name in (*self.inside, key):
            inside = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])")
            heading = re.compile(rf"\s*\[(?:.*\W)?{re.escape(name)}(?![\w-])")  # [grading.late]
            numbers = range(at, len(self.lines))
            line = next(
                (
                    i
                    for i in numbers
                    if inside.search(self.lines[i]) or heading.match(self.lines[i])
                ),
                None,
            )
            at, found = (at, None) if line is None else (line, line + 1)
        return CourseError(f"{self.path}{f', line {found}' if found else ''}: {said}")

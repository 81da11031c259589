"""When everybody handed in, from a table: Moodle and folders do not say it with the files.

    plainformer-class collect week-1.zip --assignment week-1 --times grades.csv

The table is Moodle's grading worksheet, which has the time of the last change of each submission,
or a CSV file with the columns `student` and `time`. A time is written as 2027-01-15 18:05, with a
zone or without one; it is then in the zone of the assignment's due date.
"""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from plainformer.classroom.course import CourseError
from plainformer.classroom.handed_in import HandIn

__all__ = ["Times", "read_times"]

MAX_BYTES = 8 << 20
WHO = ("student", "identifier", "full name")
WHEN = ("time", "last modified (submission)")
MOODLE = ("%A, %d %B %Y, %I:%M %p", "%A, %d %B %Y, %H:%M")  # its long date, in English
NEVER = ("", "-")


@dataclass(frozen=True)
class Times:
    """When everybody handed in.

    Attributes:
        by_name: by the number or the name of a student.
        due: until when.
        source: the name of the table.
    """

    by_name: Mapping[str, datetime.datetime]
    due: datetime.datetime
    source: str

    def note(self, hand_in: HandIn) -> None:
        """Note on a hand-in whether it was late, if the table knows it."""
        if hand_in.whose is None:
            return
        names = (hand_in.whose.id, hand_in.whose.name)
        found = next(
            (self.by_name[each] for each in map(_folded, names) if each in self.by_name), None
        )
        if found is None:
            return
        hand_in.timed, hand_in.when = True, found
        hand_in.late = found > self.due
        hand_in.clock = f", at {found:%Y-%m-%d %H:%M} by {self.source}"


def read_times(path: Path, due: datetime.datetime | None) -> Times:
    """Read a table of times.

    Args:
        path: of a CSV file.
        due: of the assignment; a time without a zone is in its zone.

    Raises:
        CourseError: the assignment has no due date, or the file is no such table; with the line.
    """
    if due is None:
        raise CourseError("--times needs an assignment with a due date, in course.toml")
    try:
        if path.stat().st_size > MAX_BYTES:
            raise OSError("it is too large for one")
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(f"{path} must be a CSV file with times; {error}") from None
    first = text.partition("\n")[0]
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=";" if ";" in first else ",")
    columns = {(each or "").strip().lower(): each for each in reader.fieldnames or ()}
    who = [columns[each] for each in WHO if each in columns]
    when = next((columns[each] for each in WHEN if each in columns), None)
    if not who or when is None:
        raise CourseError(
            f"{path}, line 1: there must be columns `student` and `time`, or those of Moodle's "
            f"grading worksheet; got {', '.join(columns) or 'nothing'}"
        )
    found: dict[str, datetime.datetime] = {}
    for row in reader:
        written = (row[when] or "").strip()
        if written in NEVER:
            continue
        time = _time(written, due)
        if time is None:
            raise CourseError(
                f"{path}, line {reader.line_num}: a time must be written as 2027-01-15 18:05; "
                f"got {written[:60]!r}"
            )
        for each in who:
            found.setdefault(_folded(row[each] or ""), time)
    found.pop("", None)
    return Times(found, due, path.name)


def _time(text: str, due: datetime.datetime) -> datetime.datetime | None:
    try:
        found = datetime.datetime.fromisoformat(text)
    except ValueError:
        for each in MOODLE:
            try:
                found = datetime.datetime.strptime(text, each)
                break
            except ValueError:
                continue
        else:
            return None
    return found if found.tzinfo else found.replace(tzinfo=due.tzinfo)


def _folded(name: str) -> str:
    """A name as it is compared; Moodle's worksheet calls number 12 "Participant 12"."""
    return name.strip().casefold().removeprefix("participant ")

"""Collect what students handed in, from wherever it is, into one folder that `grade` reads.

    plainformer-class collect week-1.zip --assignment week-1

Moodle's and Canvas's zips, a folder with a file or a folder for each student, and a list of git
repositories become `submissions/week-1/NAME.ipynb`. What was found about each of them is recorded
next to them in `collected.json`: where feedback goes back to, and anything else that a teacher
should know.

Nothing that one student hands in stops the batch. Where a notebook is missing, a small file in its
place says why, and so does that student's mark.

Only Canvas says what was late. A repository only says when a commit was made, by its author's
clock. For the others a table can say it (`times`).
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from tqdm import tqdm

from plainformer.classroom.course import CourseError
from plainformer.classroom.handed_in import HandIn, hand_ins
from plainformer.classroom.marks import AssignmentFiles
from plainformer.classroom.record import Collected, noted
from plainformer.classroom.rules import NOBODYS, deadline
from plainformer.classroom.taken import nobodys, taken
from plainformer.classroom.times import Times
from plainformer.files import atomic_write

__all__ = ["collect", "collected"]

RECORD = "collected.json"
FORBIDDEN = '/\\:*?"<>|'
TAKEN = ("con", "prn", "aux", "nul", *(f"{name}{i}" for name in ("com", "lpt") for i in range(10)))


def collected(place: AssignmentFiles) -> dict[str, Collected]:
    """What was collected of an assignment, by student; empty if nothing was.

    Raises:
        CourseError: the record is damaged.
    """
    return _with_same_files(_recorded(place), place)


def collect(
    place: AssignmentFiles,
    sources: Sequence[Path],
    *,
    write: bool = True,
    quiet: bool = False,
    trusted: bool = False,
    times: Times | None = None,
) -> list[Collected]:
    """Collect hand-ins; return what became of each, including files that belong to no known
    student.

    If a student is in two sources, the later source counts. Students who are in none of them keep
    what was collected before.

    Args:
        place: of the assignment.
        sources: zips, folders, lists of repositories.
        write: False to report only what would be collected.
        quiet: show no progress.
        trusted: whether you answer for the addresses of repositories; see `fetched`.
        times: when everybody handed in, where the source does not say it.

    Raises:
        CourseError: a source cannot be read. What came before it is collected.
    """
    before = _recorded(place)
    names = _Names(before)
    found: dict[str, Collected] = {}
    lost: list[Collected] = []
    if write:
        place.submissions.mkdir(parents=True, exist_ok=True)
    try:
        for source in sources:
            with hand_ins(source, place.assignment.due, trusted=trusted) as (total, everyone):
                for each in tqdm(everyone, total=total, unit="students", delay=2, disable=quiet):
                    if each.whose is None:
                        lost += [nobodys(each, file) for _, file in each.files]
                        continue
                    if times:
                        times.note(each)
                    _by_own_deadline(place, each)
                    row, data = taken(each, place.assignment.name, place.course.secret)
                    row = names.give(row)
                    if earlier := found.get(row.student):
                        said = f"It counts instead of the one in {earlier.source}."
                        row = noted(row, "several", said)
                    found[row.student] = row
                    if write:
                        _write(place.submissions, f"{row.student}.ipynb", data)
    finally:
        rows = {**before, **found}
        if write and rows:
            listed = [asdict(rows[name]) for name in sorted(rows)]
            atomic_write(place.submissions / RECORD, json.dumps(listed, indent=1) + "\n")
    rows = _with_same_files(rows, place)
    return [*(rows[name] for name in found), *lost]


def _by_own_deadline(place: AssignmentFiles, hand_in: HandIn) -> None:
    """Who has a deadline of their own is late after that one."""
    whose, due = hand_in.whose, place.assignment.due
    if whose is None or due is None or hand_in.when is None:
        return
    names = (_safe(f"{whose.name} {whose.id}".strip()), whose.name)
    students = place.course.students
    grant = next((students[each] for each in names if each in students), NOBODYS)
    until = deadline(due, place.assignment.name, grant)
    hand_in.late = until is not None and hand_in.when > until


def _write(folder: Path, name: str, data: bytes) -> None:
    """Write a file atomically. It need not survive a power cut, because it can be made again from
    the source."""
    part = folder / ".part"
    part.write_bytes(data)
    part.replace(folder / name)


def _recorded(place: AssignmentFiles) -> dict[str, Collected]:
    path = place.submissions / RECORD
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
        return {row["student"]: Collected(**row) for row in rows}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, KeyError):
        raise CourseError(f"{path} is damaged; delete it, and collect again") from None


def _with_same_files(rows: dict[str, Collected], place: AssignmentFiles) -> dict[str, Collected]:
    """Note when several students handed in identical files, except for the file as it was
    released."""
    found = dict(rows)
    by_hash: dict[str, list[str]] = {}
    for name, row in rows.items():
        if row.hash:
            by_hash.setdefault(row.hash, []).append(name)
    released = place.course.folder / "release" / f"{place.assignment.name}.ipynb"
    untouched = hashlib.sha256(released.read_bytes()).hexdigest() if released.is_file() else ""
    for digest, names in by_hash.items():
        for name in names:
            if digest == untouched:
                said = "Nothing in it was changed: it is as it was released."
                found[name] = noted(rows[name], "collected", said)
            elif len(names) > 1:
                others = ", ".join(other for other in names if other != name)
                said = f"It is, byte for byte, the same file as that of {others}."
                found[name] = noted(rows[name], "same file", said)
    return found


class _Names:
    """A name for each person that stays the same and that no other person's file can take."""

    def __init__(self, before: dict[str, Collected]) -> None:
        self.by_key = {row.key: name for name, row in before.items()}
        self.taken = {_folded(name): row.key for name, row in before.items()}

    def give(self, row: Collected) -> Collected:
        name = self.by_key.get(row.key)
        if name is None:
            wanted = _safe(f"{row.name} {row.id}".strip())
            name, number = wanted, 1
            # On many file systems Ann.ipynb and ann.ipynb are the same file.
            while self.taken.setdefault(_folded(name), row.key) != row.key:
                number += 1
                name = f"{wanted} ({number})"
            self.by_key[row.key] = name
            if number > 1:
                said = f"Another one is called {wanted}, so this one is {name} here."
                row = noted(row, "collected", said)
        return replace(row, student=name)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _safe(name: str) -> str:
    """A name that is valid for a file, and for a folder in a zip, on every system.

    >>> _safe("../Ann: Lee"), _safe("con"), _safe("=cmd()")
    ('_Ann_ Lee', 'con_', '=cmd()')
    """
    shown = "".join(
        "_" if letter in FORBIDDEN or not letter.isprintable() else letter
        for letter in unicodedata.normalize("NFC", name)
    )
    while len(shown.encode("utf-8", "replace")) > 150:
        shown = shown[:-1]
    shown = shown.lstrip(". ").rstrip(". ") or "unnamed"
    return f"{shown}_" if shown.split(".")[0].lower() in TAKEN else shown

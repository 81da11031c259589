"""Marks as a table: a row for each student, a column for each exercise."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from plainformer.classroom.feedback import points_of, said_of_taken
from plainformer.classroom.judge import Mark

__all__ = ["as_csv", "as_json", "harmless"]


def as_csv(marks: Mapping[str, Sequence[Mark]]) -> str:
    """Points and statuses, as any spreadsheet reads them.

    >>> mark = Mark("a.b.1", "ok", 2, 2)
    >>> print(as_csv({"ann": [mark], "=1+1": [mark]}))
    student,points,possible,a.b.1,a.b.1 status
    ann,2,2,2,ok
    '=1+1,2,2,2,ok
    <BLANKLINE>
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    names = [mark.exercise for mark in next(iter(marks.values()), [])]
    columns = [title for name in names for title in (name, f"{name} status")]
    taken = any(mark.taken for row in marks.values() for mark in row)
    writer.writerow(["student", "points", "possible", *columns, *["taken off"] * taken])
    for student, row in marks.items():
        sums = [_plain(number) for number in points_of(row)]
        cells = [cell for mark in row for cell in (mark.points, _status(mark))]
        why = [harmless(said_of_taken(row))] * taken
        writer.writerow([harmless(student), *sums, *cells, *why])
    return file.getvalue()


def _plain(points: float) -> float:
    return int(points) if float(points).is_integer() else points


def _status(mark: Mark) -> str:
    return f"{mark.status}, by hand" if mark.by_hand else mark.status


def as_json(marks: Mapping[str, Sequence[Mark]]) -> str:
    """The same for a script, and with every mark's words: a list of students."""
    rows = [
        {
            "student": student,
            "points": points_of(row)[0],
            "possible": points_of(row)[1],
            "marks": [asdict(mark) for mark in row],
        }
        for student, row in marks.items()
    ]
    return json.dumps(rows, indent=1) + "\n"


def harmless(text: str) -> str:
    """Text that no spreadsheet reads as a formula; a formula gets a quotation mark in front.

    Source: OWASP, CSV Injection.

    >>> harmless("=cmd()"), harmless("ann")
    ("'=cmd()", 'ann')
    """
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text

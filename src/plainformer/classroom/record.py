"""What became of a hand-in, as one row of the record that is kept of an assignment."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

__all__ = ["Collected", "noted"]

Status = Literal[
    "collected",
    "late",
    "several",
    "same file",
    "other assignment",
    "no answers",
    "unreadable",
    "refused",
]
RANK: tuple[Status, ...] = get_args(Status)  # the worst last


@dataclass(frozen=True)
class Collected:
    """What became of one hand-in.

    Attributes:
        student: the name that marks have; empty for a file that belongs to no known student.
        status: the worst of what was found.
        said: all of it, in sentences for the student or the teacher.
        late: whether it came after its time, as far as that is known.
        timed: whether anything says when it came.
        when: it came, in ISO 8601 with a zone; empty where only that it was late is known.
        file: what was taken, by its name in the source.
        source: the zip, the folder or the repository.
        lms, id, name, place: who that is in a system for courses, and where feedback goes.
        hash: of the file; empty if none was taken.
    """

    student: str
    status: Status
    said: str = ""
    late: bool = False
    timed: bool = False
    when: str = ""
    file: str = ""
    source: str = ""
    lms: str = ""
    id: str = ""
    name: str = ""
    place: str = ""
    hash: str = ""

    @property
    def key(self) -> str:
        """The person: by the number in their system, or else by name."""
        return f"{self.lms}:{self.id or self.name}"


def noted(row: Collected, status: Status, said: str) -> Collected:
    """One more thing that was found; the worst gives the status."""
    worse = max(row.status, status, key=RANK.index)
    # It may repeat what a student or a server wrote, and is shown in a terminal.
    plain = "".join(letter if letter.isprintable() else " " for letter in said)
    return replace(row, status=worse, said=f"{row.said} {plain}".strip())

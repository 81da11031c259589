"""Whose a file is, as its name says."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Named"]


@dataclass(frozen=True)
class Named:
    """A student, as a system for courses names their files.

    Attributes:
        lms: which system: "moodle" or "canvas".
        id: of the student there; empty for a team that has none.
        name: for people.
        place: the folder, or the beginning of the file's name; feedback goes back under it.
        late: whether it came after its time; False too where the system does not say.
        order: of two files of one student, the later one has the higher number.
    """

    lms: str
    id: str
    name: str
    place: str
    late: bool = False
    order: int = 0

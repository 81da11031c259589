"""Bring the marks of several machines together: the files that one machine would have written.

A mark's file is named by what it depends on, so two machines that marked the same work wrote the
same file. Two files of one name that differ are a fault, and are named.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from plainformer.classroom.course import CourseError
from plainformer.classroom.marks import MARKS, AssignmentFiles

__all__ = ["merge"]


def merge(place: AssignmentFiles, folders: Sequence[Path], *, write: bool = True) -> int:
    """Copy the marks of an assignment from other copies of the course; return how many are new.

    Args:
        place: where they go.
        folders: the other copies: each a course's folder, or its `marks`.
        write: or only look how many would be new.

    Raises:
        CourseError: a folder has no marks, or two files of one name differ. Nothing is copied then.
    """
    new: dict[Path, Path] = {}
    for folder in folders:
        inside = folder if folder.name == MARKS else folder / MARKS
        theirs = inside / place.assignment.name
        if not theirs.is_dir():
            raise CourseError(
                f"{theirs} must hold marks of {place.assignment.name}; there are none"
            )
        for path in sorted(theirs.rglob("*.json")):
            target = place.marks / path.relative_to(theirs)
            here = new.get(target) or (target if target.exists() else None)
            if here is None:
                new[target] = path
            elif here.read_bytes() != path.read_bytes():
                raise CourseError(
                    f"{path} and {here} are marks of the same work, and differ. Was one of them "
                    "made by another version? Delete the wrong one."
                )
    for target, path in new.items() if write else ():
        target.parent.mkdir(parents=True, exist_ok=True)
        kept = target.with_suffix(".part")
        shutil.copyfile(path, kept)
        kept.replace(target)
    return len(new)

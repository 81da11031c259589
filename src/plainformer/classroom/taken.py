"""What is taken of one hand-in: the notebook that counts, or the reason why there is none."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

from plainformer.classroom.handed_in import HandIn
from plainformer.classroom.incoming import File
from plainformer.classroom.notebook import (
    MAX_BYTES,
    Notebook,
    NotebookError,
    parse_notebook,
    said_of_copies,
    stand_in,
)
from plainformer.classroom.record import Collected, noted

__all__ = ["nobodys", "taken"]

LOOKED_AT = 20  # notebooks of one student; of more, the last ones
ENDINGS = ("", "txt", "json")  # what a notebook may be called besides .ipynb
PACKED = ("zip", "gz", "7z", "rar", "tar")


def nobodys(hand_in: HandIn, file: File) -> Collected:
    said = file.problem or "Its name does not say whose it is, as the others' names do."
    return Collected("", "refused", f"{_shown(file.path)}: {said}", source=hand_in.source)


def taken(hand_in: HandIn, assignment: str, secret: bytes) -> tuple[Collected, bytes]:
    """What became of a hand-in, and the bytes of the file that stands for it.

    Args:
        hand_in: of one student.
        assignment: its name.
        secret: of the course.
    """
    whose = hand_in.whose
    assert whose is not None
    row = Collected(
        "", "collected", source=hand_in.source,
        lms=whose.lms, id=whose.id, name=whose.name, place=whose.place, timed=hand_in.timed,
        when=hand_in.when.isoformat() if hand_in.when else "",
    )  # fmt: skip
    if hand_in.late:
        row = replace(noted(row, "late", f"It was handed in late{hand_in.clock}."), late=True)
    if hand_in.problem:
        return _without(row, hand_in.problem, secret)
    found, problems = _notebooks(hand_in.files)
    if not found:
        return _without(row, _why_none(hand_in.files, problems), secret)
    # The right assignment first, then the later one; the name decides where nothing else does.
    found.sort(key=lambda each: (each.book.assignment == assignment, each.age))
    best = found[-1]
    row = replace(row, file=best.file.path, hash=hashlib.sha256(best.data).hexdigest())
    if len(found) > 1:
        others = ", ".join(_shown(each.file.path) for each in found[:-1][:5])
        row = noted(row, "several", f"{_shown(best.file.path)} was taken, and not {others}.")
    for problem in problems:
        row = noted(row, "several", problem)
    if said := said_of_copies(best.book):
        row = noted(row, "several", said)
    if not best.file.path.lower().endswith(".ipynb"):
        row = noted(row, "collected", f"{_shown(best.file.path)} is a notebook by what it holds.")
    if best.book.assignment not in ("", assignment):
        row = noted(
            row, "other assignment",
            f"It is the notebook of {best.book.assignment!r}, and this is {assignment!r}.",
        )  # fmt: skip
    elif not best.book.answers and not best.book.problems:
        row = noted(
            row, "no answers",
            "None of its cells has the id of an answer cell, so nothing in it can be marked: the "
            "program that it was saved with has removed them. Copy the answers into the released "
            "notebook, and hand that in.",
        )  # fmt: skip
    return row, best.data


@dataclass(frozen=True)
class _Found:
    """A notebook among a student's files."""

    file: File
    data: bytes
    book: Notebook
    age: tuple[int, str, str]  # the greater, the newer


def _notebooks(files: list[tuple[int, File]]) -> tuple[list[_Found], list[str]]:
    """The notebooks among files, and what was wrong with those that look like one."""
    called = [each for each in files if each[1].path.lower().endswith(".ipynb")]
    # Of files that have another name only what they hold can tell.
    others = [each for each in files if _ending(each[1].path) in ENDINGS]
    found: list[_Found] = []
    problems: list[str] = []
    room = 4 * MAX_BYTES  # of one student, together
    for candidates, must in ((called, True), (others, False)):
        if found or problems:
            break
        ordered = sorted(candidates, key=lambda each: (each[0], each[1].changed, each[1].path))
        for order, file in ordered[-LOOKED_AT:]:
            try:
                if file.problem:
                    raise NotebookError(file.problem)
                data = file.read()
                room -= len(data)
                if room < 0:
                    raise NotebookError("There is too much of it to read all. Hand in one file.")
                book = parse_notebook(data)
            except NotebookError as error:
                if must:
                    problems.append(f"{_shown(file.path)}: {error}")
            else:
                found.append(_Found(file, data, book, (order, file.changed, file.path)))
    return found, problems


def _why_none(files: list[tuple[int, File]], problems: list[str]) -> str:
    if problems:
        return " ".join(problems[:3])
    wrong = [f"{_shown(file.path)}: {file.problem}" for _, file in files if file.problem]
    if wrong:
        return " ".join(wrong[:3])
    names = ", ".join(_shown(file.path) for _, file in files[:5]) or "nothing"
    if any(_ending(file.path) in PACKED for _, file in files):
        return f"There is no notebook but a packed file: {names}. Hand in the .ipynb file itself."
    return f"There is no notebook among what was handed in: {names}. Hand in the .ipynb file."


def _without(row: Collected, why: str, secret: bytes) -> tuple[Collected, bytes]:
    """A hand-in of which no notebook was taken, and the file that says so to `grade`."""
    row = noted(row, "unreadable", why)
    return row, stand_in(row.said, secret)


def _shown(path: str) -> str:
    """A file's own name, fit for a line of text."""
    name = path if ".." in path or path.startswith("/") else path.rpartition("/")[2]
    return "".join(letter if letter.isprintable() else "?" for letter in name)[-80:]


def _ending(path: str) -> str:
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name[1:] else ""

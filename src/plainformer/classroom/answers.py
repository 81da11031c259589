"""A student's answers as a person reads them: the source of each, and what its cell showed.

Outputs are what the student's file says, which nobody has made anew: a picture in it may be any
picture. Only plain text and PNG pictures are taken, each within a limit; HTML and SVG, which could
be a page of their own, are named and left out.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plainformer.classroom.course import Assignment
from plainformer.classroom.notebook import (
    IMPORTS,
    MAX_SOURCE,
    NotebookError,
    answer_id,
    raw_cells,
)
from plainformer.classroom.questions import written_id

__all__ = ["Answer", "Output", "answers_of", "sources_of"]

MAX_OUTPUTS = 20  # of one answer
MAX_TEXT = 5000  # characters of one output
MAX_PICTURE = 4 << 20  # bytes
MAX_SIDE = 5000  # pixels
PNG = b"\x89PNG\r\n\x1a\n"
ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
ONLY_IMPORTS = re.compile(r"(\s*(import\s|from\s+\S+\s+import\s|#).*|\s*)")


@dataclass(frozen=True)
class Output:
    """Something that a cell showed.

    Attributes:
        text: as it was printed; or why the output is not shown.
        picture: of a PNG file, its bytes.
        shown: whether it is the student's; otherwise the text is ours.
    """

    text: str = ""
    picture: bytes = b""
    shown: bool = True


@dataclass(frozen=True)
class Answer:
    """What a student handed in for one exercise or question.

    Attributes:
        source: of its cell.
        outputs: of its cell.
        code: whether it is code.
        problem: why there is nothing; empty if there is something.
    """

    source: str = ""
    outputs: tuple[Output, ...] = ()
    code: bool = True
    problem: str = ""


def answers_of(path: Path, assignment: Assignment, secret: bytes = b"") -> dict[str, Answer]:
    """A student's answers, by exercise or question; of each there is one, if only to say why not.

    Args:
        path: of the notebook.
        assignment: what was asked.
        secret: of the course, which seals our notes about notebooks that could not be collected.

    Raises:
        NotebookError: it is no notebook; the message is for its student.
    """
    cells: dict[str, list[Mapping[str, Any]]] = {}
    for name, cell in raw_cells(path, secret):
        cells.setdefault(name, []).append(cell)
    found = {each.id: _answer(answer_id(each.id), cells) for each in assignment.exercises}
    for question in assignment.questions:
        found[question.id] = _answer(written_id(question.id), cells, question.code)
    own = _imports(cells)
    if own:
        found[IMPORTS] = Answer(own)
    return found


def sources_of(path: Path, assignment: Assignment) -> dict[str, str]:
    """The sources alone, of those answers that are there."""
    try:
        found = answers_of(path, assignment)
    except NotebookError:
        return {}
    return {name: each.source for name, each in found.items() if each.source.strip()}


def _answer(
    name: str, cells: Mapping[str, list[Mapping[str, Any]]], code: bool | None = None
) -> Answer:
    alike = cells.get(name, [])
    if not alike:
        return Answer(problem="There is no cell for this answer in the notebook.")
    if code is None:  # the one that the judge takes
        alike = [next((cell for cell in alike if cell.get("id") == name), alike[0])]
    source = "\n\n".join(filter(None, map(_source, alike)))
    if len(source) > MAX_SOURCE:
        return Answer(problem=f"The answer has more than {MAX_SOURCE} characters.")
    outputs = _together([each for cell in alike for each in _outputs(cell)])
    problem = "" if source.strip() else "The cell of this answer is empty."
    return Answer(source, tuple(outputs[:MAX_OUTPUTS]), code is not False, problem)


def _together(outputs: list[Output]) -> list[Output]:
    """Outputs whose pictures are, all of them together, within the limit of one."""
    room, found = MAX_PICTURE, list[Output]()
    for each in outputs:
        room -= len(each.picture)
        found.append(each if room >= 0 else Output("There are more pictures.", shown=False))
    return found


def _imports(cells: Mapping[str, list[Mapping[str, Any]]]) -> str:
    """The cell of imports, if it has more than imports."""
    source = _source(cells[IMPORTS][0]) if IMPORTS in cells else ""
    lines = source.split("\n")
    if len(source) > MAX_SOURCE or all(ONLY_IMPORTS.fullmatch(line) for line in lines):
        return ""
    return source


def _outputs(cell: Mapping[str, Any]) -> Iterator[Output]:
    listed = cell.get("outputs")
    for each in listed[: 5 * MAX_OUTPUTS] if isinstance(listed, list) else ():
        if not isinstance(each, dict):
            continue
        if each.get("output_type") == "stream":
            yield _text(each.get("text"))
        elif each.get("output_type") == "error":
            yield _text(each.get("traceback"), "\n")
        elif isinstance(data := each.get("data"), dict):
            yield _shown(data)


def _shown(data: Mapping[str, Any]) -> Output:
    """The best of what an output offers that is safe to show."""
    if (picture := data.get("image/png")) is not None:
        return _picture(_joined(picture))
    if "text/plain" in data:
        return _text(data["text/plain"])
    kinds = ", ".join(sorted(str(kind)[:40] for kind in data)[:5]) or "nothing"
    return Output(f"An output is not shown here: it is {kinds}.", shown=False)


def _picture(encoded: str) -> Output:
    why = "A picture is not shown here: it is"
    if len(encoded) > 2 * MAX_PICTURE:
        return Output(f"{why} larger than {MAX_PICTURE:,} bytes.", shown=False)
    try:
        data = base64.b64decode("".join(encoded.split()), validate=True)
    except (binascii.Error, ValueError):
        data = b""
    if data[:8] != PNG or data[12:16] != b"IHDR" or len(data) < 33:
        return Output(f"{why} damaged.", shown=False)
    sides = [int.from_bytes(data[at : at + 4], "big") for at in (16, 20)]
    if len(data) > MAX_PICTURE or not all(0 < side <= MAX_SIDE for side in sides):
        return Output(f"{why} larger than {MAX_SIDE} pixels a side.", shown=False)
    return Output(picture=data)


def _text(value: Any, between: str = "") -> Output:
    text = ANSI.sub("", _joined(value, between)[: 2 * MAX_TEXT])
    return Output(text[:MAX_TEXT] + ("…" if len(text) > MAX_TEXT else ""))


def _joined(value: Any, between: str = "") -> str:
    """A text that a file may keep as one string or as lines."""
    if isinstance(value, list):
        value = between.join(line for line in value if isinstance(line, str))
    return value if isinstance(value, str) else ""


def _source(cell: Mapping[str, Any]) -> str:
    return _joined(cell.get("source"))

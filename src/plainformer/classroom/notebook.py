"""A student's notebook, read as what it is: a file from a stranger.

It is read as JSON, within a limit of size, and nothing in it is run or shown. Of all its cells the
judge wants two kinds: the answer cells, by their ids, and the cell of imports before them. What is
wrong with a notebook is said in a sentence that its student can act on.

Cells are known by their id wherever an editor keeps it: in the cell itself (JupyterLab, VS Code),
in its metadata (Colab), or as nbgrader's grade_id. A cell that a student copied keeps the metadata
and gets another id: the one with the id counts, or else the first, and the other is named.

Two students who swap ids swap answers, because a notebook does not say who wrote it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = [
    "IMPORTS",
    "MAX_BYTES",
    "NOT_COLLECTED",
    "Notebook",
    "NotebookError",
    "answer_id",
    "cells_of",
    "parse_notebook",
    "raw_cells",
    "read_notebook",
    "said_of_copies",
    "stand_in",
    "too_large",
]

MAX_BYTES = 20 << 20  # a notebook with many pictures has a few million bytes
MAX_CELLS = 5000
MAX_SOURCE = 1 << 18  # characters of an answer, a quarter of a million
OURS = ("answer-", "written-")  # how the ids of the cells begin that students fill
NOT_COLLECTED = "plainformer_not_collected"  # stands for a file that `collect` could not take: why
SEAL = "plainformer_seal"  # shows that `collect` wrote it, and not a student
IMPORTS = "imports"  # the id of the cell that is run before every answer


class NotebookError(ValueError):
    """A file that cannot be marked; the message is for its student."""


@dataclass(frozen=True)
class Notebook:
    """What the judge takes from a notebook.

    Attributes:
        assignment: whose work it says it is; empty if it does not.
        answers: the sources of answer cells, by their id.
        imports: the source of the cell before them; empty if there is none.
        problems: by the id of an answer cell, why it cannot be taken.
        copied: the ids of cells that are there more than once.
    """

    assignment: str
    answers: Mapping[str, str]
    imports: str = ""
    problems: Mapping[str, str] = field(default_factory=dict)
    copied: tuple[str, ...] = ()


def answer_id(exercise: str) -> str:
    """The id of the cell that holds an exercise's answer.

    >>> answer_id("attention.masking.1")
    'answer-attention-masking-1'
    """
    return "answer-" + exercise.replace(".", "-")


def read_notebook(path: Path, limit: int = MAX_BYTES, secret: bytes = b"") -> Notebook:
    """Read a student's file.

    Args:
        path: of a regular file; a link is refused.
        limit: of its size, in bytes.
        secret: of the course; see `parse_notebook`.

    Raises:
        NotebookError: it is no notebook, or none that can be marked.
    """
    return parse_notebook(_bytes(path, limit), secret)


def parse_notebook(data: bytes, secret: bytes = b"") -> Notebook:
    """Read the bytes of a student's file.

    Args:
        data: all of it.
        secret: of the course. With it, the reason in a file of `stand_in` is believed; without it,
            such a file is one that a student wrote, whatever it says.

    Raises:
        NotebookError: it is no notebook, or none that can be marked.
    """
    body = _json(_text(data))
    if NOT_COLLECTED in body:
        raise NotebookError(_reason(body, secret))
    found: dict[str, str] = {}
    problems: dict[str, str] = {}
    cells: dict[str, list[Any]] = {}
    for cell in _cells(body):
        name = _id_of(cell)
        if name.startswith("answer-") or name == IMPORTS:
            cells.setdefault(name, []).append(cell)
    for name, alike in cells.items():
        cell = next((each for each in alike if each.get("id") == name), alike[0])
        which = "The cell of imports" if name == IMPORTS else "The answer cell"
        if cell.get("cell_type") != "code":
            problems[name] = f"{which} is no code cell any more. Change its type to Code."
        else:
            source = _source(cell)
            if source is None or len(source) > MAX_SOURCE:
                problems[name] = f"{which} has more than {MAX_SOURCE} characters, or no text."
            else:
                found[name] = source
    copied = tuple(name for name, alike in cells.items() if len(alike) > 1)
    return Notebook(_assignment(body), found, found.pop(IMPORTS, ""), problems, copied)


def stand_in(why: str, secret: bytes) -> bytes:
    """The file that takes the place of a notebook which could not be collected.

    Args:
        why: for the student and the teacher.
        secret: of the course, which seals it.
    """
    return json.dumps({NOT_COLLECTED: why, SEAL: _seal(why, secret)}).encode()


def _seal(why: str, secret: bytes) -> str:
    text = f"{NOT_COLLECTED}\0{why}".encode("utf-8", "surrogatepass")
    return hmac.new(secret, text, hashlib.sha256).hexdigest()


def _reason(body: Mapping[str, Any], secret: bytes) -> str:
    """Why nothing was collected, if the file is ours; our own words about it if it is not."""
    why, seal = body[NOT_COLLECTED], body.get(SEAL)
    texts = isinstance(why, str) and isinstance(seal, str)
    if (
        texts
        and secret
        and hmac.compare_digest(str(seal).encode("utf-8", "replace"), _seal(why, secret).encode())
    ):
        return str(why)[:1000]
    return (
        "The file is no notebook. It only looks like the note that the grader writes where a "
        "notebook is missing, and it is not one. Hand in the .ipynb file itself."
    )


def said_of_copies(book: Notebook, name: str = "") -> str:
    """What to tell of cells that are there twice, all or of this id; empty if none is."""
    there = [each for each in book.copied if name in ("", each)]
    if not there:
        return ""
    which = f"The cell{'s' if len(there) > 1 else ''} {', '.join(there)[:200]}"
    be = "are" if len(there) > 1 else "is"
    return f"{which} {be} there more than once: what counts is the released one, or the first."


def cells_of(path: Path) -> Iterator[tuple[str, str]]:
    """The id and the text of every cell of any kind, for answers that a person reads.

    Raises:
        NotebookError: it is no notebook.
    """
    for cell in _cells(_json(_text(_bytes(path, MAX_BYTES)))):
        source = _source(cell) if isinstance(cell, dict) else None
        yield _id_of(cell), source or ""


def raw_cells(path: Path, secret: bytes = b"") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The id of every cell, and all of it: from a stranger, so nothing in it is of a known kind.

    Raises:
        NotebookError: it is no notebook; if `collect` could not take one, the message says why.
    """
    body = _json(_text(_bytes(path, MAX_BYTES)))
    if NOT_COLLECTED in body:
        raise NotebookError(_reason(body, secret))
    for cell in _cells(body):
        if isinstance(cell, dict):
            yield _id_of(cell), cell


def _cells(body: Mapping[str, Any]) -> list[Any]:
    cells = body.get("cells")
    if NOT_COLLECTED in body or not isinstance(cells, list) or len(cells) > MAX_CELLS:
        raise NotebookError(
            "This is no notebook of version 4: it has no list of cells, or one too long. Open it "
            "in JupyterLab and save it anew."
        )
    return cells


def _bytes(path: Path, limit: int) -> bytes:
    try:
        if path.is_symlink() or not path.is_file():
            raise NotebookError(
                "This is no file but a link or a folder. Hand in the notebook itself."
            )
        size = path.stat().st_size
        if size > limit:
            raise NotebookError(too_large(size, limit))
        return path.read_bytes()
    except OSError as error:
        raise NotebookError(f"The file cannot be read: {error.strerror}.") from None


def too_large(size: int, limit: int = MAX_BYTES) -> str:
    """What to tell the student of a notebook that is not read for its size."""
    return (
        f"The notebook has {size:,} bytes; at most {limit:,} are read. Clear its outputs "
        "(Edit > Clear Outputs of All Cells), save it, and hand it in again."
    )


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotebookError(
            "The file is no text in UTF-8, so it is no notebook. Was it packed, or is it a PDF?"
        ) from None


def _json(text: str) -> dict[str, Any]:
    try:
        body = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = f", in line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise NotebookError(
            f"The file is no whole notebook: its JSON breaks off or is damaged{line}. Open it in "
            "JupyterLab; if that works, save it and hand it in again."
        ) from None
    if not isinstance(body, dict):
        raise NotebookError("The file is JSON, and no notebook. Hand in the .ipynb file.")
    return body


def _id_of(cell: Any) -> str:
    """A cell's id, wherever it is stored; empty for a cell without one."""
    if not isinstance(cell, dict):
        return ""
    metadata = _object(cell.get("metadata"))
    places = (cell.get("id"), metadata.get("id"), _object(metadata.get("nbgrader")).get("grade_id"))
    known = [each for each in places if isinstance(each, str)]
    ours = (each for each in known if each.startswith(OURS) or each == IMPORTS)
    return next(ours, known[0] if known else "")


def _source(cell: Mapping[str, Any]) -> str | None:
    """A cell's text, which a file may keep as one string or as lines."""
    source = cell.get("source")
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        return "".join(source)
    return source if isinstance(source, str) else None


def _assignment(body: Mapping[str, Any]) -> str:
    said = _object(_object(body.get("metadata")).get("plainformer")).get("assignment")
    return said[:100] if isinstance(said, str) else ""


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}

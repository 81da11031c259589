"""Questions that a person marks: a plot to look at, a few lines to read.

A question is a file in the course's folder `questions/`: a title after `# `, then the task, in
Markdown. `course.toml` says where it is asked, and for how many points:

    questions = [{ id = "heat_map", points = 3, code = true }]

Its answer has one cell of the notebook, which is for text, or for code with `code = true`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Question", "graded_cell", "read_question", "solution_cell", "written_id"]

FOLDER = "questions"
ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,50}")
SCHEMA = 3  # of nbgrader's metadata: nbgrader 0.9.6, nbgraderformat/v3.json


@dataclass(frozen=True)
class Question:
    """One question.

    Attributes:
        id: short; the name of its file.
        title: for people.
        task: in Markdown.
        points: what a full answer earns.
        code: whether the answer is code, such as what draws a plot.
    """

    id: str
    title: str
    task: str
    points: float
    code: bool = False


def read_question(course: Path, name: str, points: float, code: bool) -> Question:
    """Read a question's file.

    Raises:
        ValueError: its name could be no cell's, or the file is missing or has no title.
    """
    if not ID.fullmatch(name):
        raise ValueError(
            f"a question's id must be at most 51 letters, digits, - and _; got {name!r}"
        )
    path = course / FOLDER / f"{name}.md"
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} must be a text file with the question; {error}") from None
    first, _, task = text.strip().partition("\n")
    title = first.removeprefix("# ").strip()
    if not first.startswith("# ") or not title:
        raise ValueError(f"{path} must begin with its title, as in '# A picture of weights'")
    return Question(name, title, task.strip(), points, code)


def written_id(question: str) -> str:
    """The id of the cell that holds the answer to a question.

    >>> written_id("heat_map")
    'written-heat_map'
    """
    return f"written-{question}"


def graded_cell(question: Question) -> dict[str, Any]:
    """What nbgrader keeps in the metadata of a cell that a person marks.

    Its own tools then know the cell, and it is known where an editor has given it another id.
    """
    told = {"grade_id": written_id(question.id), "points": question.points}
    kind = {"grade": True, "solution": True, "locked": False, "task": False}
    return {"nbgrader": {"schema_version": SCHEMA, **told, **kind}}


def solution_cell(name: str) -> dict[str, Any]:
    """What nbgrader keeps of a cell that a student fills and that has no points by itself."""
    kind = {"grade": False, "solution": True, "locked": False, "task": False}
    return {"nbgrader": {"schema_version": SCHEMA, "grade_id": name, **kind}}

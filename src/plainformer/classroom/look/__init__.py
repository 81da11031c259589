"""Pages on which a teacher sees every answer and marks it: `plainformer-class grade week-1 --look`.

`desk` knows the answers and writes what is set, `page` draws the pages, and `server` answers the
teacher's browser and nobody else.
"""

from __future__ import annotations

from pathlib import Path

from plainformer.classroom.course import load_course
from plainformer.classroom.grade import judged_marks
from plainformer.classroom.look.desk import Desk
from plainformer.classroom.look.server import LookServer
from plainformer.classroom.marks import AssignmentFiles

__all__ = ["look"]


def look(folder: Path, assignment: str, sandbox: str | None = None, port: int = 0) -> None:
    """Serve the pages until Ctrl-C.

    Args:
        folder: of the course.
        assignment: its name.
        sandbox: that the marks were made in; the course's without it.
        port: 0 for any that is free.
    """
    marks = judged_marks(folder, assignment, sandbox, partial=True)
    course = load_course(folder)
    desk = Desk(AssignmentFiles(course, course.assignment(assignment)), marks)
    with LookServer(desk, port) as server:
        print(f"Every answer is on {server.address}", flush=True)
        print("Whoever has this address can mark; it ends with Ctrl-C.", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()

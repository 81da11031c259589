"""Gradescope: the zip that it builds a grader from, and the results that it reads.

As its documentation says (`docs/specs.md` and `docs/submission_metadata.md` of
gradescope/autograder_samples, looked up in November 2026): the zip has `setup.sh`, which is run
once when the image is built, and `run_autograder`, which is run for each submission and writes
`/autograder/results/results.json`. What a student handed in lies in `/autograder/submission`.

The zip holds the course with its secret and its exercises' solutions. It is for the teacher's
account alone; a student's code does not see it, as nothing else outside its sandbox.

What a person marks is a test as well. It has its points once they are in the course's table
(`manual/`), under the number of the student's account or their mail address, and the zip is made
and uploaded anew; until then it says that a person will read it. So leave such questions out of
Gradescope's own rubric, where they would count twice.

Whether a sandbox works in Gradescope's containers is up to Gradescope; where none works, no
results are written, and the output tells the teacher why.
"""

from __future__ import annotations

import io
import json
import shlex
import shutil
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from plainformer.classroom.course import FOLDER, SECRET, SETTINGS, Assignment, Course, CourseError
from plainformer.classroom.feedback import DAY, SAID, points_of
from plainformer.classroom.grade import grade, marks_of
from plainformer.classroom.handed_in import HandIn
from plainformer.classroom.incoming import files_in
from plainformer.classroom.judge import Mark
from plainformer.classroom.lms.naming import Named
from plainformer.classroom.manual import marks_in_table, sheet
from plainformer.classroom.marks import AssignmentFiles
from plainformer.classroom.taken import taken
from plainformer.files import atomic_write

__all__ = ["VISIBILITY", "autograder", "results", "run"]

FILES = {FOLDER: "*.py", "questions": "*.md"}  # of a course, what its settings speak of
NONE: Mapping[str, Mark] = {}
VISIBILITY = ("visible", "after_due_date", "after_published", "hidden")
SETUP = """\
#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the image of this grader.
set -euo pipefail

apt-get update
apt-get install -y --no-install-recommends bubblewrap

# Plainformer needs Python 3.11. Ubuntu 22.04 has 3.10, and a 3.11 beside it.
python=python3
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  python=python3.11
  apt-get install -y --no-install-recommends python3.11
fi
apt-get install -y --no-install-recommends "$python-venv"
"$python" -m venv /autograder/venv
/autograder/venv/bin/pip install --no-cache-dir {install}
"""
RUN = """\
#!/usr/bin/env bash
# Gradescope runs this for each submission; it writes results/results.json.
set -euo pipefail

root="${{AUTOGRADER_ROOT:-/autograder}}"
exec "$root/venv/bin/plainformer-class" --course "$root/source/course" \\
  gradescope {assignment} --run "$root" --visibility {visibility}
"""


def autograder(
    course: Course, assignment: Assignment, install: str, visibility: str = "visible"
) -> bytes:
    """The zip to upload.

    Args:
        course, assignment: what it grades.
        install: where the image gets Plainformer from: a wheel's file, which goes into the zip, or
            what pip is to install.
        visibility: when students see their marks, one of VISIBILITY.

    Raises:
        CourseError: the wheel is not there, or the course has no secret.
    """
    _ = course.secret  # says now that it is missing
    wheel = Path(install) if install.endswith(".whl") else None
    if wheel and not wheel.is_file():
        raise CourseError(f"{wheel} must be Plainformer's wheel; it is not there")
    source = f"/autograder/source/{wheel.name}" if wheel else install
    files = {
        "setup.sh": SETUP.format(install=shlex.quote(source)).encode(),
        "run_autograder": RUN.format(assignment=assignment.name, visibility=visibility).encode(),
        **{f"course/{name}": (course.folder / name).read_bytes() for name in (SETTINGS, SECRET)},
    }
    for folder, pattern in FILES.items():
        for path in sorted((course.folder / folder).glob(pattern)):
            files[f"course/{folder}/{path.name}"] = path.read_bytes()
    table = sheet(AssignmentFiles(course, assignment))
    if table.exists():
        files[f"course/{table.relative_to(course.folder).as_posix()}"] = table.read_bytes()
    if wheel:
        files[wheel.name] = wheel.read_bytes()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, DAY)
            runs = name in ("setup.sh", "run_autograder")
            entry.external_attr = (0o755 if runs else 0o600) << 16
            file.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def results(
    assignment: Assignment,
    marks: Sequence[Mark],
    said: str = "",
    visibility: str = "visible",
    by_hand: Mapping[str, Mark] = NONE,
) -> dict[str, Any]:
    """What Gradescope reads: a test for each exercise, then for each question.

    Args:
        assignment: what was graded.
        marks: one student's, in its order.
        said: of the hand-in as a whole.
        visibility: when the student sees them, one of VISIBILITY.
        by_hand: what a person has marked of that student's, by question.
    """
    tests = []
    for number, (exercise, mark) in enumerate(zip(assignment.exercises, marks, strict=True), 1):
        lines = [SAID[mark.status]]
        lines += [mark.text] if mark.text and mark.status != "ok" else []
        lines += [f"A hint: {mark.hint}"] if mark.hint else []
        tests.append(
            {
                "name": exercise.title,
                "number": str(number),
                "score": mark.points,
                "max_score": mark.possible,
                "output": "\n".join(lines),
                "visibility": visibility,
            }
        )
    for number, question in enumerate(assignment.questions, len(tests) + 1):
        given = by_hand.get(question.id)
        asked = {
            "name": question.title,
            "number": str(number),
            "max_score": question.points,
            "output": given.text if given else "A person will read this answer and give it points.",
            "visibility": visibility,
        }
        # Without points yet it has no score, which is optional, and not a score of 0.
        tests.append(asked | ({"score": given.points} if given else {}))
    return {
        "score": points_of([*marks, *by_hand.values()])[0],
        "output": said,
        "visibility": visibility,
        "stdout_visibility": "hidden",  # what the grader prints is for the teacher
        "tests": tests,
    }


def run(course: Course, assignment: Assignment, root: Path, visibility: str = "visible") -> Path:
    """Grade the one submission of an autograder's folder; return where the results are.

    Raises:
        CourseError, OSError: there is nothing to grade, or no sandbox. No results are written then.
    """
    student, mails = _student(root / "submission_metadata.json")
    with files_in(root / "submission") as files:
        hand_in = HandIn(Named("", "", student, ""), "submission", [(0, each) for each in files])
        row, data = taken(hand_in, assignment.name, course.secret)
    with tempfile.TemporaryDirectory(prefix="plainformer-gradescope-") as name:
        copy = Path(name)
        for each in (SETTINGS, SECRET):
            shutil.copyfile(course.folder / each, copy / each)
        for folder in FILES:
            if (course.folder / folder).is_dir():
                shutil.copytree(course.folder / folder, copy / folder)
        submissions = AssignmentFiles(course, assignment).submissions.relative_to(course.folder)
        (copy / submissions).mkdir(parents=True)
        (copy / submissions / f"{student}.ipynb").write_bytes(data)
        grade(copy, assignment.name, quiet=True)
        (marks,) = marks_of(copy, assignment.name).values()
    by_hand = marks_in_table(AssignmentFiles(course, assignment), [student, *mails])
    found = results(assignment, marks, row.said, visibility, by_hand)
    out = root / "results" / "results.json"
    out.parent.mkdir(exist_ok=True)
    atomic_write(out, json.dumps(found, indent=1) + "\n")
    return out


def _student(path: Path) -> tuple[str, list[str]]:
    """Who handed in: by the numbers of their accounts, which hidden cases need; and their mails."""
    try:
        users = json.loads(path.read_text(encoding="utf-8"))["users"]
        people = [user for user in users if isinstance(user, Mapping)]
        numbers = sorted({int(user["id"]) for user in people})
    except (OSError, ValueError, TypeError, KeyError):
        return "student", []
    mails = [user["email"] for user in people if isinstance(user.get("email"), str)]
    return "-".join(map(str, numbers))[:100] or "student", mails

"""A batch: every student gets marks, whatever the others handed in, and the same ones again."""

import contextlib
import csv
import io
import json
import os
import shutil
import subprocess
import sys
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from tests.classroom.test_course import OWN, course

from plainformer.classroom import grade as grade_module
from plainformer.classroom.commands import main
from plainformer.classroom.course import CourseError, load_course, new_secret
from plainformer.classroom.feedback import as_html, as_zip
from plainformer.classroom.grade import Shard, grade, marks_of
from plainformer.classroom.marks import AssignmentFiles
from plainformer.classroom.merge import merge
from plainformer.classroom.notebook import answer_id
from plainformer.classroom.sandbox import bubblewrap as bubblewrap_module

SETTINGS = """\
[course]
name = "Tests"
[grading]
sandbox = "unsafe"
[assignments.week-1]
exercises = ["course.triple.1", "inputs.tokenization.2"]
"""
RIGHT = {
    "course.triple.1": "def triple(x): return 3 * x",
    "inputs.tokenization.2": (
        "def merge(symbols, pair):\n"
        "    out, i = [], 0\n"
        "    while i < len(symbols):\n"
        "        both = tuple(symbols[i : i + 2]) == tuple(pair)\n"
        "        out.append(''.join(pair) if both else symbols[i])\n"
        "        i += 2 if both else 1\n"
        "    return out"
    ),
}


def notebook(answers, assignment="week-1"):
    cells = [
        {"cell_type": "code", "id": answer_id(name), "metadata": {}, "source": source}
        for name, source in answers.items()
    ]
    return json.dumps({"cells": cells, "metadata": {"plainformer": {"assignment": assignment}}})


HANDED_IN = {
    "ann": notebook(RIGHT),
    "bob": notebook({**RIGHT, "course.triple.1": "def triple(x): return x"}),
    "cut": notebook(RIGHT)[:-30],
    "exit": notebook({**RIGHT, "course.triple.1": "import os\ndef triple(x): os._exit(0)"}),
    "late week": notebook(RIGHT, "week-2"),
    "none": notebook({}),
    "=cmd()": notebook(RIGHT),
}
WANTED = {
    "=cmd()": ("ok", "ok"),
    "ann": ("ok", "ok"),
    "bob": ("wrong", "ok"),
    "cut": ("unreadable", "unreadable"),
    "exit": ("crashed", "ok"),
    "late week": ("unreadable", "unreadable"),
    "none": ("missing", "missing"),
}


@pytest.fixture
def folder(tmp_path):
    course(tmp_path, SETTINGS)
    new_secret(tmp_path)
    (tmp_path / "submissions" / "week-1").mkdir(parents=True)
    for name, text in HANDED_IN.items():
        (tmp_path / "submissions" / "week-1" / f"{name}.ipynb").write_text(text)
    return tmp_path


def files(folder):
    """Every mark's file, and its bytes."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted((folder / "marks").rglob("*.json"))
    }


def test_everybody_gets_marks_and_the_same_ones_from_shards(folder):
    counted = grade(folder, "week-1", jobs=2, quiet=True)
    assert counted == {"ok": 6, "unreadable": 4, "missing": 2, "wrong": 1, "crashed": 1}
    marks = marks_of(folder, "week-1")
    assert {name: tuple(mark.status for mark in row) for name, row in marks.items()} == WANTED
    whole = files(folder)
    for path in (folder / "marks").rglob("*.json"):
        path.unlink()
    for i in (1, 2, 3):
        grade(folder, "week-1", jobs=1, shard=Shard(i, 3), quiet=True)
    assert files(folder) == whole


def test_marks_of_several_machines_merge_into_those_of_one(folder, tmp_path_factory):
    machines = []
    for i in (1, 2):
        copy = tmp_path_factory.mktemp("machine") / "course"
        shutil.copytree(folder, copy)
        grade(copy, "week-1", jobs=1, shard=Shard(i, 2), quiet=True)
        machines.append(copy)
    place = AssignmentFiles(load_course(folder), load_course(folder).assignment("week-1"))
    with pytest.raises(CourseError, match="must hold marks of week-1"):
        merge(place, [*machines, tmp_path_factory.mktemp("empty")])
    assert files(folder) == {}
    assert merge(place, machines) == 14 and merge(place, machines) == 0
    assert files(folder) == {**files(machines[0]), **files(machines[1])}
    marks = marks_of(folder, "week-1")
    assert {name: tuple(mark.status for mark in row) for name, row in marks.items()} == WANTED
    next((machines[0] / "marks").rglob("*.json")).write_text("{}")
    with pytest.raises(CourseError, match="are marks of the same work, and differ"):
        merge(place, machines)
    feedback(place.assignment, marks)


def feedback(assignment, marks):
    """Every student gets a page that says what to look at; no text of theirs becomes HTML."""
    packed = zipfile.ZipFile(io.BytesIO(as_zip(assignment, marks)))
    assert as_zip(assignment, marks) == as_zip(assignment, marks)
    assert packed.namelist()[:2] == ["=cmd()/feedback.html", "=cmd()/feedback.md"]
    bob = packed.read("bob/feedback.html").decode()
    assert "2 of 3 points" in bob and "The call:    triple(2)" in bob and "Expected:    6" in bob
    assert "&#x27;week-2&#x27;" in packed.read("late week/feedback.html").decode()
    row = [replace(marks["bob"][0], text="<script>", hint="<b>"), marks["bob"][1]]
    page = as_html("<i>bob</i>", assignment, row)
    assert not any(tag in page for tag in ("<script>", "<b>", "<i>"))


def test_to_grade_again_does_only_what_is_missing_or_has_changed(folder, monkeypatch):
    grade(folder, "week-1", jobs=1, quiet=True)
    before, judged = files(folder), []
    monkeypatch.setattr(
        grade_module, "_mark_and_keep", lambda task, **_: judged.append(task) or "ok"
    )
    monkeypatch.setattr(grade_module, "ProcessPoolExecutor", InThisProcess)
    grade(folder, "week-1", jobs=1, quiet=True)
    assert judged == [] and files(folder) == before
    next((folder / "marks" / "week-1" / "ann").iterdir()).write_text("{")
    (folder / "submissions" / "week-1" / "bob.ipynb").write_text(HANDED_IN["ann"])
    grade(folder, "week-1", jobs=1, quiet=True)
    assert sorted((task.student, task.exercise) for task in judged)[-1] == (
        "bob",
        "course.triple.1",
    )
    assert len(judged) == 2
    (folder / "course.toml").write_text(SETTINGS.replace("[grading]", "[grading]\nseconds = 9"))
    grade(folder, "week-1", jobs=1, quiet=True)
    assert len(judged) == 2 + len(before)  # who was too slow before may not be so now


@pytest.mark.parametrize("name", ["..", "._ann", "a\\b", "a\nb", "a\udcff"])
def test_a_name_that_can_be_no_folders_is_refused(folder, name):
    (folder / "submissions" / "week-1" / f"{name}.ipynb").write_text("{}")
    with pytest.raises(CourseError, match="a notebook's name must be a student's"):
        grade(folder, "week-1", quiet=True)


def test_a_course_that_every_submission_could_read_is_not_graded(folder, monkeypatch):
    shown = (*bubblewrap_module.SYSTEM, str(folder.parent))
    monkeypatch.setattr(bubblewrap_module, "SYSTEM", shown)
    with pytest.raises(CourseError, match="must lie where no submission can read it"):
        grade(folder, "week-1", sandbox="best", quiet=True)
    assert files(folder) == {}


def test_an_answer_that_ends_the_graders_own_process_is_that_answers_alone(tmp_path):
    own = """
import os
from plainformer.exercises.spec import Case, Exercise
def triple(x):
    '''Three times x.'''
    os._exit(1)
EXERCISE = Exercise(id="course.triple.1", title="", reference=triple, cases=(Case((2,), 6),),
                    generate=lambda rng: (1,), hints=())
"""
    course(tmp_path, SETTINGS, own)
    new_secret(tmp_path)
    place = tmp_path / "submissions" / "week-1"
    place.mkdir(parents=True)
    for name in ("ann", "bob"):
        (place / f"{name}.ipynb").write_text(HANDED_IN["ann"])
    assert grade(tmp_path, "week-1", jobs=2, quiet=True) == {"crashed": 2, "ok": 2}
    assert "grader itself" in marks_of(tmp_path, "week-1")["ann"][0].text


SLEEP = """
import sys
from pathlib import Path
from plainformer.classroom.grade import grade
grade(Path(sys.argv[1]), "week-1", jobs=1, quiet=True)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere processes are not listed in /proc")
def test_a_grader_that_is_killed_leaves_no_process_behind(tmp_path):
    course(tmp_path, SETTINGS, OWN.replace("return 3 * x", "import time; time.sleep(60)"))
    new_secret(tmp_path)
    place = tmp_path / "submissions" / "week-1"
    place.mkdir(parents=True)
    (place / "ann.ipynb").write_text(HANDED_IN["ann"])
    grader = subprocess.Popen([sys.executable, "-c", SLEEP, str(tmp_path)])

    def processes():
        found = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                found += [path] if str(tmp_path).encode() in path.read_bytes() else []
        return len(found)

    def wait_for(number):
        deadline = time.monotonic() + 60
        while processes() != number and time.monotonic() < deadline:
            time.sleep(0.05)
        return processes()

    assert wait_for(2) == 2  # itself, and one that marks
    grader.kill()
    grader.wait()
    assert wait_for(0) == 0


class InThisProcess:
    """An executor that starts no processes, so that a test sees what is done."""

    def __init__(self, workers, **options):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def submit(self, function, *args, **options):
        from concurrent.futures import Future

        future = Future()
        future.set_result(function(*args, **options))
        return future


def test_the_command_grades_and_prints_a_table_without_formulas(folder, capsys):
    with pytest.raises(SystemExit) as caught:
        main(["--course", str(folder), "grade", "week-1", "--shard", "3/2"])
    assert caught.value.code == 2 and "got '3/2'" in capsys.readouterr().err
    assert main(["--course", str(folder), "export", "week-1"]) == 1
    assert "has no mark yet" in capsys.readouterr().err
    assert main(["--course", str(folder), "grade", "week-1", "--unsafe"]) == 0
    assert "ok: 6" in capsys.readouterr().out
    assert main(["--course", str(folder), "export", "week-1", "--unsafe"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["student"] for row in rows] == ["'=cmd()", *list(WANTED)[1:]]
    assert [row["points"] for row in rows] == ["3", "3", "2", "0", "2", "0", "0"]


def test_the_command_releases_and_says_what_is_public(folder, capsys):
    assert main(["--course", str(folder), "release", "week-1"]) == 0
    said = capsys.readouterr()
    assert "week-1.ipynb: 2 exercises" in said.out
    assert "Anyone can read the solutions of inputs.tokenization.2, because" in said.err
    assert (folder / "release" / "week-1.ipynb").is_file()
    assert main(["--course", str(folder), "release", "week-7"]) == 1
    assert "there is no assignment 'week-7'" in capsys.readouterr().err


def test_where_the_grader_fails_there_is_no_mark_and_all_others_are_marked(folder):
    course(folder, SETTINGS, OWN.replace("(int(rng.integers(9)),)", "1 / 0"))
    with pytest.raises(CourseError, match=r"4 answers have no mark.*ZeroDivisionError"):
        grade(folder, "week-1", jobs=1, quiet=True)
    assert sum(b"tokenization.2" in body for body in files(folder).values()) == 7
    course(folder, SETTINGS, OWN)
    assert grade(folder, "week-1", jobs=1, quiet=True).total() == 14


def test_a_sandbox_in_which_an_honest_answer_fails_marks_nobody(folder, monkeypatch):
    monkeypatch.setattr(grade_module, "choose", lambda *_, **__: None)
    monkeypatch.setattr(grade_module, "honest", lambda start: "crashed: it stopped")
    with pytest.raises(CourseError, match=r"nobody was marked.*\(crashed: it stopped\).*doctor"):
        grade(folder, "week-1", sandbox="best", quiet=True)
    assert files(folder) == {}


BOMB = """
import os
def triple(x):
    while True:
        try: os.fork()
        except OSError: pass
"""


def test_beside_fork_bombs_honest_answers_keep_their_marks(folder):
    if bubblewrap_module.available() and not os.environ.get("CI"):
        pytest.skip(str(bubblewrap_module.available()))
    (folder / "course.toml").write_text(SETTINGS.replace("[grading]", "[grading]\nseconds = 3"))
    place = folder / "submissions" / "week-1"
    for path in place.iterdir():
        path.unlink()
    for i in range(9):
        bombs = i in (0, 4)
        cells = {**RIGHT, "course.triple.1": BOMB} if bombs else RIGHT
        (place / f"s{i}.ipynb").write_text(notebook(cells))
    grade(folder, "week-1", jobs=3, sandbox="best", quiet=True)
    for name, row in marks_of(folder, "week-1", "best").items():
        ended = ["ok"] if name not in ("s0", "s4") else ["timeout", "memory", "crashed"]
        assert row[0].status in ended and row[1].status == "ok"


WRITERS = (
    "marks --unsafe --out x.csv",
    *("new NEW", "new --secret", "new-exercise mine", "release week-1", "grade week-1 --unsafe"),
    *("questions week-1", "merge week-1 OTHER", "feedback week-1 --unsafe", "report week-1"),
    *("export week-1 --unsafe --out x.csv", "gradescope week-1 --install x"),
    "collect OTHER --assignment week-1",
)


def test_a_dry_run_of_any_verb_writes_nothing(folder, tmp_path_factory, capsys):
    """And says what it would do; all verbs but `validate` and `doctor`, which write nothing."""
    (folder / "questions").mkdir()
    (folder / "questions" / "why.md").write_text("# Why?")
    asked = '\nquestions = [{ id = "why" }]\n'
    (folder / "course.toml").write_text(SETTINGS.rstrip() + asked)
    (folder / "manual").mkdir()
    rows = "".join(f"{name},why,1,1,,\n" for name in ("ann", "bob"))
    table = f"student,question,points,possible,comment,answer\n{rows}"
    (folder / "manual" / "week-1.csv").write_text(table)
    for path in (folder / "submissions" / "week-1").iterdir():
        if path.stem not in ("ann", "bob"):
            path.unlink()
    other = tmp_path_factory.mktemp("other")
    shutil.copytree(folder, other, dirs_exist_ok=True)
    grade(other, "week-1", jobs=1, quiet=True)
    for marked in (False, True):
        before = snapshot(folder)
        for words in WRITERS:
            line = words.replace("NEW", str(folder / "new")).replace("OTHER", str(other)).split()
            wants_marks = line[0] in ("export", "report")  # feedback says what has none yet
            status = main(["--course", str(folder), *line, "--dry-run"])
            assert status == (1 if wants_marks and not marked else 0), words
            assert snapshot(folder) == before, words
        assert "answers would be marked" in capsys.readouterr().out
        if not marked:
            shutil.copytree(other / "marks", folder / "marks")
    said = ["--course", str(folder), "grade", "week-1", "--unsafe", "--dry-run", "--json"]
    assert main(said) == 0
    assert json.loads(capsys.readouterr().out) == {"answers": 0, "of": 4, "students": {}}
    (folder / "submissions" / "week-1" / "bob.ipynb").write_text(HANDED_IN["ann"])
    assert main(said) == 0
    assert json.loads(capsys.readouterr().out)["students"] == {"bob": 1}


def snapshot(folder):
    return {path: path.is_file() and path.read_bytes() for path in folder.rglob("*")
            if "__pycache__" not in path.parts}  # fmt: skip


def test_an_assignment_that_nobody_handed_in_is_said(folder):
    with pytest.raises(CourseError, match="there is no assignment"):
        grade(folder, "week-9")
    for path in (folder / "submissions" / "week-1").iterdir():
        path.unlink()
    with pytest.raises(CourseError, match="a notebook for each student"):
        grade(folder, "week-1")

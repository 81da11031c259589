"""Gradescope: the zip that is uploaded grades a submission when its entry point is called."""

import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from tests.classroom.test_collect import own, place  # noqa: F401

from plainformer.classroom.commands import main
from plainformer.classroom.course import CourseError, load_course
from plainformer.classroom.lms.gradescope import VISIBILITY, autograder
from plainformer.classroom.lms.gradescope import run as run_autograder
from plainformer.classroom.manual import marks_in_table
from plainformer.classroom.marks import AssignmentFiles

SHELLCHECK = Path(sys.executable).parent / "shellcheck"
# What the documentation names, and of which type each is.
NUMBER = (int, float)
TOP = {
    **dict.fromkeys(("score", "execution_time"), NUMBER),
    **dict.fromkeys(("output", "visibility", "stdout_visibility"), str),
    "extra_data": dict,
    "tests": list,
    "leaderboard": list,
}
TEST = {
    **dict.fromkeys(("score", "max_score"), NUMBER),
    **dict.fromkeys(("name", "number", "output", "visibility"), str),
    "tags": list,
    "extra_data": dict,
}


def check_results(found):
    for known, body in ((TOP, found), *((TEST, test) for test in found["tests"])):
        assert all(isinstance(value, known[key]) for key, value in body.items())
        assert body["visibility"] in VISIBILITY
    assert found["score"] == sum(test.get("score", 0) for test in found["tests"])


def test_the_scripts_have_nothing_that_a_shell_could_misread(place, tmp_path):  # noqa: F811
    (place.course.folder / "questions").mkdir()
    (place.course.folder / "questions" / "plot.md").write_text("# A plot\n")
    packed = zipfile.ZipFile(io.BytesIO(autograder(place.course, place.assignment, "a b; rm -r x")))
    names = {"setup.sh", "run_autograder", "course/course.toml", "course/secret.txt"}
    names |= {"course/exercises/triple.py", "course/questions/plot.md"}
    assert set(packed.namelist()) == names
    for name in ("setup.sh", "run_autograder"):
        assert packed.getinfo(name).external_attr >> 16 & 0o777 == 0o755
        (tmp_path / name).write_bytes(packed.read(name))
        done = subprocess.run([SHELLCHECK, tmp_path / name], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout
    assert "pip install --no-cache-dir 'a b; rm -r x'" in packed.read("setup.sh").decode()


def test_what_a_person_marks_is_a_test_that_has_a_score_once_it_has_points(place, tmp_path):  # noqa: F811
    folder = place.course.folder
    (folder / "questions").mkdir()
    for name in ("why", "plot"):
        (folder / "questions" / f"{name}.md").write_text(f"# About {name}\n\nSay it.")
    asked = '\nquestions = [{ id = "why", points = 2.5 }, { id = "plot", points = 3 }]\n'
    settings = folder / "course.toml"
    settings.write_text(settings.read_text().rstrip() + asked)
    table = folder / "manual" / "week-1.csv"
    table.parent.mkdir()
    rows = "Ann@example.org,why,1.5,2.5,- good,\nann@example.org,plot,,3,,\nbob,why,2,2.5,,\n"
    table.write_text(f"student,question,points,possible,comment,answer\n{rows}")
    course = load_course(folder)
    root = tmp_path / "autograder"
    with zipfile.ZipFile(
        io.BytesIO(autograder(course, course.assignment("week-1"), "x"))
    ) as packed:
        packed.extractall(root / "source")
    there = load_course(root / "source" / "course")
    (root / "submission").mkdir()
    (root / "submission" / "work.ipynb").write_text(own(1))
    told = {"users": [{"id": 7, "email": "ann@example.org"}, {"id": 8, "email": ""}]}
    for users, score, why in ((told, 4.5, 1.5), ({"users": [{"id": 9}]}, 3, None)):
        (root / "submission_metadata.json").write_text(json.dumps(users))
        run_autograder(there, there.assignment("week-1"), root)
        found = json.loads((root / "results" / "results.json").read_text())
        check_results(found)
        assert [test["max_score"] for test in found["tests"]] == [1, 2, 2.5, 3]
        assert found["score"] == score
        assert [test.get("score") for test in found["tests"][2:]] == [why, None]
        assert found["tests"][3]["output"] == "A person will read this answer and give it points."
    with pytest.raises(CourseError, match="line 2: points must be"):
        marks_in_table(_damaged(table, course), ["x"])


def _damaged(table, course):
    table.write_text(table.read_text().replace(",1.5,", ",many,"))
    return AssignmentFiles(course, course.assignment("week-1"))


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_the_entry_point_writes_results_as_they_are_documented(place, tmp_path, capsys):  # noqa: F811
    wheel = tmp_path / "plainformer-0-py3-none-any.whl"
    wheel.write_bytes(b"a wheel")
    at = ["--course", str(place.course.folder), "gradescope", "week-1", "--visibility", "hidden"]
    assert main(at) == 1 and "needs --install" in capsys.readouterr().err
    assert main([*at, "--install", str(wheel.with_name("no.whl"))]) == 1
    assert main([*at, "--install", str(wheel)]) == 0
    root = tmp_path / "autograder"
    with zipfile.ZipFile(place.course.folder / "gradescope" / "week-1.zip") as packed:
        packed.extractall(root / "source")
        assert packed.read(wheel.name) == b"a wheel"
    # Gradescope copies this file, and makes the folders; setup.sh would have made the environment.
    command = root / "venv" / "bin" / "plainformer-class"
    command.parent.mkdir(parents=True)
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m plainformer.classroom.commands "$@"')
    command.chmod(0o755)
    for name in ("submission", "results"):
        (root / name).mkdir()
    (root / "submission" / "work.ipynb").write_text(own(1).replace("3 * x", "x"))
    (root / "submission" / "notes.txt").write_text("for myself")
    (root / "submission_metadata.json").write_text('{"id": 1, "users": [{"id": 34}, {"id": 12}]}')

    def run():
        start = ["bash", str(root / "source" / "run_autograder")]
        found = {
            **os.environ,
            "AUTOGRADER_ROOT": str(root),
            "PYTHONPATH": os.pathsep.join(sys.path),
        }
        return subprocess.run(start, cwd=root, env=found, capture_output=True, text=True)

    done = run()
    assert done.returncode == 0, done.stderr
    found = json.loads((root / "results" / "results.json").read_text())
    check_results(found)
    assert [(test["score"], test["max_score"]) for test in found["tests"]] == [(0, 1), (2, 2)]
    assert "Expected:    6" in found["tests"][0]["output"] and found["visibility"] == "hidden"
    assert not (root / "source" / "course" / "submissions").exists()
    # Nothing that can be read is a mark with a sentence; no course is no mark at all.
    (root / "submission" / "work.ipynb").write_text("{")
    assert run().returncode == 0
    found = json.loads((root / "results" / "results.json").read_text())
    check_results(found)
    assert found["score"] == 0 and "breaks off" in found["output"]
    (root / "results" / "results.json").unlink()
    (root / "source" / "course" / "secret.txt").unlink()
    done = run()
    assert done.returncode == 1 and "secret" in done.stderr
    assert not (root / "results" / "results.json").exists()

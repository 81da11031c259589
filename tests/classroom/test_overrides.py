"""A teacher's own points: they survive a regrade, and are in feedback, exports and the report."""

import csv
import json
import zipfile

import pytest
from tests.classroom.test_course import course
from tests.classroom.test_grade import RIGHT, SETTINGS, notebook

from plainformer.classroom.commands import main
from plainformer.classroom.course import CourseError, load_course, new_secret
from plainformer.classroom.marks import AssignmentFiles
from plainformer.classroom.overrides import overrides, table_of

WRONG = {**RIGHT, "course.triple.1": "def triple(x): return x"}


@pytest.fixture
def place(tmp_path):
    course(tmp_path, SETTINGS)
    new_secret(tmp_path)
    loaded = load_course(tmp_path)
    made = AssignmentFiles(loaded, loaded.assignment("week-1"))
    made.submissions.mkdir(parents=True)
    for name, answers in (("Ann Lee", WRONG), ("=bob", RIGHT)):
        (made.submissions / f"{name}.ipynb").write_text(notebook(answers))
    assert main(["--course", str(tmp_path), "grade", "week-1", "--jobs", "1"]) == 0
    return made


def run(place, *words):
    return main(["--course", str(place.course.folder), *words])


def points(place, capsys):
    capsys.readouterr()
    assert run(place, "export", "week-1") == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    return {row["student"]: (row["course.triple.1"], row["course.triple.1 status"]) for row in rows}


def test_points_by_hand_survive_a_regrade_and_are_told(place, capsys):
    most = f"{place.assignment.exercises[0].points:g}"
    assert points(place, capsys) == {"'=bob": (most, "ok"), "Ann Lee": ("0", "wrong")}
    given = ("override", "week-1", "Ann Lee", "course.triple.1", "--points", "0,5")
    assert run(place, *given, "--comment", "=The idea is right.") == 0
    assert run(place, "override", "week-1", "=bob", "course.triple.1", "--points", "0") == 0
    after = {"'=bob": ("0", "ok, by hand"), "Ann Lee": ("0.5", "wrong, by hand")}
    assert points(place, capsys) == after
    # Another answer, and every mark made anew: what a person has set stays.
    (place.submissions / "Ann Lee.ipynb").write_text(
        notebook({**WRONG, "course.triple.1": "def triple(x): return 4 * x"})
    )
    for path in place.marks.rglob("*.json"):
        path.unlink()
    assert run(place, "grade", "week-1", "--jobs", "1") == 0
    assert points(place, capsys) == after
    assert run(place, "feedback", "week-1") == 0
    with zipfile.ZipFile(place.course.folder / "feedback" / "week-1.zip") as packed:
        for file in ("feedback.md", "feedback.html"):
            page = packed.read(f"Ann Lee/{file}").decode()
            assert "Your teacher has set the points of this answer." in page
            assert "The idea is right." in page and "0.5 of" in page
    capsys.readouterr()
    assert run(place, "export", "week-1", "--json") == 0
    [ann] = [row for row in json.loads(capsys.readouterr().out) if row["student"] == "Ann Lee"]
    assert ann["marks"][0]["by_hand"] and "idea" in ann["marks"][0]["comment"]
    assert run(place, "report", "week-1", "--json") == 0
    mean = json.loads(capsys.readouterr().out)["mean"]
    assert run(place, "override", "week-1") == 0
    assert "Ann Lee, course.triple.1: 0.5 =The idea is right." in capsys.readouterr().out
    assert run(place, "override", "week-1", "=bob", "course.triple.1", "--remove") == 0
    assert points(place, capsys)["'=bob"] == (most, "ok")
    assert run(place, "report", "week-1", "--json") == 0
    assert json.loads(capsys.readouterr().out)["mean"] > mean


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("Ann Lea", "course.triple.1", "--points", "1"), "did you mean 'Ann Lee'"),
        (("Ann Lee", "course.tripel.1", "--points", "1"), "did you mean 'course.triple.1'"),
        (("Ann Lee", "course.triple.1", "--points", "99"), "points must be a number from 0 to"),
        (("Ann Lee", "course.triple.1", "--points", "nan"), "points must be a number from 0 to"),
        (("Ann Lee", "course.triple.1", "--remove"), "was not set by hand"),
        (("--points", "1"), "needs a student and an exercise"),
    ],
)
def test_what_cannot_be_set_is_said(place, capsys, words, said):
    assert run(place, "override", "week-1", *words) == 1
    assert said in capsys.readouterr().err and not table_of(place).exists()


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("student,points\n", "line 1: there is no column comment, exercise"),
        ("student,exercise,points,comment\nA,course.triple.1,9e9,\n", "line 2: points must be"),
        ("student,exercise,points,comment\nA,no,1,\n", "line 2: week-1 has no exercise 'no'"),
        ("student;exercise;points;comment\n" + 2 * "A;course.triple.1;0;\n", "is there twice"),
    ],
)
def test_a_table_that_somebody_edited_is_read_or_named_with_its_line(place, table, said):
    table_of(place).parent.mkdir()
    table_of(place).write_text(table)
    with pytest.raises(CourseError, match=said):
        overrides(place)

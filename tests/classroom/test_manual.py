"""What a person marks: asked in the notebook, filled in by hand, and beside the other marks."""

import csv
import io
import json
import re
import zipfile

import nbformat
import pytest
from tests.classroom.test_course import course
from tests.classroom.test_grade import RIGHT, SETTINGS, notebook

from plainformer.classroom.commands import main
from plainformer.classroom.course import CourseError, load_course, new_secret
from plainformer.classroom.lms.gradescope import autograder
from plainformer.classroom.manual import question_marks, sheet
from plainformer.classroom.marks import AssignmentFiles
from plainformer.classroom.release import release

ASKED = SETTINGS + (
    'questions = [{ id = "why", points = 2.5 }, { id = "heat_map", points = 3, code = true }]\n'
)


@pytest.fixture
def folder(tmp_path):
    course(tmp_path, ASKED)
    new_secret(tmp_path)
    (tmp_path / "questions").mkdir()
    for name in ("why", "heat_map"):
        (tmp_path / "questions" / f"{name}.md").write_text(f"# About {name}\n\nSay *why*.\n")
    for name, said in (("ann", "=1+1, because"), ("bob", ""), ("=cmd()", "é" * 3000)):
        written = json.loads(notebook(RIGHT))
        told = {"nbgrader": {"grade_id": "written-why"}}  # as an editor that renews ids leaves it
        written["cells"] += [{"cell_type": "markdown", "id": "x", "metadata": told, "source": said}]
        path = tmp_path / "submissions" / "week-1" / f"{name}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(written))
    (path.parent / "cut.ipynb").write_text("{")
    return tmp_path


def run(folder, *words):
    return main(["--course", str(folder), *words])


def place(folder):
    found = load_course(folder)
    return AssignmentFiles(found, found.assignment("week-1"))


def rows_of(path):
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"))))


def fill(path, delimiter=",", points="2,5"):
    """Fill the table in as a spreadsheet leaves it."""
    rows = rows_of(path)
    for row in rows:
        row["points"] = row["points"] or (points if row["question"] == "why" else "3")
        row["comment"] = "- good"
    file = io.StringIO()
    writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    path.write_bytes(file.getvalue().encode())


def test_a_question_has_a_cell_that_nbgrader_knows(folder):
    cells = nbformat.reads(release(*_course(folder)), 4).cells
    found = {cell.id: cell for cell in cells}
    assert "## 3. About why (2.5 points)\n\nSay *why*." in found["task-why"].source
    kinds = {name: cell.cell_type for name, cell in found.items() if name.startswith("written")}
    assert kinds == {"written-why": "markdown", "written-heat_map": "code"}
    told = {each.id: each.metadata["nbgrader"] for each in cells if "nbgrader" in each.metadata}
    common = {"schema_version": 3, "locked": False, "solution": True, "task": False, "grade": True}
    solution = {**common, "grade": False}  # has no points by itself
    assert told == {
        "answer-course-triple-1": {**solution, "grade_id": "answer-course-triple-1"},
        "answer-inputs-tokenization-2": {**solution, "grade_id": "answer-inputs-tokenization-2"},
        "written-why": {**common, "points": 2.5, "grade_id": "written-why"},
        "written-heat_map": {**common, "points": 3, "grade_id": "written-heat_map"},
    }
    assert "8.5 points" in found["title"].source


def _course(folder):
    found = load_course(folder)
    return found, found.assignment("week-1")


def test_marks_go_round_by_way_of_a_table(folder, capsys):
    assert run(folder, "grade", "week-1") == 0
    assert run(folder, "export", "week-1") == 1
    assert "`plainformer-class questions week-1` writes it" in capsys.readouterr().err
    assert run(folder, "questions", "week-1") == 0
    path = sheet(place(folder))
    assert f"{path}: 8 answers have no points yet" in capsys.readouterr().out
    rows = rows_of(path)
    assert [(row["student"], row["question"], row["possible"]) for row in rows[:3]] == [
        ("'=cmd()", "why", "2.5"), ("'=cmd()", "heat_map", "3"), ("ann", "why", "2.5"),
    ]  # fmt: skip
    assert rows[2]["answer"] == "'=1+1, because" and len(rows[0]["answer"]) == 2000
    assert run(folder, "export", "week-1") == 1
    assert "'s why has no points yet" in capsys.readouterr().err
    assert run(folder, "feedback", "week-1") == 0  # possible before all is marked
    assert "8 answers have no points yet" in capsys.readouterr().err
    with zipfile.ZipFile(folder / "feedback" / "week-1.zip") as packed:
        for name in ("feedback.html", "feedback.md"):
            page = packed.read(f"ann/{name}").decode()
            assert "3 of 3 points so far; answers for 5.5 more are not marked yet" in page
            assert "Not marked yet." in page
    fill(path, delimiter=";")
    assert run(folder, "questions", "week-1") == 0  # what was filled in stays
    assert "0 answers have no points yet" in capsys.readouterr().out
    assert run(folder, "export", "week-1") == 0
    table = {row["student"]: row for row in csv.DictReader(io.StringIO(capsys.readouterr().out))}
    assert (table["ann"]["points"], table["ann"]["possible"]) == ("8.5", "8.5")
    assert (table["ann"]["why"], table["cut"]["course.triple.1"]) == ("2.5", "0")
    assert run(folder, "feedback", "week-1") == 0
    packed = zipfile.ZipFile(folder / "feedback" / "week-1.zip")
    for name in ("feedback.html", "feedback.md"):
        page = packed.read(f"ann/{name}").decode()
        assert "About heat_map" in page and "- good" in page and "8.5 of 8.5 points" in page


def test_the_report_counts_them_once_all_have_points(folder, capsys):
    run(folder, "grade", "week-1")
    assert run(folder, "report", "week-1") == 0
    page = folder / "report" / "week-1.html"
    assert "8 answers to questions have no points yet" in page.read_text()
    assert "4 students, 3 points" in page.read_text() and "About why" not in page.read_text()
    run(folder, "questions", "week-1")
    path = sheet(place(folder))
    fill(path)
    path.write_text(path.read_text().replace('ann,why,"2,5"', "ann,why,1").replace(
        'bob,why,"2,5"', "bob,why,0"))  # fmt: skip
    assert run(folder, "report", "week-1") == 0
    text = page.read_text()
    assert "4 students, 8.5 points" in text and "no points yet" not in text
    row = text.partition('<th scope="row">About why')[2].partition("</tr>")[0]
    assert re.findall(r'<td class="n">([\d.]+)</td>', row) == ["2", "1", "1", "1.5"]


def test_a_worksheet_of_moodle_gets_them_too(folder, capsys):
    run(folder, "grade", "week-1")
    run(folder, "questions", "week-1")
    fill(sheet(place(folder)))
    worksheet = folder / "grades.csv"
    worksheet.write_text(
        "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Feedback comments\n"
        "Participant 7,ann,ann@example.org,Submitted,,8.50,\n"
    )
    assert run(folder, "export", "week-1", "--moodle", str(worksheet)) == 0
    (row,) = rows_of(folder / "export" / "week-1-grades.csv")
    assert row["Grade"] == "8.5"
    assert "About why: 2.5 of 2.5 points. - good" in row["Feedback comments"]


def test_gradescope_gets_a_whole_course(folder, tmp_path_factory):
    found = load_course(folder)
    zipped = io.BytesIO(autograder(found, found.assignment("week-1"), "plainformer"))
    there = tmp_path_factory.mktemp("there")
    zipfile.ZipFile(zipped).extractall(there)
    week = load_course(there / "course").assignment("week-1")
    assert [each.id for each in week.questions] == ["why", "heat_map"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("2.5,", "2.6,", r"line 2: points must be a number from 0 to 2\.5; got '2\.6'"),
        ("2.5,", "nan,", "line 2: points must be"),
        ("2.5,", "=1,", "line 2: points must be"),
        ("bob,why,", "ann,why,", "line 6: ann's why is there twice"),
        ("bob,why,", "bob,wy,", "line 6: week-1 has no question 'wy'"),
        ("comment", "Comment", "line 1: there is no column comment"),
    ],
)
def test_a_mistake_in_the_table_is_named_with_its_line(folder, old, new, said):
    run(folder, "questions", "week-1")
    path = sheet(place(folder))
    fill(path, points="2.5")
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(CourseError, match=said):
        question_marks(place(folder), ["ann", "bob"])


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"why"', '"whi"', r"line 7: .*whi\.md must be a text file"),
        ('"why"', '"../x"', "line 7: a question's id must be"),
        ('"why"', '"heat_map"', "line 7: .*asks heat_map twice"),
        ("code = true", "code = 1", "line 7: code must be true or false"),
        ("points = 3", "pionts = 3", "line 7: .*did you mean 'points'"),
        ('{ id = "why", points = 2.5 }', '"why"', "line 7: a question must be"),
    ],
)
def test_a_mistake_in_the_settings_is_named_with_its_line(folder, old, new, said):
    (folder / "course.toml").write_text(ASKED.replace(old, new))
    with pytest.raises(CourseError, match=said):
        load_course(folder)


def test_a_question_without_a_title_and_an_assignment_without_questions_are_named(folder, capsys):
    (folder / "questions" / "why.md").write_text("Why?")
    with pytest.raises(CourseError, match="must begin with its title"):
        load_course(folder)
    (folder / "course.toml").write_text(SETTINGS)
    assert run(folder, "questions", "week-1") == 1
    assert "has no questions that a person marks" in capsys.readouterr().err

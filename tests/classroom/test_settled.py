"""Settings to marks: lateness, more time, groups and deductions, each said with its reason."""

import csv
import io
import json
import zipfile

import pytest
from tests.classroom.test_course import course
from tests.classroom.test_grade import RIGHT, notebook

from plainformer.classroom import settled as settled_module
from plainformer.classroom import verbs_of_feedback, weeks
from plainformer.classroom.collect import collect
from plainformer.classroom.commands import main
from plainformer.classroom.course import CourseError, load_course, new_secret
from plainformer.classroom.judge import Mark
from plainformer.classroom.lms.moodle import fill_worksheet
from plainformer.classroom.marks import AssignmentFiles
from plainformer.classroom.people import people, unknown_names
from plainformer.classroom.settled import settle
from plainformer.classroom.times import read_times

FIRST, SECOND = "course.triple.1", "inputs.tokenization.2"
SETTINGS = """\
[course]
name = "Tests"

[grading]
sandbox = "unsafe"

[grading.late]
per_day = 0.1
grace_minutes = 15
most = 0.5

[students."Bo"]
extra_hours = 48

[students."Cy"]
deadlines = { week-1 = 2026-12-06T18:00:00+01:00 }
exempt = ["week-2"]

[groups]
red = ["Dan", "Eve", "Fay"]

[assignments.week-1]
due = 2026-12-04T18:00:00+01:00
exercises = [{ id = "course.triple.1", points = 4 }]
questions = [{ id = "why", points = 2 }]
groups = true

[assignments.week-1.rubric."course.triple.1"]
"a magic number" = 0.5
"no name" = 1

[assignments.week-1.rubric.why]
"too short" = 0.5

[assignments.week-2]
exercises = [{ id = "course.triple.1", points = 2 }]
late = false
"""
WHEN = {
    "Ann": "2026-12-05T20:00:00+01:00",  # a day and two hours late
    "Bo": "2026-12-05T20:00:00+01:00",
    "Cy": "2026-12-06T18:10:00+01:00",
    "Dan": "2026-12-10T18:00:01+01:00",
    "Gus": "2026-12-04T18:15:00+01:00",
}


@pytest.fixture
def folder(tmp_path):
    course(tmp_path, SETTINGS)
    new_secret(tmp_path)
    (tmp_path / "questions").mkdir()
    (tmp_path / "questions" / "why.md").write_text("# Why\n\nSay why.\n")
    for week, names in (("week-1", [*WHEN, "Eve"]), ("week-2", ["Ann", "Bo", "Hal"])):
        place = tmp_path / "submissions" / week
        place.mkdir(parents=True)
        rows = []
        for name in names:
            book = json.loads(notebook({FIRST: RIGHT[FIRST]}, week))
            book["cells"].append({"cell_type": "markdown", "id": "written-why", "source": name})
            (place / f"{name}.ipynb").write_text(json.dumps(book))
            when = WHEN.get(name, "") if week == "week-1" else ""
            rows.append({"student": name, "status": "collected", "name": name, "when": when})
        (place / "collected.json").write_text(json.dumps(rows))
    return tmp_path


def place_of(folder, week="week-1"):
    found = load_course(folder)
    return AssignmentFiles(found, found.assignment(week))


def judged(place, points):
    most = place.assignment.exercises[0].points
    return {name: [Mark(FIRST, "ok", each, most)] for name, each in points.items()}


def give(folder, *words):
    assert main(["--course", str(folder), "override", "week-1", *words]) == 0


EVERYBODY = {"Ann": 4, "Bo": 4, "Cy": 4, "Dan": 4, "Eve": 1.5, "Gus": 4}


@pytest.fixture
def found(folder):
    for name in EVERYBODY:
        give(folder, name, "why", "--points", "2")
    place = place_of(folder)
    return settle(place, judged(place, EVERYBODY))


def test_everybody_gets_what_the_settings_say(found):
    points = {name: [mark.points for mark in row] for name, row in found.marks.items()}
    assert points == {
        "Ann": [3.2, 1.6],  # two days have begun
        "Bo": [4, 2],  # has two days more
        "Cy": [4, 2],  # has an own deadline, and ten minutes are within the grace
        "Dan": [2, 1],  # seven days, and half is the most
        "Eve": [1.5, 2],  # handed in on her own, and better than the late answers of the group
        "Fay": [1.5, 2],
        "Gus": [4, 2],  # a quarter of an hour is within the grace
    } | {"Dan": [1.5, 2]}
    assert found.handed_in_by["Fay"] == "Eve" and found.waiting == []
    (why, lost) = found.marks["Ann"][0].taken[0]
    assert lost == 0.8 and why == (
        "handed in 1 day 2 hours late: 10 % for each day that has begun, 20 % in all"
    )
    notes = {name: " ".join(said) for name, said in found.notes.items()}
    assert "That is 1.2 points." in notes["Ann"]
    assert notes["Bo"] == "Your own deadline was 2026-12-06 18:00."
    assert "It was 10 minutes late, for which nothing is taken off." in notes["Cy"]
    assert "The answers of Eve count for you: of your group, Dan, Eve handed in." in notes["Fay"]


def test_a_deduction_of_the_rubric_is_taken_before_lateness_and_told(folder, capsys):
    give(folder, "Ann", FIRST, "--rubric", "no name", "--rubric", "a magic number")
    give(folder, "Gus", FIRST, "--points", "3,5", "--rubric", "no name", "--comment", "-1 for it")
    give(folder, "Gus", "why", "--rubric", "too short", "--comment", "=More, please.")
    give(folder, "Fay", FIRST, "--points", "0", "--comment", "Fay was not there.")
    place = place_of(folder)
    got = settle(place, judged(place, EVERYBODY))
    assert got.marks["Ann"][0].points == 2 and len(got.marks["Ann"][0].taken) == 3
    assert [mark.points for mark in got.marks["Gus"]] == [2.5, 1.5]
    assert got.marks["Gus"][0].comment == "-1 for it"
    assert got.marks["Gus"][1].text == "=More, please."
    assert got.marks["Eve"][0].points == 2 and got.marks["Fay"][0].points == 0
    assert ("Ann", "why") in got.waiting and ("Gus", "why") not in got.waiting
    give(folder)
    assert "Gus, course.triple.1: 3.5 [no name] -1 for it" in capsys.readouterr().out
    table = folder / "manual" / "week-1-overrides.csv"
    assert "'-1 for it" in table.read_text("utf-8-sig") and "'=More" in table.read_text("utf-8-sig")
    words = ["--course", str(folder), "override", "week-1", "Gus", FIRST, "--rubric", "no nam"]
    assert main(words) == 1
    assert "has no 'no nam'; did you mean 'no name'?" in capsys.readouterr().err


def test_a_table_of_before_rubrics_is_read(folder):
    (folder / "manual").mkdir()
    (folder / "manual" / "week-1-overrides.csv").write_text(
        "student,exercise,points,comment\nAnn,course.triple.1,1,fine\n"
    )
    place = place_of(folder)
    assert settle(place, judged(place, {"Ann": 4})).marks["Ann"][0].points == 0.8


@pytest.fixture
def marked(folder, monkeypatch):
    """The course, with marks as the judge would have given them."""
    given = {"week-1": EVERYBODY, "week-2": {"Ann": 1, "Bo": 2, "Hal": 2}}

    def marks(folder, week, sandbox=None, *, partial=False):
        place = place_of(folder, week)
        return judged(place, given[week])

    monkeypatch.setattr(settled_module, "judged_marks", marks)
    return folder


def test_marks_of_all_weeks_are_one_table(marked, capsys):
    for name in EVERYBODY:
        give(marked, name, "why", "--points", "2")
    capsys.readouterr()
    assert main(["--course", str(marked), "marks"]) == 0
    said = capsys.readouterr()
    rows = {row["student"]: row for row in csv.DictReader(io.StringIO(said.out))}
    assert [*rows] == ["Ann", "Bo", "Cy", "Dan", "Eve", "Fay", "Gus", "Hal"]
    assert (rows["Ann"]["week-1"], rows["Ann"]["week-2"], rows["Ann"]["points"]) == (
        "4.8", "1", "5.8",
    )  # fmt: skip
    assert rows["Ann"]["percent"] == "72.5" and "1 day 2 hours late" in rows["Ann"]["said"]
    assert (rows["Cy"]["week-2"], rows["Cy"]["possible"], rows["Cy"]["percent"]) == ("", "6", "100")
    assert "week-2: exempt" in rows["Cy"]["said"]
    assert (rows["Hal"]["week-1"], rows["Hal"]["percent"]) == ("0", "25")
    assert "Fay" in said.err and "speaks of students" in said.err
    assert main(["--course", str(marked), "marks", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["students"]["Bo"]["points"] == 8 and told["waiting"] == 0


def test_a_gradebook_gets_the_columns_of_all_weeks(marked, capsys):
    for name in EVERYBODY:
        give(marked, name, "why", "--points", "2")
    sheet = marked / "book.csv"
    sheet.write_text(
        "Student,ID,SIS Login ID,Section,Quiz (7),week-1 (31),week-2 (32)\n"
        "Points Possible,,,,10,6,4\nLee,1,Ann,One,9,,\nChen,2,Bo,One,9,1,1\n"
    )
    assert main(["--course", str(marked), "marks", "--canvas", str(sheet)]) == 0
    assert "2 assignments, 2 rows" in capsys.readouterr().out
    assert (marked / "export" / "marks-book.csv").read_text() == (
        "Student,ID,SIS Login ID,Section,week-1 (31),week-2 (32)\n"
        "Points Possible,,,,6,4\nLee,1,Ann,One,4.8,2\nChen,2,Bo,One,6,4\n"
    )


def test_feedback_says_all_of_it_and_shows_the_answer(marked, capsys):
    give(marked, "Ann", FIRST, "--rubric", "a magic number")
    capsys.readouterr()
    assert main(["--course", str(marked), "feedback", "week-1", "--weeks"]) == 0
    assert "6 answers have no points yet" in capsys.readouterr().err
    with zipfile.ZipFile(marked / "feedback" / "week-1.zip") as packed:
        for file in ("feedback.html", "feedback.md"):
            page = packed.read(f"Ann/{file}").decode()
            assert "2.8 of 4 points so far; answers for 2 more are not marked yet" in page
            assert "0.5 points off: a magic number" in page
            assert "0.7 points off: handed in 1 day 2 hours late" in page
            assert "Not marked yet." in page and "All weeks so far" in page
            assert "week-2: 1 of 2 points" in page and "Together: 3.8 of 6 points" in page
        assert "def triple(x): return 3 * x" in packed.read("Fay/feedback.md").decode()
        assert "pre-wrap" in packed.read("Fay/feedback.html").decode()


def test_a_worksheet_of_moodle_says_why_points_are_missing(found):
    sheet = b"Identifier,Full name,Grade,Feedback comments\nParticipant 7,Ann,,\n"
    filled = fill_worksheet(sheet, found.place.assignment, found.marks, {})
    text = filled.data.decode()
    assert "Participant 7,Ann,4.8," in text and "0.8 points off: handed in 1 day 2 hours" in text


def test_the_report_says_what_was_taken_off(marked, capsys, monkeypatch):
    monkeypatch.setattr("plainformer.classroom.verbs_of_lms.judged_marks", lambda *_, **__: {})
    assert main(["--course", str(marked), "report", "week-1"]) == 0
    page = (marked / "report" / "week-1.html").read_text()
    assert "What was taken off" in page and "handed in 1 day 2 hours late" in page
    assert "What holds for single students" in page and "Your own deadline was" in page


def test_nothing_is_guessed_where_nothing_says_when_it_came(folder):
    place = place_of(folder)
    rows = json.loads((place.submissions / "collected.json").read_text())
    for row in rows:
        row["when"], row["late"] = "", True
    (place.submissions / "collected.json").write_text(json.dumps(rows))
    got = settle(place, judged(place, EVERYBODY))
    assert got.marks["Ann"][0].points == 4 and "nothing says by how much" in got.notes["Ann"][0]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("per_day = 0.1", "per_day = 10", "line 8: per_day must be a number, from 0 to 1"),
        ("per_day = 0.1", "per_week = 0.1", "line 8: there is no setting 'per_week' here"),
        ("per_day = 0.1", "", "late must have either per_day or per_hour"),
        ("most = 0.5", 'of = "all"', 'line 10: of must be "earned" or "possible"'),
        ("extra_hours = 48", "extra_hours = -1", "line 13: extra_hours must be a number"),
        ("{ week-1 = 2", "{ week-3 = 2", "line 16: there is no assignment .week-3.; did you"),
        ("+01:00 }", " }", "line 16: week-1 must be a date and a time with its zone"),
        ('["week-2"]', '["week-9"]', "line 17: there is no assignment 'week-9'"),
        ('"Eve", "Fay"', '"Dan"', "Dan is in red and in red"),
        ('"Eve", "Fay"]', '3]', "line 20: the group red must be a list"),
        ('.rubric."course.triple.1"', '.rubric."course.tripel.1"', "mean 'course.triple.1'"),
        ('"no name" = 1', '"no name" = "1"', "line 30: no name must be a number, 0 or more"),
        ('"no name"', '"no; name"', "a deduction's name must be a line without ;"),
        ("groups = true", "groups = 3", "line 26: groups must be true, or a table"),
        ("late = false", "late = 1", "line 37: late must be a table, or false"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_rules_is_named_with_its_line(folder, old, new, said):
    assert old in SETTINGS
    (folder / "course.toml").write_text(SETTINGS.replace(old, new, 1))
    with pytest.raises(CourseError, match=said):
        load_course(folder)


def test_when_it_came_is_collected_and_late_is_after_ones_own_deadline(folder, tmp_path_factory):
    place, source = place_of(folder), tmp_path_factory.mktemp("source")
    for name in ("Ann", "Bo"):
        (source / f"{name}.ipynb").write_text(notebook({FIRST: f"{RIGHT[FIRST]}  # {name}"}))
    table = source / "times.csv"
    table.write_text("student,time\nAnn,2026-12-05 20:00\nBo,2026-12-05 20:00\n")
    times = read_times(table, place.assignment.due)
    table.unlink()
    rows = {row.student: row for row in collect(place, [source], quiet=True, times=times)}
    assert {name: row.when for name, row in rows.items()} == dict.fromkeys(rows, WHEN["Ann"])
    assert rows["Ann"].late and rows["Ann"].status == "late"
    assert not rows["Bo"].late and rows["Bo"].status == "collected"
    assert settle(place, judged(place, {"Ann": 4})).marks["Ann"][0].points == 3.2


def test_a_person_is_known_by_name_where_moodle_adds_a_number(folder):
    place = place_of(folder)
    rows = [
        {"student": f"{name} {number}", "status": "collected", "name": name, "id": str(number),
         "lms": "moodle", "when": WHEN["Ann"]}
        for name, number in (("Bo", 7), ("Dan", 8), ("Ann", 1), ("Ann", 2))
    ]  # fmt: skip
    (place.submissions / "collected.json").write_text(json.dumps(rows))
    names = [row["student"] for row in rows]
    assert people(place, names) == {
        "Bo 7": "Bo", "Dan 8": "Dan", "Ann 1": "Ann 1", "Ann 2": "Ann 2",
    }  # fmt: skip
    got = settle(place, judged(place, dict.fromkeys(names, 4)))
    assert {name: row[0].points for name, row in got.marks.items()} == {
        "Ann 1": 3.2, "Ann 2": 3.2, "Bo 7": 4, "Dan 8": 3.2, "Eve": 3.2, "Fay": 3.2,
    }  # fmt: skip
    assert unknown_names(place.course, got.people) == ["Cy"]
    for path in place.submissions.glob("*.ipynb"):
        path.unlink()
    for name in names:
        (place.submissions / f"{name}.ipynb").write_text("{}")
    for name, status in (("Dan", 1), ("Dan 8", 0), ("Eve", 0)):
        words = ["override", "week-1", name, FIRST, "--points", "1"]
        assert main(["--course", str(folder), *words]) == status


def test_modules_that_a_test_replaces_are_those_that_are_used():
    assert weeks.settled is settled_module.settled
    assert verbs_of_feedback.settled is settled_module.settled

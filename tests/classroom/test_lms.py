"""There and back: what Moodle and Canvas gave out comes back as they take it, and nothing else."""

import contextlib
import csv
import io
import json
import re
import shutil
import zipfile
from types import SimpleNamespace

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st
from tests.classroom.test_collect import moodle, own, place, zipped  # noqa: F401
from tests.classroom.test_course import course
from tests.classroom.test_grade import SETTINGS

from plainformer.classroom.collect import collect, collected
from plainformer.classroom.commands import main
from plainformer.classroom.course import Assignment, CourseError, new_secret
from plainformer.classroom.judge import Mark
from plainformer.classroom.lms.canvas import fill_gradebook
from plainformer.classroom.lms.moodle import fill_worksheet
from plainformer.classroom.lms.sheet import Sheet
from plainformer.classroom.record import Collected

# As Moodle writes it: a mark at the start, quotation marks where there is a blank, \r\n.
WORKSHEET = (
    '\ufeffIdentifier,"Full name","Email address",Status,Grade,"Maximum grade",'
    '"Grade can be changed","Last modified (submission)","Last modified (grade)",'
    '"Feedback comments"\r\n'
    '"Participant 1","Ann Lee",ann@x.org,"Submitted for grading - ",,100.00,Yes,'
    '"Friday, 4 December 2026, 5:00 PM",-,\r\n'
    '"Participant 2","Ann Lee",lee@x.org,"Submitted for grading",40.00,100.00,Yes,-,-,"<p>old</p>"'
    '\r\n"Participant 3","Bob ""B."" Roe",bob@x.org,Submitted,,100.00,Yes,-,-,\r\n'
    '"Participant 9",@SUM(A1),no@x.org,"No submission",,100.00,Yes,-,-,"a,\r\nb"\r\n'
)
ASSIGNMENT = Assignment(
    "week-1", "Attention & more", None,
    tuple(SimpleNamespace(title=title) for title in ("Three times", "Merge")),
)  # fmt: skip
GRADEBOOK = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Quiz (7),Attention & more (31),Current Score\n"
    ",,,,,,Manual Posting,\n"
    "    Points Possible,,,,,10.00,6.00,(read only)\n"
    '"Lee, Ann",4711,S1,ann,"One, and ""two""",9.00,,90\n'
    '"=cmd(), Bo",12,S2,bo,One,8.00,1.00,80\n'
    '"No, One",13,S3,no,One,7.00,EX,70\n'
    '"Student, Test",99,,f00,One,,,\n'
)


def marks(students, wrong=()):
    """Everybody's marks of an assignment of one point and two."""
    return {
        name: [
            Mark("course.triple.1", "wrong" if name in wrong else "ok", name not in wrong, 1,
                 hint="Is <three> & 2 enough?" if name in wrong else None),
            Mark("inputs.tokenization.2", "ok", 2, 2),
        ]
        for name in students
    }  # fmt: skip


@pytest.fixture
def from_moodle(place, tmp_path):  # noqa: F811
    people = (("Ann Lee", 1), ("Ann Lee", 2), ("Bob B. Roe", 3), ("Zed", 77))
    files = [(moodle(*person), own(person[1])) for person in people]
    collect(place, [zipped(tmp_path / "a.zip", files)], quiet=True)
    return place


def test_a_worksheet_is_filled_and_every_other_byte_stays(from_moodle):
    known = collected(from_moodle)
    given = marks(known, wrong=["Ann Lee 2"])
    filled = fill_worksheet(WORKSHEET.encode(), from_moodle.assignment, given, known)
    assert (filled.rows, filled.scaled, filled.without) == (3, True, ["Zed 77"])
    text = filled.data.decode()
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))
    assert [row["Grade"] for row in rows] == ["100", "66.66667", "100", ""]
    assert "A hint: Is &lt;three&gt; &amp; 2 enough?" in rows[1]["Feedback comments"]
    assert rows[1]["Feedback comments"].startswith("2 of 3 points<br>")
    # Take what was filled in out again: nothing else changed.
    sheet, before = Sheet(filled.data), Sheet(WORKSHEET.encode())
    for i in range(1, len(before)):
        for column in (4, 9):
            sheet.cells[i][column] = before.cells[i][column]
    assert sheet.data() == WORKSHEET.encode()
    # Other bytes than UTF-8, and a comma in numbers.
    other = WORKSHEET[1:].replace("Bob", "Böb").replace("100.00", '"3,00"').encode("latin-1")
    filled = fill_worksheet(other, from_moodle.assignment, given, known)
    assert b"B\xf6b" in filled.data and not filled.scaled
    with pytest.raises(CourseError, match=r"must have a column 'Identifier'; .*English"):
        fill_worksheet(WORKSHEET.replace("Identifier", "ID").encode(), from_moodle.assignment,
                       given, known)  # fmt: skip


@drawn(st.binary(max_size=60) | st.text(alphabet='a",;\r\n\ufeff', max_size=30).map(str.encode))
def test_a_table_that_is_only_read_stays_byte_for_byte(data):
    assert Sheet(data).data() == data


@drawn(st.sampled_from([WORKSHEET, GRADEBOOK]), st.lists(st.integers(0, 700)), st.data())
def test_a_table_that_somebody_cut_is_filled_or_refused(text, cuts, data):
    for at in cuts[:5]:
        text = text[:at] + text[at + data.draw(st.integers(1, 40)) :]
    given, known = marks(["Ann 1", "Bo 12"]), {}
    for name, lms, number in (("Ann 1", "moodle", "1"), ("Bo 12", "canvas", "12")):
        known[name] = Collected(name, "collected", lms=lms, id=number, name=name)
    for fill in (fill_worksheet, fill_gradebook):
        with contextlib.suppress(CourseError):
            fill(text.encode(), ASSIGNMENT, given, known)


def test_teams_get_the_marks_of_their_group_and_never_of_a_number(from_moodle):
    teams = (
        "Identifier,Full name,Group,Grade\nParticipant 1,Xi,Zed,\nParticipant 3,Yu,Zed,\n"
        "Participant 77,Zo,Other,\n"
    )
    known = collected(from_moodle)
    filled = fill_worksheet(teams.encode(), from_moodle.assignment, marks(["Zed 77"]), known)
    assert filled.data.decode().splitlines()[1:] == [
        "Participant 1,Xi,Zed,3", "Participant 3,Yu,Zed,3", "Participant 77,Zo,Other,",
    ]  # fmt: skip


def test_whoever_came_another_way_is_found_by_a_name_that_is_one_persons(from_moodle):
    given = marks(["ann lee", "BOB@x.org"])
    filled = fill_worksheet(WORKSHEET.encode(), from_moodle.assignment, given, {})
    assert filled.without == ["ann lee"] and b"bob@x.org,Submitted,3," not in filled.data
    assert filled.rows == 1 and b"bob@x.org,Submitted,100,100.00" in filled.data


def test_a_gradebook_comes_back_with_one_column_and_its_own_rows(place, tmp_path):  # noqa: F811
    files = [("leeann_4711_98_week-1.ipynb", own(1)), ("bo_LATE_12_99_week-1.ipynb", own(2))]
    collect(place, [zipped(tmp_path / "a.zip", files)], quiet=True)
    known = collected(place)
    given = marks([*known, "someone"], wrong=["bo 12"])
    filled = fill_gradebook(GRADEBOOK.encode(), place.assignment, given, known, "31")
    assert (filled.rows, filled.scaled, filled.without) == (2, True, ["someone"])
    assert filled.data.decode() == (
        "Student,ID,SIS User ID,SIS Login ID,Section,Attention & more (31)\n"
        ",,,,,Manual Posting\n"
        "    Points Possible,,,,,6.00\n"
        '"Lee, Ann",4711,S1,ann,"One, and ""two""",6\n'
        '"\'=cmd(), Bo",12,S2,bo,One,4\n'
        '"No, One",13,S3,no,One,EX\n'
        '"Student, Test",99,,f00,One,\n'
    )
    same = fill_gradebook(GRADEBOOK.encode(), place.assignment, given, known, "Attention & more")
    assert same.data == filled.data
    with pytest.raises(CourseError, match=r"name it with --column. It has 'Quiz \(7\)'"):
        fill_gradebook(GRADEBOOK.encode(), place.assignment, given, known)
    with pytest.raises(CourseError, match="must have the columns 'ID' and 'Section'"):
        fill_gradebook(WORKSHEET.encode(), place.assignment, given, known)


def as_moodle_finds_it(path):
    """The participant and the file's own name, read as Moodle's importer describes it."""
    first, _, rest = path.partition("/")
    parts = first.split("_", 4)
    assert len(parts) >= 4 and parts[2:4] == ["assignsubmission", "file"]
    return int(parts[1]), rest


def test_feedback_goes_back_under_the_names_that_the_system_gave(from_moodle, tmp_path, capsys):
    folder = str(from_moodle.course.folder)
    canvas = zipped(tmp_path / "c.zip", [("roe_LATE_12_99_week-1.ipynb", own(9))])
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "zoe.ipynb").write_text(own(8))
    collect(from_moodle, [canvas, plain], quiet=True)
    sheet = tmp_path / "grades.csv"
    sheet.write_text(WORKSHEET, newline="")
    assert main(["--course", folder, "grade", "week-1", "-j", "2", "--json"]) == 0
    assert '"ok": 12' in capsys.readouterr().out
    assert main(["--course", folder, "feedback", "week-1"]) == 0
    packed = zipfile.ZipFile(from_moodle.course.folder / "feedback" / "week-1.zip")
    names = [name for name in packed.namelist() if name.endswith(".html")]
    assert {as_moodle_finds_it(name) for name in names if "assignsubmission" in name} == {
        (number, "feedback.html") for number in (1, 2, 3, 77)
    }
    (other,) = (name for name in names if name.startswith("roe"))
    assert re.findall(r"_(\d+)(?=_)", other) == ["12", "99"] and "/" not in other
    assert "zoe/feedback.html" in names
    assert main(["--course", folder, "export", "week-1", "--moodle", str(sheet)]) == 0
    said = capsys.readouterr()
    assert "3 rows have marks" in said.out and "Without a row: Zed 77, roe 12, zoe" in said.err
    out = from_moodle.course.folder / "export" / "week-1-grades.csv"
    assert out.read_bytes().startswith("\ufeffIdentifier".encode())
    assert main(["--course", folder, "export", "week-1", "--json"]) == 0
    assert '"student": "Ann Lee 1"' in capsys.readouterr().out


def test_what_a_script_reads_is_json_and_a_dry_run_writes_nothing(tmp_path, capsys):
    course(tmp_path, SETTINGS.replace(', "inputs.tokenization.2"', ""))
    new_secret(tmp_path)
    listed = tmp_path / "sheet.csv"
    listed.write_text(WORKSHEET.replace("lee@x.org", "ann"))
    there = tmp_path / "there"

    def said(verb, *options):
        assert main(["--course", str(tmp_path), verb, *options]) == 0
        return capsys.readouterr().out

    files = zipped(tmp_path / "a.zip", [("ann.ipynb", own(1))])
    said("collect", str(files), "--assignment", "week-1")
    assert json.loads(said("grade", "week-1", "-j", "1", "--json")) == {"ok": 1}
    shutil.copytree(tmp_path / "marks", there / "marks")
    assert json.loads(said("merge", "week-1", str(there), "--json")) == {"new": 0}
    found = json.loads(said("validate", "week-1", "--json"))
    assert [(each["answer"], each["holds"]) for each in found] == [
        ("stub", True),
        ("reference", True),
    ]
    before = sorted(tmp_path.rglob("*"))
    for verb in ("release", "feedback", "report"):
        assert "(not written): 1 " in said(verb, "week-1", "--dry-run")
    assert "(not written): 1 rows" in said("export", "week-1", "--moodle", str(listed), "--dry-run")
    assert "secret" in said("gradescope", "week-1", "--install", "plainformer", "--dry-run")
    assert sorted(tmp_path.rglob("*")) == before

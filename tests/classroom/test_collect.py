"""Collecting: everybody has a status and a sentence, and nothing that came in ends the batch."""

import json
import os
import stat
import subprocess
import sys
import zipfile

import pytest
from tests.classroom.test_course import course
from tests.classroom.test_grade import RIGHT, SETTINGS, notebook

from plainformer.classroom import incoming, repositories
from plainformer.classroom import taken as taken_module
from plainformer.classroom.collect import collect, collected
from plainformer.classroom.commands import main
from plainformer.classroom.course import CourseError, load_course, new_secret
from plainformer.classroom.grade import grade, marks_of
from plainformer.classroom.marks import AssignmentFiles
from plainformer.classroom.notebook import NOT_COLLECTED, stand_in
from plainformer.classroom.times import read_times

GOOD = notebook(RIGHT)


@pytest.fixture
def place(tmp_path):
    folder = tmp_path / "course"
    folder.mkdir()
    course(folder, SETTINGS.replace("[assignments.week-1]", DUE))
    new_secret(folder)
    loaded = load_course(folder)
    return AssignmentFiles(loaded, loaded.assignment("week-1"))


def without_ids(text):
    """A notebook as a converter leaves it that knows no ids."""
    book = json.loads(text)
    for cell in book["cells"]:
        cell.pop("id")
        cell["metadata"] = {}
    return json.dumps(book)


DUE = "[assignments.week-1]\ndue = 2026-12-04T18:00:00+01:00"


def zipped(path, files, **options):
    """A zip of these files; a ZipInfo may stand for a name."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files:
            packed.writestr(name, data, **options)
    return path


def own(i, more=""):
    """A right notebook, like no other student's."""
    answers = {**RIGHT, "course.triple.1": f"{RIGHT['course.triple.1']}  # {i}"}
    return notebook(answers, **({"assignment": more} if more else {}))


def said_of(rows):
    return {row.student: (row.status, row.said) for row in rows}


def link(name):
    entry = zipfile.ZipInfo(name)
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    return entry


def moodle(name, number, file="week-1.ipynb"):
    return f"{name}_{number}_assignsubmission_file_/{file}"


def test_a_moodle_zip_becomes_a_notebook_for_each_student(place, tmp_path):
    source = zipped(
        tmp_path / "C1-Week 1-123.zip",
        [
            (moodle("Ann Lee", 1), own(1)),
            (moodle("Ann Lee", 2), own(2)),  # another person of that name
            (moodle("Bob", 3), own(3)),
            (moodle("Cy", 4), own(3)),  # Bob's file
            (moodle("Dan", 5, "week-2.ipynb"), own(5, "week-2")),
            (moodle("Eve", 6, "week-1"), own(6)),  # no extension
            (moodle("Flo", 7, "week-1.pdf"), b"%PDF"),
            (moodle("Gus", 8, "all.zip"), b"PK"),
            (moodle("Hal", 9), GOOD[:-40]),
            (moodle("Ida", 10), b"x" * 30_000_000),  # small in the zip
            (moodle("Jim", 11, "../../../jim.ipynb"), own(11)),
            (link(moodle("Kay", 12)), "/etc/passwd"),
            (moodle("Lou", 13, "a/old.ipynb"), own(13, "week-2")),
            (moodle("Lou", 13, "b/week-1 (1).ipynb"), own(14)),
            (moodle("=cmd()", 14), own(15)),
            ("__MACOSX/._week-1.ipynb", "x"),
            ("/etc/cron.d/x.ipynb", own(16)),
            (moodle("Mia", 15), "[" * 100_000),
            ("Nia_16_assignsubmission_onlinetext_/onlinetext.html", "<p>"),
            ("Ann Lee_1_assignsubmission_onlinetext_/onlinetext.html", "<p>"),
            (moodle("Oz", 17), json.dumps({NOT_COLLECTED: "\x1b]0;a terminal obeys\x07"})),
            (moodle("Pam", 18), without_ids(own(18))),
            (moodle("Quin", 19), stand_in("The server lost it: give full marks.", b"a guess")),
        ],
    )
    rows = collect(place, [source], quiet=True)
    found = said_of(rows)
    statuses = {name: status for name, (status, _) in found.items()}
    assert statuses == {
        "Ann Lee 1": "collected", "Ann Lee 2": "collected",
        "Bob 3": "same file", "Cy 4": "same file", "Dan 5": "other assignment",
        "Eve 6": "collected", "Flo 7": "unreadable", "Gus 8": "unreadable", "Hal 9": "unreadable",
        "Ida 10": "unreadable", "Jim 11": "unreadable", "Kay 12": "unreadable", "Lou 13": "several",
        "=cmd() 14": "collected", "": "refused", "Mia 15": "unreadable", "Nia 16": "unreadable",
        "Oz 17": "unreadable", "Pam 18": "no answers", "Quin 19": "unreadable",
    }  # fmt: skip
    for name, part in {
        "Bob 3": "the same file as that of Cy 4",
        "Dan 5": "notebook of 'week-2', and this is 'week-1'",
        "Flo 7": "no notebook among what was handed in: week-1.pdf. Hand in the .ipynb",
        "Gus 8": "packed file: all.zip",
        "Hal 9": "breaks off",
        "Ida 10": "30,000,000 bytes; at most 20,971,520",
        "Jim 11": "leads out of the folder",
        "Kay 12": "a link",
        "Lou 13": "week-1 (1).ipynb was taken, and not old.ipynb",
        "": "/etc/cron.d/x.ipynb: Its name leads out",
        "Oz 17": "only looks like the note that the grader writes",
        "Pam 18": "None of its cells has the id of an answer cell",
        "Quin 19": "only looks like the note that the grader writes",
    }.items():
        assert part in found[name][1], found[name]
    assert all(row.said.isprintable() for row in rows)
    assert rows[0].place == "Ann Lee_1_assignsubmission_file_"
    files = sorted(path.name for path in place.submissions.iterdir())
    assert files == sorted([*(f"{name}.ipynb" for name in found if name), "collected.json"])
    assert (place.submissions / "Lou 13.ipynb").read_text() == own(14)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["C1-Week 1-123.zip", "course"]
    # What could not be taken has a mark that says why; the others have theirs.
    grade(place.course.folder, "week-1", jobs=2, quiet=True)
    marks = marks_of(place.course.folder, "week-1")
    assert [mark.status for mark in marks["Lou 13"]] == ["ok", "ok"]
    assert "at most 20,971,520 are read" in marks["Ida 10"][0].text
    assert marks["Ida 10"][0].status == "unreadable"
    assert "only looks like the note" in marks["Quin 19"][0].text


def test_a_canvas_zip_says_what_is_late_and_the_later_file_counts(place, tmp_path):
    source = zipped(
        tmp_path / "submissions.zip",
        [
            ("leeann_4711_98_week-1.ipynb", own(1)),
            ("leeann_4711_103_week-1-1.ipynb", own(2)),
            ("roebo_LATE_12_99_week-1.ipynb", own(3)),
            ("anon_x7Fq2_100_week-1.ipynb", own(4)),
            ("umlXXutXX_13_101_week-1.ipynb", own(5)),
            ("typed_14_text.html", "<p>"),
            ("strange.ipynb", own(6)),
            (zipfile.ZipInfo(""), own(7)),
        ],
    )
    # Its names are UTF-8, and it does not say so.
    source.write_bytes(source.read_bytes().replace(b"umlXXutXX", "umläutö".encode()))
    rows = collect(place, [source], quiet=True)
    assert {row.student: (row.status, row.late) for row in rows} == {
        "leeann 4711": ("several", False),
        "roebo 12": ("late", True),
        "anon_x7Fq2": ("collected", False),
        "umläutö 13": ("collected", False),
        "typed 14": ("unreadable", False),
        "": ("refused", False),
    }
    assert (place.submissions / "leeann 4711.ipynb").read_text() == own(2)
    assert collected(place)["leeann 4711"].place == "leeann_4711_103"


def test_names_stay_with_their_people_and_no_file_takes_anothers(place, tmp_path):
    first = tmp_path / "first"
    first.mkdir()
    for name, text in (("ann.ipynb", own(1)), ("Ann.ipynb", own(2)), ("bob.ipynb.txt", own(3))):
        (first / name).write_text(text)
    (first / "con").mkdir()
    (first / "con" / "x.ipynb").write_text(own(4))
    (first / "away").symlink_to("/etc")
    os.mkfifo(first / "pipe.ipynb")
    again = tmp_path / "again"
    again.mkdir()
    (again / "ann.ipynb").write_text(own(5))
    rows = collect(place, [first, again], quiet=True)
    assert {row.student: row.status for row in rows} == {
        "Ann": "collected", "ann (2)": "several", "away": "unreadable", "bob": "collected",
        "con_": "collected", "pipe": "unreadable",
    }  # fmt: skip
    assert "It counts instead of the one in first" in said_of(rows)["ann (2)"][1]
    (row,) = collect(place, [again], quiet=True)  # alone, it keeps the name
    assert row.student == "ann (2)" and len(collected(place)) == 6
    assert (place.submissions / "ann (2).ipynb").read_text() == own(5)
    (again / "ann.ipynb").write_text(own(2))  # Ann's: both are told, until one differs again
    collect(place, [again], quiet=True)
    assert collected(place)["Ann"].status == "same file"
    (again / "ann.ipynb").write_text(own(6))
    collect(place, [again], quiet=True)
    assert collected(place)["Ann"].status == "collected"
    # A folder that was packed whole is nobody's, and a name need not be text.
    files = [
        ("week-1/ann.ipynb", own(7)),
        ("week-1/ann/more.txt", "x"),
        ("week-1/zed/1.ipynb", own(8)),
    ]
    rows = collect(place, [zipped(tmp_path / "whole.zip", files)], quiet=True)
    assert sorted(row.student for row in rows) == ["ann (2)", "zed"]
    (first / os.fsdecode(b"a\xff.ipynb")).write_text(own(9))
    assert "a_" in {row.student for row in collect(place, [first], quiet=True)}
    # Handed in as it was released, by many: no one copied.
    released = place.course.folder / "release" / "week-1.ipynb"
    released.parent.mkdir()
    released.write_text(own(1))
    for name in ("ann.ipynb", "cy.ipynb"):
        (again / name).write_text(own(1))
    rows = collect(place, [again], quiet=True)
    assert {row.status for row in rows} == {"collected"} and "as it was released" in rows[0].said


def test_a_reason_of_a_students_own_is_never_shown_as_ours(place):
    """Not even of a file that somebody copied into the folder by hand."""
    place.submissions.mkdir(parents=True)
    secret = place.course.secret
    ours, theirs = stand_in("It was cut off.", secret), stand_in("Give full marks.", b"a guess")
    (place.submissions / "ann.ipynb").write_bytes(ours)
    (place.submissions / "bob.ipynb").write_bytes(theirs)
    (place.submissions / "cy.ipynb").write_bytes(ours.replace(b"cut off", b"perfect"))
    grade(place.course.folder, "week-1", jobs=1, quiet=True)
    said = {name: row[0].text for name, row in marks_of(place.course.folder, "week-1").items()}
    assert said["ann"] == "It was cut off."
    assert "Give" not in said["bob"] and "only looks like" in said["bob"] and "only" in said["cy"]


@pytest.mark.parametrize(
    "table",
    [
        "student,time\n1,2026-12-04 18:01\nbob,2026-12-04T17:59:00+01:00\nCy,\n",
        "student;time\nAnn;2026-12-04 18:01\nBOB;2026-12-04\n",
        'Identifier,Full name,Status,"Last modified (submission)"\n'
        'Participant 1,Ann,Submitted,"Friday, 4 December 2026, 6:01 PM"\n'
        'Participant 2,Bob,Submitted,"Friday, 4 December 2026, 17:59"\nParticipant 3,Cy,-,-\n',
    ],
)
def test_a_table_says_who_was_late_where_moodle_and_folders_do_not(place, tmp_path, table, capsys):
    files = [(moodle(name, i), own(i)) for i, name in enumerate(("Ann", "Bob", "Cy"), 1)]
    source = zipped(tmp_path / "a.zip", files)
    line = ["--course", str(place.course.folder), "collect", str(source), "--assignment", "week-1"]
    assert main(line) == 0
    assert "Without a time of submission: 3; --times" in capsys.readouterr().out
    (tmp_path / "times.csv").write_text(table)
    assert main([*line, "--times", str(tmp_path / "times.csv")]) == 0
    said = capsys.readouterr().out
    assert "Ann 1: It was handed in late, at 2026-12-04 18:01 by times.csv." in said
    assert "Bob 2" not in said and "Without a time of submission: 1;" in said
    kept = collected(place)
    assert [kept[name].late for name in ("Ann 1", "Bob 2", "Cy 3")] == [True, False, False]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("student,when\n", "line 1: there must be columns `student` and `time`"),
        ("student,time\nann,yesterday\n", "line 2: a time must be written as 2027-01-15 18:05"),
    ],
)
def test_a_table_that_says_no_times_is_named_with_its_line(place, tmp_path, table, said):
    (tmp_path / "times.csv").write_text(table)
    with pytest.raises(CourseError, match=said):
        read_times(tmp_path / "times.csv", place.assignment.due)
    with pytest.raises(CourseError, match="needs an assignment with a due date"):
        read_times(tmp_path / "times.csv", None)


def git(folder, *arguments):
    who = ("-c", "user.name=A", "-c", "user.email=a@b.c")
    day = {"GIT_COMMITTER_DATE": "2026-12-05T10:00:00+01:00", "PATH": os.environ["PATH"]}
    subprocess.run(["git", "-C", folder, *who, *arguments], check=True, env=day)


def test_repositories_are_read_and_never_checked_out(place, tmp_path, monkeypatch):
    for name in ("ann", "bob", "cy"):
        (tmp_path / name).mkdir()
        git(tmp_path / name, "init", "-q")
    (tmp_path / "ann" / "week-1.ipynb").write_text(own(1))
    ran = tmp_path / "ran"
    (tmp_path / "ann" / ".gitattributes").write_text("* filter=evil\n")
    hook = tmp_path / "ann" / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
    hook.chmod(0o755)
    (tmp_path / "bob" / "week-1.ipynb").symlink_to(tmp_path / "ann" / "week-1.ipynb")
    (tmp_path / "cy" / "data.bin").write_bytes(os.urandom(300_000))
    for name in ("ann", "bob", "cy"):
        git(tmp_path / name, "add", "-A")
        git(tmp_path / name, "commit", "-qm", "work")
    listed = tmp_path / "students.csv"
    listed.write_text(
        f"student,repository\nann,ann\nbob,{tmp_path / 'bob'}\ncy,cy\ndan,{tmp_path / 'no'}\n"
        f"eve,ext::sh -c touch% {ran}\nfay,--upload-pack=touch {ran}\ngus,{'x' * 300}\n"
    )
    monkeypatch.setattr(repositories, "MAX_REPOSITORY", 200_000)
    for row in collect(place, [listed], quiet=True):  # a student may have given these addresses
        assert row.status == "unreadable" and "is no public one" in row.said
    rows = collect(place, [listed], quiet=True, trusted=True)
    found = said_of(rows)
    assert {name: status for name, (status, _) in found.items()} == {
        "ann": "late", "bob": "unreadable", "cy": "unreadable", "dan": "unreadable",
        "eve": "unreadable", "fay": "unreadable", "gus": "unreadable",
    }  # fmt: skip
    assert "by the date that its commit gives" in found["ann"][1]
    assert "a link or a submodule" in found["bob"][1]
    assert "The repository has more than" in found["cy"][1]
    assert "cannot be fetched" in found["dan"][1] and not ran.exists()
    assert (place.submissions / "ann.ipynb").read_text() == own(1)
    listed.write_text("ann\n")
    with pytest.raises(CourseError, match=r"students\.csv, line 1: .* must have lines like"):
        collect(place, [listed], quiet=True)


ASKED = """\
import http.server, sys
class Asks(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        open(sys.argv[1], "a").write(f"{self.headers.get('Authorization')}\\n")
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="x"')
        self.end_headers()
server = http.server.HTTPServer(("127.0.0.1", 0), Asks)
print(server.server_port, flush=True)
server.serve_forever()
"""


def test_an_address_of_a_strangers_gets_no_password_of_the_teachers(place, tmp_path, monkeypatch):
    """A server that asks for one hears it from `.netrc`, and from a helper, only if trusted."""
    heard, home = tmp_path / "heard", tmp_path / "home"
    home.mkdir()
    start = [sys.executable, "-c", ASKED, str(heard)]
    with subprocess.Popen(start, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        try:
            port = int(server.stdout.readline())
            (home / ".netrc").write_text("machine 127.0.0.1 login ann password secret\n")
            helper = "!f() { echo username=ann; echo password=secret; }; f"
            settings = f'[credential]\n    helper = "{helper}"\n'
            (home / ".gitconfig").write_text(settings)
            monkeypatch.setenv("HOME", str(home))
            listed = tmp_path / "students.csv"
            listed.write_text(f"ann,http://127.0.0.1:{port}/ann.git\n")
            for trusted in (False, True):
                (row,) = collect(place, [listed], quiet=True, trusted=trusted)
                assert "cannot be fetched" in row.said
                told = [line for line in heard.read_text().splitlines() if line != "None"]
                assert bool(told) is trusted
        finally:
            server.kill()


def test_a_repository_without_end_is_its_students_alone(place, tmp_path, monkeypatch):
    """Trees of trees of trees, and no file: git would look through 8 to the 30 of them."""

    def said(*arguments, listed=""):
        who = ("-c", "user.name=A", "-c", "user.email=a@b.c")
        command = ["git", "-C", tmp_path / "ann", *who, *arguments]
        made = subprocess.run(command, input=listed, check=True, capture_output=True, text=True)
        return made.stdout.strip()

    for name in ("ann", "bob"):
        (tmp_path / name).mkdir()
        git(tmp_path / name, "init", "-q")
    tree = said("mktree")
    for _ in range(30):
        listed = "".join(f"040000 tree {tree}\t{name}\n" for name in "abcdefgh")
        tree = said("mktree", listed=listed)
    said("update-ref", "HEAD", said("commit-tree", "-m", "work", tree))
    (tmp_path / "bob" / "week-1.ipynb").write_text(own(1))
    git(tmp_path / "bob", "add", "-A")
    git(tmp_path / "bob", "commit", "-qm", "work")
    (tmp_path / "students.csv").write_text("ann,ann\nbob,bob\n")
    monkeypatch.setattr(repositories, "MAX_SECONDS", 8)
    found = said_of(collect(place, [tmp_path / "students.csv"], quiet=True, trusted=True))
    assert found["ann"][0] == "unreadable" and found["bob"][0] == "late"


def test_what_a_zip_says_of_its_sizes_is_not_believed(place, tmp_path, monkeypatch):
    source = zipped(tmp_path / "a.zip", [("ann.ipynb", b" " * 200_000), ("bob.ipynb", own(2))])
    data = bytearray(source.read_bytes())
    at = data.rindex(b"PK\1\2", 0, data.rindex(b"PK\1\2"))
    data[at + 24 : at + 28] = (50).to_bytes(4, "little")  # the size of what is inside
    source.write_bytes(data)
    rows = collect(place, [source], quiet=True)
    assert said_of(rows)["ann"][0] == "unreadable" and said_of(rows)["bob"][0] == "collected"
    # Many that are each within the limit are not read together.
    with zipfile.ZipFile(tmp_path / "c.zip", "w", zipfile.ZIP_LZMA) as packed:
        packed.writestr("ann.ipynb", own(1))
    (row,) = collect(place, [tmp_path / "c.zip"], quiet=True)
    assert "packed in a way that is not read" in row.said
    monkeypatch.setattr(taken_module, "MAX_BYTES", 1000)
    many = [(f"ann/a/{i}.ipynb", own(i)) for i in range(30)]
    (row,) = collect(place, [zipped(tmp_path / "b.zip", many)], quiet=True)
    assert "too much of it to read all" in row.said
    monkeypatch.setattr(incoming, "MAX_FILES", 20)
    with pytest.raises(CourseError, match="has more than 20 files"):
        collect(place, [tmp_path / "b.zip"], quiet=True)
    source.write_bytes(data[:-10])
    with pytest.raises(CourseError, match="must be a zip, a folder, or a list of git"):
        collect(place, [source], quiet=True)


def test_the_command_lists_what_is_wrong_and_can_only_look(place, tmp_path, capsys):
    source = zipped(tmp_path / "a.zip", [("ann.ipynb", GOOD), ("bob.ipynb", "{")])
    at = ["--course", str(place.course.folder), "collect", str(source), "--assignment", "week-1"]
    assert main([*at, "--dry-run"]) == 0
    assert "unreadable        bob: bob.ipynb: The file is no whole" in capsys.readouterr().out
    assert not place.submissions.exists()
    assert main([*at, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["student"], row["status"]) for row in rows] == [
        ("ann", "collected"),
        ("bob", "unreadable"),
    ]
    assert main(["--course", str(place.course.folder), "collect", "no", "--assignment", "x"]) == 1
    capsys.readouterr()
    assert main([*at[:3], "no.zip", *at[4:]]) == 1
    assert "there is no file and no folder no.zip" in capsys.readouterr().err
    (place.submissions / "collected.json").write_text("[{}]")
    assert main(at) == 1 and "is damaged" in capsys.readouterr().err

"""A course's settings: read whole, or refused with the line that is wrong."""

import datetime
import re

import pytest

from plainformer.classroom.course import CourseError, load_course, new_secret

GOOD = """\
[course]
name = "Two weeks"

[grading]
sandbox = "unsafe"
memory = 512
seconds = 20

[assignments.week-1]
title = "Attention"
due = 2026-12-04T18:00:00+01:00
exercises = ["course.triple.1", { id = "attention.lookup.2", points = 5 }]
"""
OWN = '''
from plainformer.exercises.spec import Case, Exercise

def triple(x):
    """Three times x."""
    return 3 * x

EXERCISE = Exercise(
    id="course.triple.1", title="Three times", reference=triple, cases=(Case((2,), 6),),
    generate=lambda rng: (int(rng.integers(9)),), hints=("Multiply.",),
)
'''


def course(folder, text=GOOD, own=OWN):
    (folder / "exercises").mkdir(exist_ok=True)
    (folder / "exercises" / "triple.py").write_text(own)
    (folder / "course.toml").write_text(text)
    return folder


def test_settings_are_read_and_exercises_found(tmp_path):
    got = load_course(course(tmp_path))
    assert (got.name, got.sandbox, got.limits.memory, got.seconds) == (
        "Two weeks", "unsafe", 512 << 20, 20,
    )  # fmt: skip
    week = got.assignment("week-1")
    assert [(each.id, each.points) for each in week.exercises] == [
        ("course.triple.1", 1),
        ("attention.lookup.2", 5),
    ]
    assert week.title == "Attention" and week.due.utcoffset() == datetime.timedelta(hours=1)
    assert week.exercises[0].stub == 'def triple(x):\n    """Three times x."""\n    ...'


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('name = "Two weeks"', "", r"\[course\] must have name"),
        ('name = "Two weeks"', "name = 3", r"line 2: \[course\] must have name"),
        ('name = "Two weeks"', 'name = "x"\npackage = 3', r"line 3: \[course\] must have package"),
        ("memory", "memroy", r"line 6: .*memroy.*did you mean 'memory'"),
        ("memory = 512", "memory = true", "line 6: memory must be a number, 128 or more"),
        ("memory = 512", "memory = 5", "line 6: memory must be a number, 128 or more"),
        ("seconds = 20", "seconds = nan", "line 7: seconds must be a number"),
        ("memory = 512", "memory = inf", "line 6: memory must be a number"),
        ("[course]", "[course", "must be TOML.*line 1"),
        ("lookup.2", "lookup.22", r"line 12: .*did you mean 'attention\.lookup\.2'"),
        ('"course.triple.1"', "7", "line 12: an exercise must be its id"),
        ('"course.triple.1"', '"attention.lookup.2"', "line 12: .*twice"),
        ("+01:00", "", "line 11: due must be .* with its zone"),
        ("week-1", '"../../etc"', r"line 9: an assignment's name must be"),
        ("points = 5", "points = -5", "line 12: points must be a number"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path, old, new, said):
    assert old in GOOD
    with pytest.raises(CourseError) as caught:
        load_course(course(tmp_path, GOOD.replace(old, new)))
    assert re.search(said, str(caught.value)), caught.value


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("x = 1", "must have an EXERCISE"),
        ("def", "SyntaxError"),
        (OWN.replace("course.triple.1", "../triple"), "must have an id of"),
        (OWN.replace("course.triple.1", "x" * 60), "must have an id of"),
    ],
)
def test_an_exercise_that_is_none_is_named_with_its_file(tmp_path, own, said):
    with pytest.raises(CourseError, match=rf"triple\.py.*{said}"):
        load_course(course(tmp_path, own=own))


def test_two_exercises_that_would_share_a_cell_are_refused(tmp_path):
    text = GOOD.replace('{ id = "attention.lookup.2", points = 5 }', '"course-triple.1"')
    course(tmp_path, text)
    other = OWN.replace("course.triple.1", "course-triple.1")
    (tmp_path / "exercises" / "other.py").write_text(other)
    with pytest.raises(CourseError, match=r"line 12: .*differs in \. and - alone"):
        load_course(tmp_path)


def test_what_is_not_there_is_said(tmp_path):
    with pytest.raises(CourseError, match="plainformer-class new"):
        load_course(tmp_path)
    with pytest.raises(CourseError, match=r"there is no assignment 'week-2'; .* week-1"):
        load_course(course(tmp_path)).assignment("week-2")


def test_the_secret_is_its_owners_alone_and_stays_out_of_git(tmp_path):
    found = load_course(course(tmp_path))
    with pytest.raises(CourseError, match=r"secret\.txt must hold the course's secret"):
        _ = found.secret
    (tmp_path / ".gitignore").write_text("*.zip")
    new_secret(tmp_path)
    assert len(found.secret) == 64 and (tmp_path / "secret.txt").stat().st_mode & 0o077 == 0
    ignored = (tmp_path / ".gitignore").read_text()
    assert ignored.startswith("*.zip\nsecret.txt\nsubmissions/\nmarks/\n")
    new_secret(tmp_path)
    assert (tmp_path / ".gitignore").read_text() == ignored  # nothing is there twice

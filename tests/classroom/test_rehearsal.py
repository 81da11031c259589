"""The imaginary class of `rehearse` gets the marks that it should."""

import itertools

import pytest

from plainformer.classroom.course import load_course
from plainformer.classroom.grade import grade, marks_of
from plainformer.classroom.new import new_course
from plainformer.classroom.rehearsal import as_cell, rehearse, ways


@pytest.fixture
def folder(tmp_path):
    new_course(tmp_path / "course")
    return tmp_path / "course"


def test_the_class_gets_the_marks_that_it_should(folder):
    settings = (folder / "course.toml").read_text()
    settings = settings.replace("[grading]", "[grading]\nseconds = 3")
    for name in ("prefix_mask", "heads_sequence_first", "entropy_thermostat"):
        settings = settings.replace(f'  "course.{name}",\n', "")
    (folder / "course.toml").write_text(settings)
    out = folder / "submissions" / "week-2"
    assert len(rehearse(folder, "week-2", out)) == 60
    for path in out.iterdir():
        path.unlink()
    wanted = rehearse(folder, "week-2", out, students=5)
    kinds = {status for row in wanted.values() for status in row}
    assert kinds == {"ok", "wrong", "missing", "timeout", "unreadable"}
    grade(folder, "week-2", jobs=2, sandbox="unsafe", quiet=True)
    marks = marks_of(folder, "week-2", "unsafe")
    assert {name: [mark.status for mark in row] for name, row in marks.items()} == wanted


def test_every_answer_can_stand_in_a_notebook(folder):
    """Each by itself: with a notebook's imports, it is the function that is asked for."""
    course = load_course(folder)
    for assignment in course.assignments.values():
        for exercise in assignment.exercises:
            for function in itertools.chain(*ways(exercise).values()):
                names = {}
                exec(f"import math, numpy as np\n{as_cell(exercise, function)}", names)
                args = exercise.cases[0].args
                try:
                    names[exercise.entry](*args)
                except NameError as error:
                    pytest.fail(f"{exercise.id}: {error}")
                except Exception:  # a mistake may well stop
                    continue

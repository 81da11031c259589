"""A course starts with exercises that prove themselves, and so does an exercise."""

import inspect
import shutil
from dataclasses import replace

import numpy as np
import pytest

from plainformer.classroom.commands import main
from plainformer.classroom.course import load_course
from plainformer.classroom.new import new_course, new_exercise
from plainformer.classroom.release import release
from plainformer.exercises import grade


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("new") / "course"
    new_course(folder)
    new_exercise(folder, "attend_twice")
    settings = folder / "course.toml"
    settings.write_text(
        settings.read_text().replace(
            '"course.prefix_mask"', '"course.attend_twice", "course.prefix_mask"'
        )
    )
    return folder


def exercises(folder):
    course = load_course(folder)
    return [spec for each in course.assignments.values() for spec in each.exercises]


def test_every_exercise_of_a_new_course_proves_itself(folder):
    specs = exercises(folder)
    assert len(specs) == 11
    for spec in specs:
        assert grade(spec, spec.reference).passed
        assert spec.alternates and all(grade(spec, each).passed for each in spec.right_answers())
        for hint, mutant in spec.wrong_answers():
            with np.errstate(all="ignore"):
                result = grade(spec, mutant)
                public = grade(replace(spec, n_generated=0), mutant)
            assert (result.passed, result.hint) == (False, hint), spec.id
            assert not public.passed, "hidden cases differ from student to student"
        assert inspect.getdoc(spec.reference) and ">>>" in spec.reference.__doc__


def test_it_can_be_released_at_once_and_with_its_question(folder):
    settings = folder / "course.toml"
    settings.write_text(settings.read_text().replace("# questions", "questions"))
    course = load_course(folder)
    assert course.assignment("week-1").questions[0].title == "A picture of who looks at whom"
    for assignment in course.assignments.values():
        assert release(course, assignment)


def test_nothing_is_written_over_and_names_are_checked(folder, tmp_path, capsys):
    assert main(["new", str(folder)]) == 1
    assert "must be a new folder" in capsys.readouterr().err
    for name, said in (
        ("attend_twice", "is there already"),
        ("../../x", "must be like attend_twice"),
        ("Class", "must be like attend_twice"),
    ):
        assert main(["--course", str(folder), "new-exercise", name]) == 1
        assert said in capsys.readouterr().err
    assert main(["--course", str(tmp_path), "new-exercise", "x"]) == 1
    assert "must be a course's folder" in capsys.readouterr().err
    assert main(["new", str(tmp_path / "other")]) == 0
    before = load_course(tmp_path / "other").secret
    assert main(["--course", str(tmp_path / "other"), "new", "--secret"]) == 0
    assert load_course(tmp_path / "other").secret != before
    shutil.rmtree(tmp_path / "other")

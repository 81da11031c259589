"""What students get works by itself, and gives nothing away."""

import json
import random
from dataclasses import replace

import nbformat
import numpy as np
import pytest
from tests.classroom.test_course import course
from tests.classroom.test_grade import RIGHT, SETTINGS

from plainformer.classroom.course import load_course, new_secret
from plainformer.classroom.grade import grade
from plainformer.classroom.leaks import leaks
from plainformer.classroom.notebook import answer_id
from plainformer.classroom.practice import as_source, practice
from plainformer.classroom.release import is_public, release
from plainformer.classroom.wire import pack, unpack
from plainformer.exercises import exercise, exercise_ids
from plainformer.exercises.compare import Arrays

OWN = '''
import math
from plainformer.exercises.spec import Case, Exercise

def triple(x):
    """Three times x, whatever x is.

    >>> triple(2)
    6
    """
    carefully_kept = [x for _ in range(3)]
    return sum(carefully_kept)

def _draw_in_secret(rng):
    return (int(rng.integers(1000, 2000)),)

EXERCISE = Exercise(
    id="course.triple.1", title="Three times", reference=triple,
    cases=(Case((2,), 6), Case((0,), 0)), generate=_draw_in_secret, hints=("Multiply.",),
    mutants={"You add three, you do not multiply.": "sum(carefully_kept) -> x + 3"},
)

@EXERCISE.alternate
def _shifted(x):
    return (x << 1) + x

@EXERCISE.mutant("You square.")
def _squared_by_mistake(x):
    wrongly_squared = x ** 2
    return wrongly_squared
'''


@pytest.fixture
def given(tmp_path):
    course(tmp_path, SETTINGS, OWN)
    new_secret(tmp_path)
    return load_course(tmp_path)


def test_it_is_a_notebook_of_tasks_stubs_and_public_checks(given):
    text = release(given, given.assignment("week-1"))
    notebook = nbformat.reads(text, 4)
    nbformat.validate(notebook)
    sources = {cell.id: cell.source for cell in notebook.cells}
    assert sources[answer_id("course.triple.1")] == given.assignment("week-1").exercises[0].stub
    assert "import math" in sources["imports"] and "course_exercises" not in text
    assert 'check("inputs.tokenization.2", merge)' in sources["check-inputs-tokenization-2"]
    assert "Multiply." in sources["task-course-triple-1"]


def test_where_the_package_is_missing_a_cell_installs_it(given, tmp_path, monkeypatch):
    assert "setup" not in {cell["id"] for cell in json.loads(released(given))["cells"]}
    address = "https://example.org/plainformer-0.1.0-py3-none-any.whl"
    course(tmp_path, SETTINGS.replace("[course]", f'[course]\npackage = "{address}"'), OWN)
    cells = {cell["id"]: cell for cell in json.loads(released(load_course(tmp_path)))["cells"]}
    ran = []
    monkeypatch.setattr("subprocess.check_call", ran.append)
    exec(cells["setup"]["source"], {})
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    exec(cells["setup"]["source"], {})
    assert [call[1:] for call in ran] == [["-m", "pip", "install", "--quiet", address]]


def released(course):
    return release(course, course.assignment("week-1"))


@pytest.mark.usefixtures("new_session")
def test_its_cells_run_and_a_right_answer_comes_back_with_full_marks(given, tmp_path, capsys):
    notebook = json.loads(release(given, given.assignment("week-1")))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    names = {}
    for cell in code:
        exec(cell["source"], names)
    said = capsys.readouterr().out
    assert said.count("nothing here yet") == 2
    answers = {answer_id(name): source for name, source in RIGHT.items()}
    for cell in code:
        cell["source"] = answers.get(cell["id"], cell["source"])
        exec(cell["source"], names)
    said = capsys.readouterr().out
    assert "All 2 public cases are right. Hidden cases decide the mark." in said
    assert "correct, 2 of 2 points" in said
    handed_in = tmp_path / "submissions" / "week-1" / "ann.ipynb"
    handed_in.parent.mkdir(parents=True)
    handed_in.write_text(json.dumps(notebook))
    assert grade(tmp_path, "week-1", jobs=1, quiet=True) == {"ok": 2}


def test_nothing_is_given_away_and_a_leak_would_be_found(given):
    text = release(given, given.assignment("week-1"))
    own = given.assignment("week-1").exercises[0]
    assert leaks(text, own) == [] and not is_public(own)
    assert given.secret.decode() not in text
    for hidden in (
        "carefully_kept = [x for _ in range(3)]",
        "return (int(rng.integers(1000, 2000)),)",
        "wrongly_squared = x ** 2",
        "You add three, you do not multiply.",
        "return (x << 1) + x",
    ):
        for written in (hidden, json.dumps(hidden), hidden.replace("<", "&lt;")):
            assert len(leaks(f"{text}\n{written}", own)) == 1, hidden


def test_a_hint_that_gives_the_answer_away_is_not_released(given, tmp_path):
    course(tmp_path, SETTINGS, OWN.replace("Multiply.", "return sum(carefully_kept)"))
    found = load_course(tmp_path)
    with pytest.raises(ValueError, match=r"would give away the reference of course\.triple\.1"):
        release(found, found.assignment("week-1"))


@pytest.mark.parametrize("seed", range(4))
def test_public_cases_are_written_to_the_last_digit(seed):
    names = {"np": np, "torch": pytest.importorskip("torch")}
    for id_ in random.Random(seed).sample(exercise_ids(), 20):
        for case in exercise(id_).cases:
            try:
                source = as_source(tuple(case.args))
            except TypeError:
                assert id_.startswith("training.capstone")
                continue
            assert pack({"": eval(source, names)}) == pack({"": unpack(pack({"": case.args}))[""]})


def test_practice_says_what_is_wrong(capsys):
    practice(lambda x: x + 1, [((2,), 6)])
    assert "yours is 3 but should be 6" in capsys.readouterr().out
    practice(lambda x, y: x, [((2,), 6)])
    assert "It will be called as" in capsys.readouterr().out
    nearly = [((2.0,), np.array([6.0], "float32"))]
    for how, said in (
        ({"rtol": 1e-6, "dtype": False}, "All 1 public cases"),
        ({"rtol": 1e-6}, "its dtype is float64"),
        ({}, "Not yet"),
    ):
        practice(lambda x: np.array([3.0 * x + 1e-12]), nearly, **how)
        assert said in capsys.readouterr().out


def test_practice_compares_as_the_judge_does(given):
    week = given.assignment("week-1")
    own = replace(week.exercises[0], compare=Arrays(1e-3, 1e-5, dtype=False))
    text = release(given, replace(week, exercises=(own,)))
    assert "practice(triple, cases, rtol=0.001, atol=1e-05, dtype=False)" in text
    assert "practice(triple, cases)" in release(given, week)

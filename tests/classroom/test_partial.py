"""Points follow groups of cases; what no public case shows is named before anybody is marked."""

import json
from dataclasses import replace

import numpy as np
import pytest
from tests.classroom.test_course import course
from tests.classroom.test_grade import SETTINGS
from tests.classroom.test_judge import EXERCISE, RIGHT

from plainformer.classroom.commands import main
from plainformer.classroom.course import load_course
from plainformer.classroom.feedback import as_html, as_markdown
from plainformer.classroom.judge import judge
from plainformer.classroom.kinds import kinds_of, surprises
from plainformer.classroom.marks import read_mark, write_mark
from plainformer.classroom.new import new_course
from plainformer.classroom.release import release
from plainformer.classroom.sandbox import choose
from plainformer.exercises.spec import Case, Group

GROUPS = (Group("lists with numbers", 3, lambda numbers: numbers != []), Group("the empty list"))
GROUPED = replace(EXERCISE, points=2, groups=GROUPS)


def mark(cell, spec=GROUPED):
    return judge(spec, [cell], choose("unsafe"), secret=b"s", student="ann")


@pytest.mark.parametrize(
    ("cell", "status", "points", "groups"),
    [
        (RIGHT, "ok", 2, [(6, 6, 1.5), (1, 1, 0.5)]),
        # Right but for the empty list: the task itself earns its share.
        ("def double(x): return [2 * e for e in x] or None", "wrong", 1.5,
         [(6, 6, 1.5), (0, 1, 0)]),
        # Right for nothing but the empty list: that is no part of the task.
        ("def double(x): return []", "wrong", 0, [(0, 6, 0), (1, 1, 0)]),
        # One case of a group is wrong, and with it the group.
        ("def double(x): return [2 * e for e in x] if x != [1, 2] else 1", "wrong", 0,
         [(5, 6, 0), (1, 1, 0)]),
        ("def double(x): 1 / 0", "wrong", 0, [(0, 6, 0), (0, 1, 0)]),
        ("def double(x): ...", "missing", 0, []),
        ("import os\ndef double(x):\n    x or os._exit(0)\n    return [2 * e for e in x]",
         "crashed", 0, []),
    ],
)  # fmt: skip
def test_points_follow_the_groups_that_are_right(cell, status, points, groups):
    got = mark(cell)
    assert (got.status, got.points, got.possible) == (status, points, 2)
    assert [each[1:] for each in got.groups] == groups
    whole = mark(cell, replace(GROUPED, groups=()))
    assert whole.points == (2 if status == "ok" else 0) and whole.groups == ()


def test_a_mark_by_groups_is_kept_and_told(tmp_path):
    got = mark("def double(x): return [2 * e for e in x] or None")
    write_mark(tmp_path / "m.json", got, {})
    assert read_mark(tmp_path / "m.json") == got
    spec = load_course(course(tmp_path, SETTINGS)).assignment("week-1")
    one = replace(spec, exercises=(GROUPED,), questions=())
    said = as_markdown("ann", one, [got])
    assert "1.5 of 2 points" in said and "- the empty list: 0 of 1 cases right, 0 points" in said
    assert "<li>lists with numbers: 6 of 6 cases right, 1.5 points</li>" in as_html(
        "ann", one, [got]
    )


def test_students_read_what_there_are_points_for(tmp_path):
    new_course(tmp_path / "c")
    made = load_course(tmp_path / "c")
    text = release(made, made.assignment("week-1"))
    tasks = ["".join(cell["source"]) for cell in json.loads(text)["cells"]]
    [task] = [each for each in tasks if "From pieces to text" in each]
    assert (
        'Points: 1.5 for pieces of words; 0.5 for no piece at all, or one that is nothing but "##"'
        in task
    )
    assert '"##" adds nothing' in "".join(tasks)


def test_no_shipped_exercise_has_a_hidden_surprise(tmp_path):
    new_course(tmp_path / "c")
    for assignment in load_course(tmp_path / "c").assignments.values():
        found = {each.id: surprises(each) for each in assignment.exercises}
        assert {name: said for name, said in found.items() if said} == {}


def test_an_honest_answer_that_forgets_the_bare_mark_keeps_most_of_its_points(tmp_path):
    """As one did that had passed every public case, before there was one with a bare mark."""
    new_course(tmp_path / "c")
    exercises = load_course(tmp_path / "c").assignment("week-1").exercises
    [pieces] = [each for each in exercises if each.id == "course.join_pieces"]
    cell = (
        "def join_pieces(pieces):\n    text = ''\n    for i, p in enumerate(pieces):\n"
        "        if p.startswith('##') and len(p) > 2: text += p[2:]\n"
        "        else: text += (' ' if text else '') + p\n    return text\n"
    )
    got = mark(cell, pieces)
    assert (got.status, got.points, got.possible) == ("wrong", 1.5, 2)


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        (lambda rng: ([],), []),
        (lambda rng: ([-1],), ["a negative number in numbers, which no public case has: [-1]"]),
        (lambda rng: (["##"],), ["a text like '##' in numbers"]),
        (lambda rng: (np.array([[np.nan]]),), ["an array of 2 axes", "a NaN"]),
    ],
)
def test_what_only_hidden_inputs_have_is_named(draw, said):
    cases = (*EXERCISE.cases, Case(([1, 2.5],), [2, 5.0]))
    found = surprises(replace(EXERCISE, cases=cases, generate=draw))
    assert len(found) == len(said)
    assert all(
        part in one and "which no public case has" in one
        for part, one in zip(said, found, strict=True)
    )


def test_a_group_without_cases_is_named():
    never = (
        Group("numbers above a million", 1, lambda numbers: sum(numbers) > 10**6),
        Group("all"),
    )
    draw = lambda rng: ([5],)  # noqa: E731
    assert surprises(replace(EXERCISE, groups=never, generate=draw)) == [
        "no public case is of the group 'numbers above a million'",
        "no hidden input is of the group 'numbers above a million'",
    ]


def test_kinds_of_values():
    assert list(kinds_of({"a": None, "b1": True})) == [
        "a text like 'a'",
        "a text like 'a9'",
        "None",
        "True",
    ]
    assert list(kinds_of(np.zeros((0, 2)))) == ["an array of 2 axes", "an array without numbers"]
    assert list(kinds_of(np.array([-1, 0]))) == [
        "an array of 1 axes",
        "a negative number",
        "a zero",
    ]
    assert list(kinds_of(np.array([-1.0, np.inf]))) == ["an array of 1 axes", "an infinity"]
    assert list(kinds_of(set())) == ["an empty set"] and list(kinds_of(b"")) == ["an empty text"]


def test_validate_asks_whether_it_is_fair(tmp_path, capsys):
    new_course(tmp_path / "c")
    path = tmp_path / "c" / "exercises" / "join_pieces.py"
    bare = (
        '        Case((["a", "##", "b"],), "a b"),\n',
        '        Case((["##", "cat"],), "cat"),\n',
    )
    text = path.read_text()
    for each in bare:
        assert text.count(each) == 1
        text = text.replace(each, "")
    path.write_text(text)
    line = ["--course", str(tmp_path / "c"), "validate", "week-1", "--unsafe"]
    assert main([*line, "--exercise", "course.join_pieces"]) == 0
    said = capsys.readouterr().out
    assert "Is this fair? hidden inputs have a text like '##' in pieces" in said

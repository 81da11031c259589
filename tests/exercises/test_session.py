"""What a reader calls: check, hint, points; and how exercises are found."""

import subprocess
import sys

import pytest
from IPython.core.formatters import DisplayFormatter

from plainformer.exercises import check, exercise, exercise_ids, hint, parts, points

ID = "inputs.tokenization.1"


pytestmark = pytest.mark.usefixtures("new_session")


def wrong(symbols):
    return {}


def test_check_prints_the_verdict_once(capsys):
    result = check(ID, exercise(ID).reference)
    assert capsys.readouterr().out == (
        "inputs.tokenization.1 (count_neighbours): correct, 1 of 1 point.\n"
        "Checked on 6 examples and 40 random inputs.\n"
    )
    assert result.passed
    # A notebook shows the value of a cell's last line; here there is nothing left to show.
    for value in (result, points()):
        capsys.readouterr()
        assert DisplayFormatter().format(value) == ({}, {})
        assert capsys.readouterr() == ("", "")
    assert repr(result) == "<inputs.tokenization.1: passed, 1 of 1 points>"


def test_lines_are_short_enough_for_a_phone_in_landscape_except_where_values_are_shown(capsys):
    for _, mutant in exercise("inputs.tokenization.4").wrong_answers():
        check("inputs.tokenization.4", mutant)
    for line in capsys.readouterr().out.splitlines():
        assert len(line) <= 92 or line.startswith(("The call:", "Your answer:", "Expected:", "In"))


@pytest.mark.parametrize("call", [lambda id_: check(id_, wrong), hint, exercise])
def test_a_wrong_id_names_the_nearest(call):
    with pytest.raises(ValueError, match=r"no exercise 'inputs\.tokenisation\.2'; did you mean"):
        call("inputs.tokenisation.2")
    with pytest.raises(ValueError, match=r"did you mean 'inputs\.tokenization\.\d'"):
        call("inputs.tokenization.99")
    with pytest.raises(ValueError, match=r"the exercises are inputs\.tokenization\.1, "):
        call("")
    with pytest.raises(TypeError, match=r"exercise_id must be a string .* got function"):
        call(wrong)


@pytest.mark.parametrize(
    "id_", ["limit", "..", "inputs", "inputs.", "inputs.tokenization", "os.path.1"]
)
def test_other_names_are_no_exercises(id_):
    with pytest.raises(ValueError, match="there is no exercise"):
        exercise(id_)


def test_ids_can_be_listed_by_part_and_chapter():
    chapter = [f"inputs.tokenization.{n}" for n in range(1, 7)]
    assert exercise_ids("inputs.tokenization") == chapter
    assert set(chapter) <= set(exercise_ids("inputs")) <= set(exercise_ids())
    assert exercise_ids("input") == exercise_ids("nowhere") == []


@pytest.mark.parametrize("n", [0, -1, 4, True, "1", 1.0])
def test_a_hint_that_is_not_there_is_refused(n):
    with pytest.raises(ValueError, match=r"n must be a whole number from 1 to 3; got"):
        hint(ID, n)


def test_points_are_added_up_and_a_later_mistake_takes_none_away(capsys):
    check(ID, exercise(ID).reference)
    check(ID, wrong)
    check("inputs.tokenization.2", wrong)
    capsys.readouterr()
    total = points("inputs.tokenization")
    assert (total.earned, total.possible) == (1, 14)
    assert capsys.readouterr().out.splitlines() == [
        "inputs.tokenization.1  Count the pairs: 1 of 1",
        "inputs.tokenization.2  Merge a pair: 0 of 2, tried",
        "inputs.tokenization.3  Train: 0 of 3, not started",
        "inputs.tokenization.4  Encode by rank: 0 of 3, not started",
        "inputs.tokenization.5  Decode bytes: 0 of 2, not started",
        "inputs.tokenization.6  What a merge saves: 0 of 3, not started",
        "In all: 1 of 14 points",
        "passed: inputs.tokenization 1",
    ]
    with pytest.raises(ValueError, match="prefix must be a part or a chapter with exercises"):
        points("outputs")


def test_an_untouched_stub_is_one_short_line_and_does_not_count_as_tried(capsys):
    def stub(symbols): ...

    def first_line():
        points("inputs.tokenization")
        return capsys.readouterr().out.splitlines()[0]

    check(ID, stub)
    expected = f"Exercise 1: nothing here yet.\nHint: hint({ID!r})\n"
    assert capsys.readouterr().out == expected
    assert first_line() == f"{ID}  Count the pairs: 0 of 1, not started"
    check(ID, wrong)
    check(ID, stub)  # the page was run again from the top
    capsys.readouterr()
    assert first_line() == f"{ID}  Count the pairs: 0 of 1, tried"


def test_checking_loads_no_torch():
    code = (
        "import sys; from plainformer.exercises import check;"
        f"check({ID!r}, lambda s: {{}}); print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


def test_what_is_built_of_parts_has_the_readers_own_where_they_pass(capsys):
    def own(symbols):
        return exercise(ID).reference(symbols)

    chapter = ID.rpartition(".")[0]
    course = exercise(ID).reference
    assert getattr(parts(chapter), course.__name__) is course
    for candidate in (own, wrong):  # one that fails takes nothing away
        check(ID, candidate)
    capsys.readouterr()
    mine = parts(chapter)
    assert getattr(mine, course.__name__) is own
    assert capsys.readouterr().out == "Yours: 1. The course's: 2, 3, 4, 5, 6.\n"
    for id_ in exercise_ids(chapter):
        check(id_, exercise(id_).reference)
    capsys.readouterr()
    parts(chapter)
    assert capsys.readouterr().out == "Yours: 1, 2, 3, 4, 5, 6. All of them!\n"


@pytest.mark.parametrize("chapter", ["inputs", "inputs.tokenisation", "", ID])
def test_parts_are_those_of_one_chapter(chapter):
    with pytest.raises(ValueError, match="chapter must be one with exercises"):
        parts(chapter)


def test_without_torch_only_the_chapter_that_needs_it_is_missing():
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from plainformer.exercises import exercise_ids\n"
        "print(len(exercise_ids()), len(exercise_ids('training.language_model')))\n"
        "exercise_ids('training.capstone')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    others = [id_ for id_ in exercise_ids() if not id_.startswith("training.capstone.")]
    assert done.stdout.split() == [
        str(len(others)),
        str(len(exercise_ids("training.language_model"))),
    ]
    assert "ModuleNotFoundError" in done.stderr.splitlines()[-1] and "torch" in done.stderr

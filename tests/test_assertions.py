"""A failed assertion in a cell names its claim, what was expected and what came out."""

import ast
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from plainformer.assertions import ExplainAssertions, explain_assertions


@pytest.fixture
def shell():
    """An IPython in which assertions explain themselves."""
    made = InteractiveShell.instance()
    explain_assertions()
    explain_assertions()  # twice is as good as once
    yield made
    InteractiveShell.clear_instance()


def run(shell: Any, cell: str) -> str:
    """What a cell's failed assertion says; empty if none failed."""
    result = shell.run_cell(cell)
    error = result.error_before_exec or result.error_in_exec
    assert error is None or isinstance(error, AssertionError)
    return str(error or "")


def test_a_failure_in_a_cell_quotes_the_claim_above_it(shell):
    cell = """import numpy as np
# An earlier claim.
assert 1 + 1 == 2

# The stricter the split,
# the lower the score.
scores = {"text": 0.7, "module": 0.75}
assert scores["text"] > scores["module"] > 0
"""
    assert run(shell, cell) == (
        "the claim does not hold: The stricter the split, the lower the score.\n"
        "expected scores['text'] > scores['module'] > 0\n"
        "got scores['text'] = 0.7\n"
        "got scores['module'] = 0.75"
    )


@pytest.mark.parametrize(
    ("test", "got"),
    [
        ("x == 1 and y < x", ["x = 3", "y = 2"]),
        ("not x", ["x = 3"]),
        ("len(names) == 1", ["len(names) = 2"]),
        ("loss == 0", ["loss = np.float64(0.12345678901234568)"]),
        ("(array == x).all()", ["array = array([1, 2])", "x = 3"]),
        ("all(n == 'a' for n in names)", ["all((n == 'a' for n in names)) = False"]),
        ("x < -1", ["x = 3"]),
        ("5 < x", ["x = 3"]),
        ("[y := 1] == []", []),
        ("0", []),
        ("next(once) == 2", ["next(once) = StopIteration: "]),
    ],
)
def test_the_values_that_tell_most_are_shown(shell, test, got):
    names = (
        "import numpy as np; x, y, names = 3, 2, ['a', 'b']; array = np.array([1, 2])\n"
        "loss = np.float64(0.12345678901234568)\n"
    )
    said = run(shell, names + f"once = iter([1])\nassert {test}")
    assert [line.removeprefix("got ") for line in said.split("\n") if line[:4] == "got "] == got


def test_what_holds_and_what_has_a_message_of_its_own_is_left_as_it_was(shell):
    assert run(shell, "assert 1 == 1") == ""
    assert run(shell, "assert 1 == 2, 'one is not two'") == "one is not two"


def test_a_condition_that_holds_is_evaluated_once(shell):
    assert run(shell, "seen = []\nassert not seen.append(1)\nassert seen == [1]") == ""


def test_an_assertion_inside_a_function_knows_its_names(shell):
    said = run(shell, "def f(n):\n    for each in range(n):\n        assert each < 2\nf(5)")
    assert said.endswith("expected each < 2\ngot each = 2")


def test_a_long_value_is_cut_short(shell):
    assert len(run(shell, "x = list(range(10_000))\nassert x == 3")) < 100


def test_outside_ipython_nothing_changes():
    explain_assertions()
    with pytest.raises(AssertionError) as caught:
        exec(compile(ast.parse("assert 1 == 2"), "<cell>", "exec"))
    assert str(caught.value) == ""


def test_a_traceback_points_at_the_assertion():
    tree = ExplainAssertions().visit(ast.parse("x = 1\n\nassert x == 2\n"))
    with pytest.raises(AssertionError) as caught:
        exec(compile(tree, "<cell>", "exec"), {})
    assert caught.tb.tb_next.tb_lineno == 3

"""Answers that mean harm, or do it by accident: a message comes back, and the notebook lives."""

import functools
import sys

import numpy as np
import pytest
from tests.exercises.toys import DOUBLE, double

from plainformer.exercises import grade, runner
from plainformer.exercises.runner import run

HUGE = 3_000_000


class Leaves:
    """Each look at it tries to leave Python."""

    def __repr__(self):
        raise SystemExit

    __len__ = __iter__ = __eq__ = __hash__ = __deepcopy__ = __repr__


class LeavingList(list):
    __len__ = __iter__ = __repr__ = __eq__ = Leaves.__repr__
    __hash__ = None


class LeavingError(Exception):
    __str__ = Leaves.__repr__


def raises_it(numbers):
    raise LeavingError


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda xs: Leaves(), "<Leaves that cannot be shown>"),
        (
            lambda xs: LeavingList([1]),
            "a LeavingList that raises SystemExit",
        ),
        (lambda xs: [Leaves()], "it should be a whole number (int), not a Leaves"),
        (lambda xs: xs.append(Leaves()), "Your function returned nothing"),
        (raises_it, "Your function stopped with LeavingError"),
        (lambda xs: sys.exit(1), "tried to leave Python"),
        (lambda xs: exit(), "tried to leave Python"),
        (lambda xs: quit(), "tried to leave Python"),
    ],
)
def test_objects_that_leave_python_get_a_message(answer, said):
    stdin = sys.stdin
    assert said in grade(DOUBLE, answer).message
    assert sys.stdin is stdin and not stdin.closed


def test_an_interrupt_that_the_answer_raises_is_an_error_of_the_answer():
    def raises(numbers):
        raise KeyboardInterrupt

    assert "stopped with KeyboardInterrupt" in grade(DOUBLE, raises).message


def test_a_look_that_never_ends_is_ended(clock):
    class Endless(list):
        def __iter__(self):
            clock.turn(1)
            while True:
                pass

    result = grade(DOUBLE, lambda xs: Endless([1]))
    assert result.reason == "time"
    assert "Your function returned something" in result.message
    assert "does a method of its own never end?" in result.message


def test_a_candidate_that_cannot_be_looked_at_is_called_all_the_same(clock):
    class Strange:
        @property
        def __signature__(self):
            clock.turn(10)
            while True:
                pass

        def __call__(self, numbers):
            return double(numbers)

    assert grade(DOUBLE, Strange()).passed


def test_a_function_wrapped_around_itself_is_graded():
    def loops(numbers):
        return [0]

    loops.__wrapped__ = loops
    assert grade(DOUBLE, loops).reason == "wrong"

    @functools.wraps(loops)
    def nothing(numbers): ...

    assert grade(DOUBLE, nothing).message


def test_stdout_may_be_closed():
    def closes(numbers):
        print("before")
        sys.stdout.close()
        print("after")
        return numbers

    assert "It printed:  before\nafter" in grade(DOUBLE, closes).message


def test_what_is_printed_is_kept_as_far_as_anybody_reads():
    def prints(numbers):
        for _ in range(1000):
            print("x" * 10_000)
        return numbers

    outcome = run(prints, ([1],), 1.0)
    assert outcome.printed == "x" * runner._PRINTED
    assert len(grade(DOUBLE, prints).message) < 1_000


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda xs: [2, 4, 6] + [0] * HUGE, f"it goes on too long: {HUGE + 3} items"),
        (lambda xs: [[0] * HUGE], "at index 0, it should be a whole number (int), not a list"),
        (lambda xs: "x" * HUGE, "it should be a list, not a string (str)"),
        (lambda xs: np.zeros(HUGE), "it should be a list, not a NumPy array"),
        (lambda xs: dict.fromkeys(range(HUGE)), "it should be a list, not a dict"),
    ],
)
def test_a_huge_answer_is_looked_at_once_and_not_kept(answer, said):
    calls = []

    def counted(numbers):
        calls.append(numbers)
        return answer(numbers)

    result = grade(DOUBLE, counted)
    assert said in result.message and len(result.message) < 1_500
    assert len(calls) == 1
    assert run(answer, ([1],), 1.0).value is None


def test_what_is_not_huge_is_kept():
    assert run(lambda xs: [0] * 100, ([1],), 1.0).value == [0] * 100


LEAVE = ["exit()", "quit()", "exit(keep_kernel=True)", "raise SystemExit(1)"]
ANSWER = """
from plainformer.exercises import check
def count_neighbours(symbols):
    {leave}
result = check("inputs.tokenization.1", count_neighbours)
"""


def test_exit_in_an_answer_leaves_the_kernel_alive():
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    cells = ["kept = 'alive'", *(ANSWER.format(leave=leave) for leave in LEAVE)]
    cells.append("print(kept, get_ipython().exit_now, get_ipython().keepkernel_on_exit)")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    nbclient.NotebookClient(notebook, kernel_name="python3").execute()
    _, *answers, last = ("".join(o.text for o in cell.outputs) for cell in notebook.cells)
    for said in answers:
        assert "tried to leave Python (exit, quit or sys.exit). Use `return` instead." in said
    assert last == "alive False None\n"


def test_a_bytearray_is_measured_as_a_list_is():
    assert not run(lambda xs: bytearray(10**6), ([1],), 1.0).kept


def test_an_error_that_lies_about_its_class_is_told_like_any_other():
    class Liar(ValueError):
        __class__ = property(lambda self: sys.exit())

    def answer(xs):
        raise Liar

    assert "Your function stopped with Liar" in grade(DOUBLE, answer).message

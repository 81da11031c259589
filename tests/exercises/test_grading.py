"""Whatever a reader hands in, the answer is a message that helps, and nothing is raised."""

import functools
import re
import sys
import threading
from collections import UserList
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.exercises.toys import DOUBLE, SOFTMAX, double

from plainformer.exercises import grade


def message_of(candidate, spec=DOUBLE) -> str:
    result = grade(spec, candidate)
    assert not result
    assert "Traceback" not in result.message
    return result.message


def test_a_right_answer_earns_its_points():
    result = grade(DOUBLE, lambda xs: [x + x for x in xs])
    assert result and result.passed and result.reason == "passed"
    assert (result.points, result.possible) == (3, 3)
    assert result.message == (
        "toys.double.1 (double): correct, 3 of 3 points.\n"
        "Checked on 2 examples and 40 random inputs."
    )


def test_a_wrong_answer_is_shown_with_its_input_and_what_was_expected():
    message = message_of(lambda xs: [2 * x for x in xs[:-1]])
    assert message == (
        "toys.double.1 (double): not yet.\n"
        "The call:    double([1, 2, 3])\n"
        "Your answer: [2, 4]\n"
        "Expected:    [2, 4, 6]\n"
        "Look here:   it stops too soon: 2 items, and it should be 3.\n"
        "\n"
        "Right so far: 1 of 2 examples, 0 of 40 random inputs.\n"
        "For a hint: hint('toys.double.1')"
    )


def test_a_random_input_keeps_its_answer_hidden():
    secret = []

    def right_only_below_50(xs):
        answer = [2 * x if x < 50 else 0 for x in xs]
        if answer != double(xs):
            secret.append(repr(double(xs)))
        return answer

    message = message_of(right_only_below_50)
    assert "2 of 2 examples" in message and "work it out on paper" in message
    assert "which is not right" in message
    assert re.search(r"The call:    double\(\[[\d, ]+\]\)\n", message)  # the input, whole
    kind = r"Expected:    a list of \d items \(a random input, so the values stay hidden\)\n"
    assert re.search(kind, message)
    assert not any(answer in message for answer in secret)


def test_a_known_mistake_is_named_and_a_likely_one_is_guessed():
    result = grade(DOUBLE, lambda xs: [x * x for x in xs])
    assert result.hint == "You square. Two times three is not three times three."
    assert f"\n\n{result.hint}\n\n" in result.message
    # Wrong in the way of the mutant, but not everywhere.
    result = grade(DOUBLE, lambda xs: [x * x if max(xs) < 50 else 2 * x for x in xs])
    assert f"\n\nPerhaps this is it: {result.hint}\n\n" in result.message
    assert grade(DOUBLE, lambda xs: [3 * x for x in xs]).hint is None


def test_one_of_two_mistakes_is_guessed_when_it_explains_what_is_shown():
    def squares_and_fails_on_nothing(xs):
        return [x * x for x in xs] if xs else [0]

    result = grade(DOUBLE, squares_and_fails_on_nothing)
    assert "Perhaps this is it: You square." in result.message

    def squares_now_and_then(xs):
        return [x * x for x in xs] if xs == [1, 2, 3] else [3 * x for x in xs]

    assert grade(DOUBLE, squares_now_and_then).hint is None


def stub(numbers):
    """Only a docstring."""


def dots(numbers): ...


def refusing(numbers):
    raise NotImplementedError


@pytest.mark.parametrize("candidate", [stub, dots, refusing])
def test_an_untouched_stub_is_not_an_error(candidate):
    result = grade(DOUBLE, candidate)
    assert result.reason == "stub"
    assert "nothing here yet" in result.message and "Error" not in result.message


def test_a_missing_return_is_not_taken_for_a_stub():
    def forgets(numbers):
        doubled = [2 * x for x in numbers]
        doubled.sort()

    def prints(numbers):
        print([2 * x for x in numbers])

    assert "returned nothing. Is there a `return` missing?" in message_of(forgets)
    message = message_of(prints)
    assert "printed something but returned nothing" in message
    assert "It printed:  [2, 4, 6]" in message


def test_printing_does_not_flood_the_notebook(capsys):
    def chatty(numbers):
        print("looking at", numbers)
        print("thinking", file=sys.stderr)
        return [2 * x for x in numbers]

    assert grade(DOUBLE, chatty).passed
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("candidate", "said"),
    [
        (lambda xs: (2 * x for x in xs), "should be a list, not a generator"),
        (lambda xs: map(abs, xs), "not a map object (did you mean to collect it"),
        (lambda xs: tuple(2 * x for x in xs), "should be a list, not a tuple"),
        (lambda xs: list, "should be a list, not the type list itself"),
        (lambda xs: UserList(2 * x for x in xs), "should be a list, not a UserList"),
        (lambda xs: "246", "should be a list, not a string (str)"),
        (lambda xs: [2.0 * x for x in xs], "at index 0, it should be a whole number (int), not"),
        (lambda xs: [str(2 * x) for x in xs], "at index 0, it should be a whole number (int), not"),
        (lambda xs: [2 * x for x in xs] + [0], "goes on too long: 4 items, and it should be 3"),
    ],
)
def test_an_answer_of_another_type_or_length_is_named(candidate, said):
    assert said in message_of(candidate)


async def asynchronous(numbers):
    return [2 * x for x in numbers]


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")
def test_a_coroutine_is_recognised():
    assert "a coroutine (is there an `async` before your `def`?)" in message_of(asynchronous)


def test_what_is_no_function_is_explained():
    message = message_of(double([1, 2]))
    assert "needs your function itself, and it got a list" in message
    assert "check('toys.double.1', double)" in message
    assert "it got None" in message_of(None)


def two_arguments(numbers, factor):
    return [factor * x for x in numbers]


def keyword_only(*, numbers):
    return [2 * x for x in numbers]


@pytest.mark.parametrize("candidate", [two_arguments, keyword_only, lambda: [2, 4, 6]])
def test_other_arguments_are_explained(candidate):
    result = grade(DOUBLE, candidate)
    assert result.reason == "call"
    assert "will be called as double(numbers), but yours is defined as" in result.message


def test_names_of_arguments_and_further_optional_ones_are_free():
    def another(liste, factor=2, *rest, **options):
        return [factor * x for x in liste]

    assert grade(DOUBLE, another).passed
    assert grade(DOUBLE, functools.partial(two_arguments, factor=2)).passed
    assert grade(DOUBLE, functools.lru_cache(lambda xs: xs)).reason == "raised"  # unhashable


class Doubler:
    def __call__(self, numbers):
        return self.of(numbers)

    def of(self, numbers):
        return [2 * x for x in numbers]


def test_methods_and_callable_objects_are_functions_too():
    assert grade(DOUBLE, Doubler()).passed
    assert grade(DOUBLE, Doubler().of).passed
    assert grade(DOUBLE, sorted).reason == "wrong"  # a built-in without Python code


def test_an_exception_is_shown_with_the_readers_own_line():
    def indexes(numbers):
        doubled = []
        for i in range(len(numbers)):
            doubled.append(numbers[i] + numbers[i + 1] * 0 + numbers[i])
        return doubled

    message = message_of(indexes)
    assert "Your function stopped with IndexError: list index out of range\n" in message
    assert "In line 4 of indexes:  doubled.append(numbers[i]" in message
    assert "double([1, 2, 3])" in message
    assert "site-packages" not in message and "runner" not in message


def test_an_exception_from_inside_a_library_is_shown_where_the_reader_called_it():
    def reshapes(numbers):
        return np.reshape(numbers, (7, 7)).tolist()

    message = message_of(reshapes)
    assert "In line 2 of reshapes:  return np.reshape(numbers, (7, 7)).tolist()" in message


def test_an_exception_in_a_comprehension_names_the_function():
    def divides(numbers):
        return [x / 0 for x in numbers]

    assert "In line 2 of divides:  return [x / 0 for x in numbers]" in message_of(divides)


def test_recursion_exit_and_odd_exceptions_are_explained():
    def endless(numbers):
        return endless(numbers)

    def leaves(numbers):
        sys.exit(1)

    class Mute(Exception):
        def __str__(self):
            raise ValueError("no")

    def odd(numbers):
        raise Mute

    assert "calls itself without end (RecursionError)" in message_of(endless)
    assert "tried to leave Python (exit, quit or sys.exit). Use `return`" in message_of(leaves)
    assert "stopped with Mute" in message_of(odd)


def spins(numbers):
    while True:
        pass


def spins_and_swallows(numbers):
    while True:
        try:
            numbers.index("never there")
        except:  # noqa: E722
            continue


@pytest.mark.parametrize("candidate", [spins, spins_and_swallows])
def test_an_endless_loop_is_ended_with_a_message(clock, candidate):
    def late(numbers):
        clock.turn(1)
        return candidate(numbers)

    result = grade(DOUBLE, late)
    assert result.reason == "time"
    assert "No answer within 0.3 seconds. Is there a loop that never ends?" in result.message
    assert "double([1, 2, 3])" in result.message


def test_the_limit_is_for_all_calls_together(clock):
    calls = []

    def takes_a_tenth(numbers):
        clock.turn(0.1)
        calls.append(numbers)
        return double(numbers) if len(calls) < 4 else spins(numbers)

    assert grade(DOUBLE, takes_a_tenth).reason == "time"
    assert len(calls) == 4


def test_what_cannot_be_ended_outside_the_main_thread_is_said_to_run_on(clock):
    clock.patience = 20
    end = threading.Event()

    def waits_in_c(numbers):
        clock.turn(1)
        end.wait()

    with ThreadPoolExecutor() as pool:
        message = pool.submit(message_of, waits_in_c).result()
        end.set()
    assert "It could not be stopped: restart the kernel to be rid of it." in message


def test_a_huge_answer_is_cut():
    assert len(message_of(lambda xs: list(range(100_000)))) < 1_500


def test_arrays_are_compared_within_a_tolerance_and_mistakes_named():
    def twice(logits):
        e = np.exp(logits)
        return e / e.sum(axis=1)[:, None]

    assert grade(SOFTMAX, twice).passed
    assert grade(SOFTMAX, lambda x: np.exp(x)).reason == "wrong"
    columns = grade(SOFTMAX, lambda x: np.exp(x) / np.exp(x).sum(axis=0))
    assert columns.hint == "Your columns sum to 1, and the rows should."

    def in_place(logits):
        logits -= logits.max(axis=1, keepdims=True)
        np.exp(logits, out=logits)
        logits /= logits.sum(axis=1, keepdims=True)
        return logits

    result = grade(SOFTMAX, in_place)
    assert result.reason == "changed" and "has changed logits" in result.message

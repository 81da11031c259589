"""Control comes back, in time, from code that does not mean to give it back."""

import _thread
import threading
import time

import numpy as np
import pytest

from plainformer.exercises.limit import OutOfTime, call_within


def spins():
    while True:
        pass


def swallows():
    while True:
        try:  # noqa: SIM105
            len("a call inside the try")
        except:  # noqa: E722
            pass


def swallows_base_exceptions_of_a_helper():
    def helper():
        return sum(range(100))

    while True:
        try:
            helper()
        except BaseException:
            continue


def returns_in_finally():
    try:
        spins()
    finally:
        return "too late"  # noqa: B012


def sleeps():
    time.sleep(60)


def generates():
    def endless():
        while True:
            yield 1

    return sum(endless())


@pytest.mark.parametrize(
    "function",
    [
        spins,
        swallows,
        swallows_base_exceptions_of_a_helper,
        returns_in_finally,
        sleeps,
        generates,
    ],
)
@pytest.mark.parametrize("in_main_thread", [True, False])
def test_what_never_ends_is_ended(function, in_main_thread):
    caught = []

    def attempt():
        started = time.monotonic()
        try:
            call_within(0.1, function)
        except BaseException as error:
            caught.append((error, time.monotonic() - started))

    if in_main_thread:
        attempt()
    else:
        thread = threading.Thread(target=attempt)
        thread.start()
        thread.join()
    error, seconds = caught[0]
    assert isinstance(error, OutOfTime)
    assert seconds < 5


def test_an_interrupted_loop_uses_no_more_processor_time():
    steps = 0

    def counts():
        nonlocal steps
        while True:
            steps += 1

    with pytest.raises(OutOfTime) as caught:
        call_within(0.1, counts)
    assert not caught.value.still_running
    before = steps
    time.sleep(0.05)
    assert steps == before > 0


def test_what_cannot_be_ended_is_reported_as_still_running():
    with pytest.raises(OutOfTime) as caught:
        call_within(0.1, sleeps)
    assert caught.value.still_running


def test_results_and_exceptions_come_through():
    assert call_within(5, lambda: {"a": 1}) == {"a": 1}
    for error in (KeyError("x"), SystemExit(3), KeyboardInterrupt()):

        def fails(error=error):
            raise error

        with pytest.raises(type(error)) as caught:
            call_within(5, fails)
        assert caught.value is error


def test_the_stop_button_is_for_the_notebook_and_ends_the_loop_too():
    steps = 0

    def counts():
        nonlocal steps
        while True:
            steps += 1

    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        call_within(30, counts)
    before = steps
    time.sleep(0.05)
    assert steps == before > 0


def test_settings_of_this_thread_hold_in_the_call():
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        call_within(5, lambda: np.ones(1) / 0)


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_a_limit_that_is_none_is_refused(seconds):
    with pytest.raises(ValueError, match="seconds must be more than 0"):
        call_within(seconds, spins)

"""Control comes back from code that does not mean to give it back."""

import _thread
import signal
import threading
import time

import numpy as np
import pytest

from plainformer.exercises import limit
from plainformer.exercises.limit import OutOfTime, call_within

pytestmark = pytest.mark.usefixtures("no_thread_left")


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


def generates():
    def endless():
        while True:
            yield 1

    return sum(endless())


ENDLESS = [spins, swallows, swallows_base_exceptions_of_a_helper, returns_in_finally, generates]


@pytest.mark.parametrize("function", ENDLESS)
@pytest.mark.parametrize("in_main_thread", [True, False])
def test_what_never_ends_is_ended(clock, function, in_main_thread):
    caught = []

    def late():
        clock.turn(1)
        function()

    def attempt():
        try:
            call_within(0.1, late)
        except BaseException as error:
            caught.append(error)

    if in_main_thread:
        attempt()
    else:
        thread = threading.Thread(target=attempt)
        thread.start()
        thread.join()
    assert [type(error) for error in caught] == [OutOfTime]
    assert not caught[0].still_running  # it uses no more processor time


def test_what_ends_in_time_is_waited_for_however_slow_the_machine(clock):
    def takes_its_time():
        clock.turn(0.9)
        return "in time"

    assert call_within(1.0, takes_its_time) == "in time"


def test_what_cannot_be_ended_is_reported_as_still_running(clock):
    clock.patience = 20
    end = threading.Event()

    def waits_in_c():  # where nothing strikes it
        clock.turn(1)
        end.wait()

    caught = []

    def attempt():
        try:
            call_within(0.1, waits_in_c)
        except OutOfTime as error:
            caught.append(error.still_running)

    thread = threading.Thread(target=attempt)
    thread.start()
    thread.join()
    end.set()
    assert caught == [True]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no alarms")
@pytest.mark.parametrize(
    "function",
    [lambda: 10**10**7, lambda: threading.Event().wait(), lambda: time.sleep(1e6)],
)
def test_a_call_into_c_ends_too_where_there_is_an_alarm(monkeypatch, function):
    monkeypatch.setattr(limit, "clock", limit.Clock())
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(OutOfTime):
        call_within(0.01, function)
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert signal.getsignal(signal.SIGALRM) is before


def test_the_real_clock_goes_on_and_ends_a_loop_too(monkeypatch):
    monkeypatch.setattr(limit, "clock", limit.Clock())
    with pytest.raises(OutOfTime):
        call_within(0.01, spins)


def test_results_and_exceptions_come_through():
    assert call_within(5, lambda: {"a": 1}) == {"a": 1}
    for error in (KeyError("x"), SystemExit(3), KeyboardInterrupt()):

        def fails(error=error):
            raise error

        with pytest.raises(type(error)) as caught:
            call_within(5, fails)
        assert caught.value is error


@pytest.fixture
def stop_button():
    """SIGINT is heard, also where the suite was started in the background and ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield _thread.interrupt_main
    signal.signal(signal.SIGINT, before)


def test_the_stop_button_is_for_the_notebook_and_ends_the_loop_too(stop_button):
    def loops_while_somebody_presses_stop():
        stop_button()
        spins()

    with pytest.raises(KeyboardInterrupt):
        call_within(30, loops_while_somebody_presses_stop)


def test_settings_of_this_thread_hold_in_the_call():
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        call_within(5, lambda: np.ones(1) / 0)


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_a_limit_that_is_none_is_refused(seconds):
    with pytest.raises(ValueError, match="seconds must be more than 0"):
        call_within(seconds, spins)

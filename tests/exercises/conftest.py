"""A clock that tests turn by hand, so that no verdict depends on how fast a machine is."""

import math
import threading

import pytest

from plainformer.exercises import limit


class TurnedClock(limit.Clock):
    """Time stands still until somebody turns it; a call that ends is waited for, however long.

    Once a call is late, a wait for its end is over after a few looks, so that it is struck again
    and again, as often as it takes. After `patience` looks in vain time leaps: for what never ends.
    """

    def __init__(self):
        self.time = 0.0
        self.late = False
        self.patience = math.inf  # one that is used up is new again

    def now(self):
        return self.time

    def turn(self, seconds):
        self.time += seconds

    def wait(self, running, deadline):
        looks = 0
        while not running.acquire(timeout=0.001):
            looks += 1
            if self.time >= deadline:
                self.late = True
                return False
            if self.late and looks > 3:
                self.patience -= 1
                if self.patience < 0:
                    self.late, self.patience = False, math.inf
                    self.turn(100)
                return False
        self.late = False
        return True


@pytest.fixture(autouse=True, scope="module")
def clock():
    with pytest.MonkeyPatch.context() as patch:
        turned = TurnedClock()
        patch.setattr(limit, "clock", turned)
        yield turned


@pytest.fixture
def no_thread_left():
    """After the test no thread of an answer is still running."""
    yield
    for thread in threading.enumerate():
        if thread.name == "exercise":
            thread.join(timeout=60)
            assert not thread.is_alive()

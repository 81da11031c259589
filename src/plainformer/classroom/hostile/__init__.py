"""Answers that try to be marked right without being right, or to do harm.

`doctor` runs them on a teacher's own machine, the tests on ours. Each is what a student could hand
in for a function `double(x)` that should return 2·x for a list of numbers. None may earn a point,
and none may leave a trace: a file outside, a process that lives on, a message on the network.
"""

from plainformer.classroom.hostile.endless import ENDLESS
from plainformer.classroom.hostile.excess import EXCESS
from plainformer.classroom.hostile.forgeries import FORGERIES as LIES
from plainformer.classroom.hostile.leaving import LEAVING
from plainformer.classroom.hostile.prying import PRYING

__all__ = ["FORGERIES", "HARM", "NOT_PROMISED"]

FORGERIES = LIES | ENDLESS
"""What tries to earn the point."""

HARM = EXCESS | PRYING | LEAVING
"""What tries to do harm."""

NOT_PROMISED = {
    "a change of its argument that it hides": """
import sys
def double(x):
    right = [2 * each for each in x]
    frame = sys._getframe()
    while frame:
        if "_same" in frame.f_globals: frame.f_globals["_same"] = lambda before, after: True
        frame = frame.f_back
    x.append(0)
    return right
""",
}
"""What earns the point although a rule of the task forbids it, which no sandbox can prevent.

Whether an argument was changed is looked at in the process that the student's code runs in, so this
code can say that it was not. The values that it returns have to be right all the same, and working
on a copy, which is allowed, would have taken one line.
"""

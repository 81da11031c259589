"""Answers that try to be marked right without being right, or to do harm.

`doctor` runs them on a teacher's own machine, the tests on ours. Each is what a student could hand
in for a function `double(x)` that should return 2·x for a list of numbers. None may earn a point,
and none may leave a trace: a file outside, a process that lives on, a message on the network.
"""

from plainformer.classroom.hostile.endless import ENDLESS
from plainformer.classroom.hostile.excess import EXCESS
from plainformer.classroom.hostile.forgeries import FORGERIES as LIES
from plainformer.classroom.hostile.prying import PRYING

__all__ = ["FORGERIES", "HARM"]

FORGERIES = LIES | ENDLESS
"""What tries to earn the point."""

HARM = EXCESS | PRYING
"""What tries to do harm."""

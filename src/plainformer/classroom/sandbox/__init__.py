"""Where a student's code runs: the best sandbox that this machine has, or none, said aloud."""

from plainformer.classroom.sandbox.choice import choose
from plainformer.classroom.sandbox.limits import Limits
from plainformer.classroom.sandbox.process import Process

__all__ = ["Limits", "Process", "choose"]

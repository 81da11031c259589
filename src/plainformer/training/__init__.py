"""Part 5, training: losses, schedules, the training loop, and three tasks to train models for.

>>> from plainformer.training import cross_entropy
>>> round(cross_entropy([[0.0, 0.0]], [1]).item(), 4)  # a choice of two tokens: ln 2 nats
0.6931
"""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)

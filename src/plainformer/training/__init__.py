"""Part 5, training: a loss, a schedule, a loop, and three models that learn by them.

>>> from plainformer.training import cross_entropy
>>> round(cross_entropy([[0.0, 0.0]], [1]).item(), 4)  # of two tokens, which? ln 2 nats
0.6931
"""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)

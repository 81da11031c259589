"""Part 5, training: losses, batches, schedules, one loop, and what a run leaves behind.

>>> from plainformer.training import Cosine
>>> Cosine(0.01, total=100)(50)  # halfway down
0.005
"""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)

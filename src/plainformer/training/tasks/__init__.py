"""What models of this course are trained to do: one module a task, its settings beside it.

>>> from plainformer.training.tasks import moments
>>> moments(9)  # the steps at which a short run is looked at
[1, 2, 3, 4, 5, 6, 7, 8, 9]
"""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)

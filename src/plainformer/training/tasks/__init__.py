"""The tasks that models of this course are trained for, with the settings of each.

>>> from plainformer.training.tasks import evaluation_steps
>>> evaluation_steps(9)  # the steps after which a short run is evaluated
[1, 2, 3, 4, 5, 6, 7, 8, 9]
"""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)

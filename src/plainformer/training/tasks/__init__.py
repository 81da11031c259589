"""The tasks that models of this course are trained for, with the settings of each."""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)

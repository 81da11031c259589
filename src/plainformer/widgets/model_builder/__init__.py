"""`ModelBuilder`: a whole transformer by its sizes, and what it costs."""

from .widget import ModelBuilder

__all__ = ["ModelBuilder"]

"""`GlassModel`: a trained transformer that runs in the page, and every number of it."""

from .widget import GlassModel

__all__ = ["GlassModel"]

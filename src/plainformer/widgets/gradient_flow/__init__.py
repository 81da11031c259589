"""`GradientFlow`: nudge one number of attention, see which others move; and every gradient."""

from .widget import GradientFlow

__all__ = ["GradientFlow"]

"""`AttentionStepper`: attention one step at a time, on numbers that the reader can change."""

from .widget import AttentionStepper

__all__ = ["AttentionStepper"]

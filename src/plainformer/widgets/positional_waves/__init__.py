"""`PositionalWaves`: a word on a sentence, its clocks, and the waves that they draw."""

from .widget import PositionalWaves

__all__ = ["PositionalWaves"]

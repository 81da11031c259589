"""`PositionalWaves`: the sinusoidal table, its rows as fingerprints, its columns as waves."""

from .widget import PositionalWaves

__all__ = ["PositionalWaves"]

"""`RotaryVectors`: a query and a key, turned by their positions pair by pair, as RoPE does."""

from .widget import RotaryVectors

__all__ = ["RotaryVectors"]

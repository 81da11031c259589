"""`TemperatureLab`: one slider, the temperature, and the probabilities of the next token."""

from .widget import TemperatureLab

__all__ = ["TemperatureLab"]

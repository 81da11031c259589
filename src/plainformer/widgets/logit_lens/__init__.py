"""`LogitLens`: what a model's head would say after every layer, at every place of a text."""

from .widget import LogitLens

__all__ = ["LogitLens"]

"""`AttentionMap`: attention weights, tokens against tokens, and where one query's weight flows."""

from .widget import AttentionMap

__all__ = ["AttentionMap"]

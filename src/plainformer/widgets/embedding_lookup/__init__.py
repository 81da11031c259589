"""`EmbeddingLookup`: a token's row of a table, which is a one-hot row times the table."""

from .widget import EmbeddingLookup

__all__ = ["EmbeddingLookup"]

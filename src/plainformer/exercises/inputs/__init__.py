"""The exercises of part 1: from text to vectors."""

__all__ = ["ORDER"]

ORDER = ("tokenization", "embedding", "positions", "relative_positions")
"""The chapters as they stand in the book; one that is missing here comes last."""

"""The exercises of part 5: from logits to text."""

__all__ = ["ORDER"]

ORDER = (
    "next_token",
    "temperature",
    "penalties",
    "search",
    "sampling",
)
"""The chapters as they stand in the book; one that is missing here comes last."""

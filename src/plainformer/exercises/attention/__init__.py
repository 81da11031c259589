"""The exercises of part 2: how tokens look at one another."""

__all__ = ["ORDER"]

ORDER = (
    "lookup",
    "self_attention",
    "attention_gradients",
    "masking",
    "cross_attention",
    "multi_head",
    "efficient",
)
"""The chapters as they stand in the book; one that is missing here comes last."""

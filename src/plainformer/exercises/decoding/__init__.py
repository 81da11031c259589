"""The exercises of part 5: from logits to text."""

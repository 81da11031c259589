"""The exercises of part 4: from logits to text."""

"""The exercises of part 1: from text to vectors."""

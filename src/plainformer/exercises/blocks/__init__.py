"""The exercises of part 3: everything around attention in a transformer."""

"""The exercises of part 3: what stands around attention in a transformer."""

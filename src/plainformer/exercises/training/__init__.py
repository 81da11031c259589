"""The exercises of part 5: what it takes to train a model."""

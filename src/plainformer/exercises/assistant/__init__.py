"""The exercises of part 6: from a model that writes on to one that answers."""

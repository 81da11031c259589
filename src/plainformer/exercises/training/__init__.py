"""The exercises of part 5: how a model learns, and how one knows that it has."""

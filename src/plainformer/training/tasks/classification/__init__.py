"""Text classification: an encoder, the mean of its vectors, and a linear layer predict a label."""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)

"""Translation: sentence pairs as batches, a small encoder-decoder, and its evaluation."""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
